// Model calls that something was taken out of.
import type { ModelResult } from '../../../src/format/index.ts';
import type { Runs } from '../bundle-maker.ts';
import { type BundleCase, failing, made, STRICT, unknown } from '../make-bundles.ts';

export function modelCalls(): BundleCase[] {
  /** A model call with such a result, and its receipt. */
  const answered = (runs: Runs, result: Partial<ModelResult>): void => {
    const { call, id } = runs.call();
    const event = runs.result(call, result);
    const { stopReason = 'end_turn' } = result;
    runs.receipt({ call, event, id }, { change: { pack: STRICT.hashes.root, stopReason } });
  };
  const asking = (name: string, done: string, result: Partial<ModelResult>, expect: BundleCase['expect']) =>
    made(name, done, expect, { pack: STRICT, tell: (runs) => answered(runs, result) });
  const missing = failing('TOOL_USE_MISSING');
  return [
    asking('tool-use-left-out', 'What the model asked for is left out.', { toolUses: 1 }, missing),
    asking(
      'tool-use-uncounted',
      'What the model asked for is left out, and not counted; the reason for which it stopped is there.',
      { stopReason: 'tool_use' },
      missing,
    ),
    asking(
      'tool-use-not-understood',
      'The model stopped to ask for a tool, and the recorder could not read for which.',
      { stopReason: 'tool_use', understood: 'part' },
      unknown('TOOL_UNDISCLOSED'),
    ),
    made(
      'model-call-left-out',
      'A model call goes on from one that the run does not have.',
      failing('MODEL_CALL_MISSING'),
      {
        tell: (runs) => {
          const messages = { base: runs.size, kept: 1, count: 1, added: [], more: null };
          runs.receipt(runs.exchange({ messages }));
        },
      },
    ),
  ];
}
