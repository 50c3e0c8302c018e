// Patches as a person reads them: where each stands, and what of it does not count.
import type { JsonObject } from '../core/index.ts';
import { type PatchId, runEventId } from '../format/index.ts';
import type { KnownPatch } from '../policy/index.ts';
import type { RecordedStep, RunPatches } from '../runtime/index.ts';
import { columns, harmless, moment } from './text.ts';

export function patchJson(
  { proposal, hash, status, stateAfter }: KnownPatch,
  patches: RunPatches,
): JsonObject {
  const { id, base, change, tests, reason, signed } = proposal;
  return {
    id: runEventId(id.run, id.number),
    status,
    patch_hash: hash,
    base,
    state_hash_after: stateAfter,
    target: change.target,
    tests: tests.map(({ name }) => name),
    reason,
    proposed_by: signed.by,
    steps: stepsOf(patches, id).map(({ entry, problem }) => ({
      seq: entry.seq,
      kind: entry.kind,
      ts: entry.ts,
      problem: problem === null ? null : { ...problem },
    })),
  };
}

/** Those on record that name the patch, also where they do not count. */
export function stepsOf({ steps }: RunPatches, { run, number }: PatchId): RecordedStep[] {
  return steps.filter(({ entry }) => entry.payload.id === runEventId(run, number));
}

export function listText(patches: RunPatches): string {
  const known = patches.judge.course.patches;
  if (known.length === 0 && patches.steps.length === 0) return 'This run has no patches.\n';
  const rows = known.map(
    ({ proposal: { id, reason, change }, status }) =>
      [patchName(id), `${status.padEnd(8)}  ${change.target.padEnd(6)}  ${harmless(reason)}`] as const,
  );
  return `${rows.length === 0 ? '' : `${columns(rows, '')}\n`}${problemLines(patches.steps)}`;
}

export function showText(known: KnownPatch, patches: RunPatches): string {
  const { id, base, change, tests, reason, signed } = known.proposal;
  const steps = stepsOf(patches, id);
  const taken = steps.filter(({ step }) => step !== null);
  return [
    `Patch ${patchName(id)} is ${known.status}: ${harmless(reason)}\n`,
    `  proposed by ${harmless(signed.by)}\n`,
    `  for state   ${base}\n`,
    `  changes     ${change.target === 'state' ? harmless(JSON.stringify(change.operations)) : `${harmless(change.path)}: ${change.from} → ${change.to.hash}`}\n`,
    ...tests.map(({ name, command }) => `  test        ${harmless(name)}: ${harmless(command.join(' '))}\n`),
    ...taken.map(({ entry }) => `✓ Entry ${entry.seq}: ${entry.kind}, ${moment(entry.ts)}\n`),
    problemLines(steps),
  ].join('');
}

/** `✗ Patch 9d5e…:2: Invalid signature`, with where and the verifier's code. */
export function problemLines(steps: readonly RecordedStep[]): string {
  return steps
    .map(({ entry, problem, step }) => {
      if (problem === null) return '';
      const [run = '', number = '?'] = String(entry.payload.id).slice(0, 81).split(':');
      const message = problem.message.replace(`${entry.kind}: `, '');
      const mark = step === null ? '✗' : '?';
      return `${mark} Patch ${harmless(run.slice(0, 16))}:${harmless(number)}: ${harmless(message)} (${entry.kind}, entry ${entry.seq}, ${problem.code})\n`;
    })
    .join('');
}

export function patchName({ run, number }: PatchId): string {
  return `${run.slice(0, 16)}:${number}`;
}
