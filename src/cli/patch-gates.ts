// The two gates that a patch passes before an operator is asked: its tests, and the audit.
import type { Json, JsonObject } from '../core/index.ts';
import { type PatchId, runEventId } from '../format/index.ts';
import { harmless, patchName } from '../report/index.ts';
import {
  auditPatch,
  describeAgent,
  dueFor,
  isClean,
  moduleText,
  runPatchTests,
  takeStep,
  toolViolations,
} from '../runtime/index.ts';
import { EXIT, type Outcome } from './command.ts';
import { assertBase, type PatchRun, patchedRun } from './patch-run.ts';

export async function testPatch(open: PatchRun, id: PatchId): Promise<Outcome> {
  const known = dueFor(open, id, 'tested');
  const { tests } = known.proposal;
  const looked = await open.look();
  const { sandbox } = looked.replay;
  const outcomes = await runPatchTests(tests, await patchedRun(looked, known), sandbox);
  const isPassed = outcomes.length > 0 && outcomes.every(({ result }) => result === 'pass');
  const result = isPassed ? 'pass' : 'fail';
  const { seq } = await takeStep(open.step, {
    kind: 'patch.tested',
    payload: () => ({
      id: runEventId(id.run, id.number),
      result,
      tests: outcomes.map(({ name, result: each }) => ({ name, result: each })),
      sandbox: sandbox.name,
    }),
  });
  const lines = outcomes.map(
    ({ name, result: each, ended, output }) =>
      `${each === 'pass' ? '✓' : '✗'} ${harmless(name)} (${ended})\n${each === 'pass' ? '' : indented(output)}`,
  );
  const none = outcomes.length === 0 ? "✗ The patch names no test, so it can't pass (PATCH_UNTESTED).\n" : '';
  return gate(seq, id, isPassed ? 'tested' : 'rejected', 'audit', `${lines.join('')}${none}`, {
    tests: outcomes.map(({ name, result: each, ended }) => ({ name, result: each, ended })),
  });
}

export async function audit(open: PatchRun, id: PatchId): Promise<Outcome> {
  const known = dueFor(open, id, 'audited');
  const { proposal } = known;
  const looked = await open.look();
  assertBase(looked, known);
  const isModule = proposal.change.target === 'module';
  const violations = await auditPatch({
    proposal,
    base: await looked.state(),
    code: await looked.code(),
    module: proposal.change.target === 'module' ? await moduleText(proposal.change, open.read) : undefined,
    isClean: (value: Json) => isClean(open.recording.intake, value),
  });
  if (isModule && violations.length === 0) {
    const told = await describeAgent(await patchedRun(looked, known), looked.replay.sandbox);
    violations.push(...toolViolations(looked.found.init, told));
  }
  const { seq } = await takeStep(open.step, {
    kind: 'patch.audited',
    payload: () => ({
      id: runEventId(id.run, id.number),
      result: violations.length === 0 ? 'pass' : 'fail',
      violations,
    }),
  });
  const lines = violations.map((each) => `✗ ${harmless(each)}\n`).join('');
  const status = violations.length === 0 ? 'audited' : 'rejected';
  return gate(seq, id, status, 'approve', lines, { violations });
}

/** Behind a gate: `next` is what may follow, unless the patch is rejected. */
export function gate(
  seq: number,
  id: PatchId,
  status: string,
  next: string,
  told: string,
  more: JsonObject,
): Outcome {
  const name = patchName(id);
  const isOver = status === 'rejected';
  return {
    exit: isOver ? EXIT.FAILED : EXIT.FINE,
    json: { id: runEventId(id.run, id.number), seq, status, ...more },
    text: `${told}Entry ${seq}: patch ${name} is ${status}.\n${isOver ? '' : `Next: foil patch ${next} ${name}\n`}`,
  };
}

function indented(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-20);
  return output.trim() === '' ? '' : lines.map((line) => `    ${harmless(line)}\n`).join('');
}
