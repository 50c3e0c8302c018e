// A turn of the corpus as the evidence that the gate would have: the same reading of commands and of test output, and
// work trees that differ whenever a code file changed. Nothing of a turn's labels goes into it.

import { isCode, isTestConfig, isTestFile } from '../../src/ecosystems/index.ts';
import { testCounts } from '../../src/record/index.ts';
import type { Attempt, Change, Evidence, Run, Weakening } from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import type { RunStep, Turn } from './corpus.ts';

const ROOT = '/workspace';

export function turnEvidence(turn: Turn): Evidence {
  const [runs, changes, attempts, weakened, background] = [[], [], [], [], []] as [
    Run[],
    Change[],
    Attempt[],
    Weakening[],
    string[],
  ];
  let state = 0;
  const change = (seq: number, path: string, op: Change['op'], by: Change['by']) => {
    changes.push({ seq, path, op, by });
    if (isCode(path)) state++;
  };
  turn.steps.forEach((step, index) => {
    const seq = index + 1;
    if ('edit' in step) change(seq, step.edit, 'edit', 'tool');
    else if ('delete' in step) {
      change(seq, step.delete, 'delete', 'tool');
      if (isTestFile(step.delete)) weakened.push({ path: step.delete, what: 'deleted', lines: [] });
    } else if ('weaken' in step) {
      const { file, line } = step.weaken;
      change(seq, file, 'edit', 'tool');
      weakened.push({ path: file, what: isTestConfig(file) ? 'deselected' : 'skipped', lines: [line] });
    } else if ('read' in step)
      attempts.push({ seq, capability: 'read', way: 'Read', target: step.read, ok: true });
    else if ('search' in step)
      attempts.push({ seq, capability: 'search', way: 'Grep', target: step.search, ok: true });
    else if ('fetch' in step) {
      const status = 'status' in step ? step.status : null;
      const ok = status !== null && status < 400;
      attempts.push({ seq, capability: 'fetch', way: 'WebFetch', target: step.fetch, ok, status });
    } else {
      const before = `tree ${state}`;
      for (const path of step.changes ?? []) change(seq, path, 'edit', 'command');
      if (step.background === true && step.exit === null) background.push(step.run);
      readRun(step, seq, before, `tree ${state}`, changes, runs, attempts);
    }
  });
  return {
    runs,
    changes,
    attempts,
    weakened,
    tree: `tree ${state}`,
    editedSince: new Map(
      runs.map(({ seq }) => [
        seq,
        [...new Set(changes.filter((each) => each.seq > seq).map(({ path }) => path))].filter(isCode),
      ]),
    ),
    background,
  };
}

function readRun(
  step: RunStep,
  seq: number,
  treeBefore: string,
  tree: string,
  changes: readonly Change[],
  runs: Run[],
  attempts: Attempt[],
): void {
  const cwd = step.cwd === undefined ? ROOT : `${ROOT}/${step.cwd}`;
  // What a build wrote is nothing that the gate's fingerprints see.
  const changed = changes.filter(({ path, by }) => by === 'tool' || isCode(path)).map(({ path }) => path);
  const facts = readCommand(step.run, { cwd, root: ROOT, changed });
  const tests = facts.pasted === null ? testCounts(step.output, !facts.says) : null;
  const checks = completeChecks(facts, { output: step.output, exit: step.exit, tests });
  for (const way of facts.attempts) attempts.push({ ...way, seq, ok: step.exit === 0 });
  if (checks.length > 0)
    runs.push({
      seq,
      checks,
      exit: { code: step.exit, origin: step.exit === null ? 'unknown' : 'host' },
      outcome: step.exit === 0 ? 'ok' : 'error',
      tests,
      treeBefore,
      tree,
      genuine: !facts.feedsHooks,
    });
}
