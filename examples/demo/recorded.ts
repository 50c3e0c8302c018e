// What must be in the ledger after the scripted agent's work, by the entries themselves.
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { lasted } from '../../src/report/index.ts';
import type { Step } from './stage.ts';

export function recorded(entries: readonly Entry[]): [Step, string][] {
  const find = (kind: string, fits: (payload: JsonObject) => boolean): Entry | undefined =>
    entries.find((entry) => entry.kind === kind && fits(entry.payload));
  const callOf = (id: string): Entry | undefined =>
    find('tool.call', ({ tool_use_id }) => tool_use_id === id);

  const tests = find('tool.result', (payload) => payload.tests !== null)?.payload;
  const { passed, failed } = (tests?.tests ?? {}) as JsonObject;
  const within = find('tool.call', ({ agent_id }) => agent_id === 'a7');
  const granted = find('approval', ({ state }) => state === 'granted');
  const waited = granted?.payload.waited_ms;
  const edit = callOf('toolu_4');
  const asked = find('approval', ({ state }) => state === 'asked');
  const denied = find('tool.denied', ({ seen_in }) => seen_in === 'PostToolBatch');
  const secret = find('tool.result', ({ redacted }) => redacted !== undefined)?.payload.redacted as
    | JsonObject
    | undefined;
  const gap = find('gap', ({ reason }) => reason === 'off');

  return [
    [
      {
        name: 'redacted',
        verdict: Object.keys(secret ?? {}).join(', '),
        held: Object.keys(secret ?? {}).length === 2,
      },
      'The secrets in an output were replaced before anything was hashed, and counted by rule.',
    ],
    [
      {
        name: 'failing tests',
        verdict: `exit ${tests?.exit_code}, ${failed} failed`,
        held: tests?.exit_code === 1 && tests.exit_origin === 'parsed' && passed === 10 && failed === 2,
      },
      'The failing test run is on record with its exit code, the origin of that code, and its counts.',
    ],
    [
      {
        name: 'subagent',
        verdict: within === undefined ? 'missed' : 'its call is its own',
        held: within !== undefined,
      },
      "The subagent's call names the subagent.",
    ],
    [
      {
        name: 'permission',
        verdict: granted === undefined ? 'missed' : 'granted',
        held:
          typeof waited === 'number' &&
          asked !== undefined &&
          asked.cause === edit?.seq &&
          granted?.payload.args_hash === edit?.payload.args_hash,
      },
      `A permission was asked and granted${typeof waited === 'number' ? ` after ${lasted(waited)}` : ''}, for exactly these arguments.`,
    ],
    [
      {
        name: 'denied call',
        verdict: denied === undefined ? 'missed' : 'seen in PostToolBatch',
        held: denied !== undefined && denied.cause === callOf('toolu_5')?.seq,
      },
      'The denied call left no result, only a line in a batch. It is recorded as denied.',
    ],
    [
      { name: 'gap', verdict: gap === undefined ? 'missed' : 'recorded', held: gap !== undefined },
      'A separate entry says that recording was off, and for how long.',
    ],
  ];
}
