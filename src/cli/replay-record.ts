// The result of a replay, as an entry under its own id. Only someone with the ledger's key writes it. A verifier who
// was given a copy leaves the copy as it is.
import { randomBytes } from 'node:crypto';
import { withLedger } from '../app/index.ts';
import { encodeHex, StoreError } from '../core/index.ts';
import type { Located } from '../ledger/index.ts';
import { harmless } from '../report/index.ts';
import { type ReplayReport, recordReplay } from '../runtime/index.ts';
import { openKeyring } from '../store/files/index.ts';
import type { Context } from './command.ts';

export interface KeptReplay {
  /** Null where nothing was written. */
  readonly id: string | null;
  readonly text: string;
}

export async function keepReplay(
  { now }: Pick<Context, 'now'>,
  located: Located,
  report: ReplayReport,
  asked: { readonly to: number | undefined; readonly execute: boolean },
): Promise<KeptReplay> {
  const id = encodeHex(randomBytes(32));
  const { divergence, finalStateHash } = report;
  try {
    return await withLedger(located, async (ledger) => {
      const { origin } = await ledger.identity();
      const keys = await openKeyring(located.keyDirectory).list(origin);
      if (keys.length === 0) return left("the ledger's key isn't here, so foil can't write to it");
      const seq = await recordReplay(
        { store: ledger.store, now },
        {
          id,
          run: report.run,
          replay: asked.to === undefined ? 'forensic' : 'debug',
          from: report.from,
          to: asked.to ?? null,
          execute: asked.execute,
          events: report.events,
          code: report.code,
          node: report.node,
          sandbox: report.sandbox,
          outcome: report.outcome,
          finalStateHash: /^[0-9a-f]{64}$/.test(finalStateHash ?? '') ? finalStateHash : null,
          divergence: divergence === null ? null : { ...divergence, got: divergence.got.slice(0, 64) },
          flaw: report.flaw,
          impure: report.impure,
        },
      );
      return { id, text: `Replay ${id.slice(0, 16)} is entry ${seq}.\n` };
    });
  } catch (error) {
    if (error instanceof StoreError) return left(error.message);
    throw error;
  }
}

function left(why: string): KeptReplay {
  return { id: null, text: `The replay isn't recorded: ${harmless(why)}.\n` };
}
