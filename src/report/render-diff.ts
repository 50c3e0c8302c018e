// What `foil diff` prints of two runs.
import type { Json, JsonObject, PatchOperation } from '../core/index.ts';
import {
  DIFF_CAUSES,
  type DiffCall,
  type RunDiff,
  type RunStep,
  type StepDifference,
} from '../runtime/index.ts';
import { counted, harmless } from './text.ts';

/** Operations and calls that are shown of each list; --json has all of them. */
const SHOWN = 20;
const LONGEST = 120;

export function diffJson({ outcome, fork, divergence, unknown, state, tools, causes }: RunDiff): JsonObject {
  return {
    outcome,
    fork,
    divergence: divergence === null ? null : stepsJson(divergence),
    unknown: unknown === null ? null : stepsJson(unknown),
    state: state === null ? null : operationsJson(state),
    tools: {
      only_a: tools.onlyA.map(callJson),
      only_b: tools.onlyB.map(callJson),
      other_output: tools.otherOutput.map(({ a, b }) => ({ ...callJson(a), other_event: b.event })),
      reordered: tools.isReordered,
    },
    began_with: { ...causes },
  };
}

export function diffText(diff: RunDiff): string {
  const { outcome, divergence, unknown, state, tools, causes, fork } = diff;
  const lines: string[] = [];
  if (fork !== null) lines.push(`${fork.toUpperCase()} is a fork, so it is compared from where it begins`);
  if (divergence !== null) lines.push(...divergenceLines(divergence, unknown));
  else if (unknown !== null)
    lines.push(`? From ${where(unknown)} on, the comparison is unknown, because content is missing`);
  else if (outcome === 'same') lines.push('✓ The runs took the same steps and reached the same state');
  else lines.push('✓ The runs took the same steps');
  if (state === null) lines.push('? State: not here');
  else lines.push(...listed('State', state.map(operationText)));
  lines.push(
    ...listed('Calls', [
      ...tools.onlyA.map((call) => `only in A: ${callText(call)}`),
      ...tools.onlyB.map((call) => `only in B: ${callText(call)}`),
      ...tools.otherOutput.map(({ a, b }) => `different output: ${callText(a)}, event ${b.event} of B`),
      ...(tools.isReordered ? ['the same calls, in a different order'] : []),
    ]),
  );
  const different = DIFF_CAUSES.filter((each) => causes[each] === 'different');
  const unclear = DIFF_CAUSES.filter((each) => causes[each] === 'unknown');
  const names = (causesOf: readonly string[]): string => causesOf.join(', ').replaceAll('_', ' ');
  if (different.length > 0) lines.push(`Different to begin with: ${names(different)}`);
  else if (outcome === 'different') lines.push('Different to begin with: nothing that is on record');
  if (unclear.length > 0) lines.push(`Not known to be the same: ${names(unclear)}`);
  return `${lines.join('\n')}\n`;
}

/** `unknown` is the first step that can't be compared: the runs may have parted there already. */
function divergenceLines(found: StepDifference, unknown: StepDifference | null): string[] {
  const { a, b, difference } = found;
  return [
    ...(unknown === null
      ? [`✗ First divergence at ${where(found)}`]
      : [
          `? At ${where(unknown)} they may already differ, but content is missing`,
          `✗ First visible divergence at ${where(found)}`,
        ]),
    `  A: ${stepText(a)}`,
    `  B: ${stepText(b)}`,
    ...(a?.kind === b?.kind ? difference.slice(0, SHOWN).map((each) => `  ${operationText(each)}`) : []),
  ];
}

function where({ a, b }: StepDifference): string {
  const of = (step: RunStep | null, name: string): string =>
    step === null ? `the end of ${name}` : `event ${step.event} of ${name}`;
  return `${of(a, 'A')}, ${of(b, 'B')}`;
}

function stepText(step: RunStep | null): string {
  if (step === null) return 'nothing more';
  return `${step.kind} ${step.content === null ? '(not here)' : short(step.content)}`;
}

function listed(title: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const more = rows.length > SHOWN ? [`  … and ${rows.length - SHOWN} more: see --json`] : [];
  return [
    `${title}: ${counted(rows.length, 'difference')}`,
    ...rows.slice(0, SHOWN).map((row) => `  ${row}`),
    ...more,
  ];
}

function operationText(operation: PatchOperation): string {
  const value = 'value' in operation ? ` ${short(operation.value)}` : '';
  return `${operation.op} ${harmless(operation.path === '' ? '(the whole)' : operation.path)}${value}`;
}

function callText({ event, tool, input }: DiffCall): string {
  return `${harmless(tool)} ${short(input)}, event ${event}`;
}

function short(value: Json): string {
  const text = harmless(JSON.stringify(value));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function stepsJson({ a, b, difference }: StepDifference): JsonObject {
  const step = (each: RunStep | null): JsonObject | null =>
    each === null ? null : { event: each.event, kind: each.kind, content: each.content };
  return { a: step(a), b: step(b), difference: operationsJson(difference) };
}

function operationsJson(operations: readonly PatchOperation[]): JsonObject[] {
  return operations.map((each) => ({ ...each }));
}

function callJson({ event, tool, input }: DiffCall): JsonObject {
  return { event, tool, input };
}
