// A checked run on its way from the verifier's thread to the page's: lines and content in one buffer each, which change hands
// without a copy. The page reads them bit by bit, since a long run has many.
import type { Entry } from '../src/format/index.ts';
import type { CheckedRun, Judgement, RunAnswer } from './check-run.ts';

interface Packed {
  /** Where each ends in the buffer. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

export interface RunMessage {
  readonly judgement: Judgement;
  readonly lines: Packed;
  /** The names stand one on each line: a long text is taken in sooner than many short ones. */
  readonly shown: Packed & { readonly names: string };
}

export function encodeRun({ lines, shown, ...judgement }: CheckedRun): RunMessage {
  return {
    judgement,
    lines: packed(lines),
    shown: { names: [...shown.keys()].join('\n'), ...packed([...shown.values()]) },
  };
}

export function buffersOf({ lines, shown }: RunMessage): ArrayBuffer[] {
  return [lines, shown].flatMap(({ bytes, ends }) => [
    bytes.buffer as ArrayBuffer,
    ends.buffer as ArrayBuffer,
  ]);
}

/** Yields whenever it may rest. */
export function* readRun({ judgement, lines, shown }: RunMessage): Generator<void, RunAnswer> {
  const decoder = new TextDecoder();
  const entries: Entry[] = [];
  for (const line of unpacked(lines)) {
    // The verifier has taken it for an entry, in its one form.
    entries.push(JSON.parse(decoder.decode(line)) as Entry);
    yield;
  }
  const contents = new Map<string, Uint8Array>();
  let at = 0;
  for (const bytes of unpacked(shown)) {
    const end = shown.names.indexOf('\n', at);
    contents.set(shown.names.slice(at, end < 0 ? undefined : end), bytes);
    at = end + 1;
    yield;
  }
  return { ...judgement, entries, shown: contents };
}

function packed(pieces: readonly Uint8Array[]): Packed {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  const ends = Uint32Array.from(pieces, (piece) => {
    bytes.set(piece, end);
    end += piece.length;
    return end;
  });
  return { ends, bytes };
}

function* unpacked({ ends, bytes }: Packed): Generator<Uint8Array> {
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}
