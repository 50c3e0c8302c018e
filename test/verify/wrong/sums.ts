// What is left out of a run, or came behind its end.
import type { Runs } from '../bundle-maker.ts';
import { type BundleCase, failing, made, OTHER_PACK, STRICT, unknown } from '../make-bundles.ts';
import { seqOf } from './edits.ts';

/** What is left out, or came behind. */
export function sums(): BundleCase[] {
  const wrong = failing('RUN_SUM_WRONG', 'RUN_SUM_MISSING');
  const leaving = (name: string, done: string, kind: string, expect = wrong): BundleCase =>
    made(name, done, expect, {}, { without: (entry) => entry.kind === kind && entry.source === 'sdk' });
  const start = (runs: Runs): number => seqOf(runs, 'session.start');
  return [
    made(
      'start-left-out',
      'The first entry of the run is left out.',
      failing('RUN_SUM_MISSING', 'RUN_SUM_WRONG', 'RUN_UNKNOWN', 'SESSION_UNSTARTED'),
      {},
      {
        without: ({ kind }) => kind === 'session.start',
      },
    ),
    leaving('first-left-out', 'The second entry of the run is left out.', 'run.base'),
    leaving('prompt-left-out', 'The prompts are left out.', 'prompt'),
    leaving('middle-left-out', 'The calls of tools are left out.', 'tool.call'),
    leaving('last-left-out', 'The last entry before the end is left out.', 'run.artifacts'),
    leaving('end-left-out', 'The end is left out.', 'session.end', unknown('RUN_OPEN', 'RUN_SUM_MISSING')),
    made(
      'entry-changed',
      'An entry was changed, and tree, checkpoint and manifest are those of the changed one.',
      wrong,
      {},
      {
        rewrite: (runs) =>
          void runs.change(seqOf(runs, 'tool.call'), () => ({ ts: '2026-11-15T10:00:00.999Z' })),
      },
    ),
    made(
      'run-begun-twice',
      'The run has two beginnings, each with a pack of its own.',
      failing('RUN_UNKNOWN'),
      {
        tell: (runs) => {
          const { agent = null } = runs.entries()[2]?.entry.payload ?? {};
          runs.of('session.start', { agent, resumes: null, pack: OTHER_PACK.hashes.root });
        },
      },
    ),
    made(
      'run-begun-elsewhere',
      'The id of the run does not follow from its place.',
      failing('SESSION_ID_WRONG', 'RUN_SUM_MISSING', 'RUN_SUM_WRONG'),
      {},
      {
        rewrite: (runs) =>
          void runs.change(start(runs), ({ payload }) => ({
            payload: { ...payload, auth_key: '7'.repeat(64) },
          })),
      },
    ),
    made('run-open', 'The run has not ended; a sum is there.', unknown('RUN_OPEN'), {
      close: (runs) => void runs.sum(),
    }),
    made('run-cut', 'The run was cut off.', unknown('RUN_OPEN'), { close: (runs) => void runs.cut() }),
    made('entry-behind-the-sum', 'An entry stands behind the last sum.', unknown('RUN_SUM_MISSING'), {
      after: (runs) => void runs.tool('Bash', { command: 'ls' }),
    }),
    made(
      'end-without-a-sum',
      'The end says nothing of the entries before it; a sum that the owner appended leaves one out.',
      unknown('RUN_SUM_MISSING'),
      {
        pack: STRICT,
        tell: (runs) => void runs.tool('WebFetch', { url: 'https://example.org' }),
        close: (runs) => {
          runs.end({});
          const { lines } = runs;
          const at = lines.findIndex((line) => line.includes('WebFetch'));
          const [denied = ''] = lines.splice(at, 1);
          const { entries, root } = runs.summed();
          lines.splice(at, 0, denied);
          runs.of('session.sum', { entries, root });
        },
      },
      { without: ({ payload }) => payload.tool === 'WebFetch' },
    ),
    made('sum-malformed', 'The sum has one member more.', failing('SESSION_MALFORMED', 'RUN_SUM_MISSING'), {
      after: (runs) => void runs.of('session.sum', { ...runs.summed(), more: 1 }),
    }),
    made(
      'end-sum-malformed',
      'The end has a count and no root.',
      failing('SESSION_MALFORMED', 'RUN_SUM_MISSING'),
      {
        close: (runs) => void runs.end({ entries: 3 }),
      },
    ),
    made('gap-in-the-run', 'Nothing was recorded for a while, and an entry says so.', unknown('BLIND'), {
      tell: (runs) =>
        void runs.append('gap', {
          reason: 'unrecorded',
          since: '2026-11-15T10:00:00.001Z',
          until: '2026-11-15T10:00:00.002Z',
          events: null,
          why: 'recording',
          calls: [],
        }),
    }),
  ];
}
