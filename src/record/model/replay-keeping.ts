// `replay: keep`. What a replay needs is kept as it was, with whatever secrets and files it holds: a named exception to what
// is otherwise never written (spec/replay.md). So it is always encrypted, whatever the project says of content, and it
// belongs to the session's salted content: who erases a session erases this.
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import {
  type AnswerProblem,
  type AskedRequest,
  type ContentRef,
  encodeKeptAnswer,
  encodeKeptCommand,
  encodeKeptTree,
  encodeReplayAnswer,
  encodeReplayStart,
  encryptedType,
  type KeptAnswer,
  type KeptCommand,
  type KeptFile,
  REPLAY_KEY,
  type ReplayStart,
  requestDigest,
} from '../../format/index.ts';
import { encodeBlock, type NewEntry, type Store } from '../../ledger/index.ts';
import type { Cipher } from '../content-cipher.ts';

export interface ReplayKeepingOptions {
  readonly store: Pick<Store, 'append' | 'putContent' | 'deriveKey'>;
  readonly cipher: Cipher;
  /** The vantage point in entries. */
  readonly source: string;
}

/** What came back for one request; `problem` where not all of it is at hand. */
export interface RawExchange extends AskedRequest, Omit<KeptAnswer, 'parts'> {
  readonly parts: AskedRequest['parts'];
  readonly problem: AnswerProblem | null;
}

/** Compressed, so that no reader takes it for text that may be shown. */
const TYPE = 'application/gzip';
const MOST_UNPACKED = 512 * 1024 * 1024;

export class ReplayKeeping {
  readonly #options: ReplayKeepingOptions;

  constructor(options: ReplayKeepingOptions) {
    this.#options = options;
  }

  /** Durable when it resolves. */
  async start(
    session: string,
    command: KeptCommand,
    files: readonly KeptFile[],
    places: Pick<ReplayStart, 'root' | 'home' | 'temporary' | 'terminal'>,
  ): Promise<void> {
    const payload = encodeReplayStart({
      ...places,
      command: await this.#keep(session, encodeKeptCommand(command)),
      tree: await this.#keep(session, encodeKeptTree(files)),
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    });
    await this.#append({ kind: 'replay.start', session_id: session, payload });
  }

  /** Durable when it resolves. `call`: the seq of the entry of the call. */
  async answer(session: string, call: number, exchange: RawExchange): Promise<void> {
    const { status, headers, chunks, problem } = exchange;
    const { hash, parts } = requestDigest(await this.#options.store.deriveKey(session, REPLAY_KEY), exchange);
    const kept =
      problem === null
        ? await this.#keep(session, encodeKeptAnswer({ status, headers, chunks, parts }))
        : null;
    const payload = encodeReplayAnswer({ requestHash: hash, kept, problem });
    await this.#append({ kind: 'replay.answer', session_id: session, cause: call, payload });
  }

  async #keep(session: string, bytes: Uint8Array): Promise<ContentRef> {
    const { store, cipher } = this.#options;
    const packed = await promisify(gzip)(bytes);
    return store.putContent(session, await cipher(session, packed), { type: encryptedType(TYPE) });
  }

  async #append(draft: Omit<NewEntry, 'source'>): Promise<void> {
    const { store, source } = this.#options;
    await store.append((head) => encodeBlock([{ ...draft, source }], head, Date.now()));
  }
}

/** What was kept, once it is decrypted. Throws where it is not what was written, or would be far too large. */
export function unpackKept(bytes: Uint8Array): Uint8Array {
  return gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED });
}
