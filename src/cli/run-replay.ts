// A run of a ledger that is here, replayed in a sandbox from which the ledger, the keys and the state of foil are hidden.
import { derivedKey } from '../core/index.ts';
import { RUN_KEY } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { type ReplayParts, type ReplayReport, replayRun } from '../runtime/index.ts';
import type { Context } from './command.ts';
import { contentReader, readSalt } from './content.ts';
import { cellOf, replaySandbox } from './replay-parts.ts';

const LARGEST = 256 * 1024 * 1024;

/** Throws RunError where it can't be tried. */
export async function replayHere(
  { env, onInterrupt, progress }: Context,
  ledger: Ledger,
  located: Located,
  asked: Pick<ReplayParts, 'run' | 'first' | 'from' | 'to' | 'execute'>,
): Promise<ReplayReport> {
  const { run } = asked;
  const stop = new AbortController();
  const undo = onInterrupt(() => stop.abort());
  try {
    const salt = await readSalt(ledger, run);
    const read = contentReader(ledger, located);
    progress('replaying');
    return await replayRun({
      ...asked,
      log: ledger.store,
      key: salt === undefined ? null : derivedKey(salt, RUN_KEY),
      read: async (ref) => {
        const content = await read(run, ref, LARGEST);
        if (content.state === 'kept') return content.bytes;
        const shared = ref.algorithm === 'sha256' ? await read(null, ref, LARGEST) : content;
        return shared.state === 'kept' ? shared.bytes : undefined;
      },
      sandbox: replaySandbox(env, located),
      cell: cellOf(),
      signal: stop.signal,
    });
  } finally {
    progress('');
    undo();
  }
}
