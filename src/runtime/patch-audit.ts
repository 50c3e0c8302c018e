// The audit of a patch: what policy and safety ask of it, before an operator is asked. Each rule says what is violated, in
// words that stand in the ledger. spec/patch.md lists the rules.

import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { sha256Hex } from '#platform';
import { canonicalize, type Json, ParseError } from '../core/index.ts';
import type { AgentInit, PatchProposal, RunToolFact } from '../format/index.ts';
import { OWN_MODULE } from './cell-form.ts';
import type { KeptCode } from './patched-code.ts';
import { changedState } from './patched-state.ts';

export interface AuditedPatch {
  readonly proposal: PatchProposal;
  /** The state that it was made for, as canonical JSON. */
  readonly base: string;
  /** The code in force. */
  readonly code: KeptCode;
  /** What it puts in a module's place; undefined where that is not here. */
  readonly module: string | undefined;
  /** Whether redaction leaves a value as it is. */
  readonly isClean: (value: Json) => boolean;
}

/** What an agent says of itself. */
export interface AgentFacts {
  readonly name: string;
  readonly tools: readonly (Pick<RunToolFact, 'name' | 'pure' | 'idempotent' | 'limits'> & {
    readonly cell: Pick<NonNullable<RunToolFact['cell']>, 'fuel' | 'memoryBytes'> | null;
  })[];
}

/** What it violates; nothing where it passes. */
export async function auditPatch(patch: AuditedPatch): Promise<string[]> {
  const { change } = patch.proposal;
  return [
    ...(change.target === 'state' ? stateViolations(patch) : await moduleViolations(patch)),
    ...secretViolations(patch),
  ];
}

/** `told` is what the patched code says of itself; null where it can't be loaded. */
export function toolViolations({ agent, tools }: AgentInit, told: AgentFacts | null): string[] {
  if (told === null) return ['the patched code gives no agent'];
  const facts = tools.map(({ name, pure, idempotent, limits: { ms, outputBytes }, cell }) => ({
    name,
    pure,
    idempotent,
    limits: { ms, outputBytes },
    cell: cell && { fuel: cell.fuel, memoryBytes: cell.memoryBytes },
  }));
  const text = (value: unknown): string => canonicalize(value as Json);
  if (told.name !== agent) return ['it changes the name of the agent'];
  return text(told.tools) === text(facts)
    ? []
    : ['it changes the tools, their limits, or which of them are pure or idempotent'];
}

function stateViolations({ proposal: { id, change }, base }: AuditedPatch): string[] {
  try {
    changedState(base, { id, change, undo: false });
    return [];
  } catch (error) {
    if (error instanceof ParseError) return [wordsOf(error)];
    throw error;
  }
}

async function moduleViolations({ proposal: { change }, code, module }: AuditedPatch): Promise<string[]> {
  if (change.target !== 'module') return [];
  const { path, from, to } = change;
  const before = Object.hasOwn(code.files, path) ? code.files[path] : undefined;
  if (before === undefined) return ['it names a module that the run does not have'];
  if (sha256Hex(before) !== from) return ["the module that it replaces is not the run's module"];
  if (module === undefined || sha256Hex(module) !== to.hash)
    return ['the new module is missing, or is not the one that it names'];
  await init;
  const [was, is] = [shapeOf(before), shapeOf(module)];
  if (is === null || was === null) return ["the new module isn't an ES module"];
  const lost = was.exports.filter((name) => !is.exports.includes(name));
  const foreign = is.imports.filter((name) => !was.imports.includes(name) && !isKept(name, path, code));
  return [
    ...lost.map((name) => `it no longer exports ${name}`),
    ...foreign.map((name) => `it imports ${name}, which is not kept with the run`),
  ].map((words) => words.slice(0, LONGEST));
}

function isKept(name: string, path: string, { files }: KeptCode): boolean {
  if (isBuiltin(name) || name === OWN_MODULE) return true;
  return /^\.{1,2}\//.test(name) && Object.hasOwn(files, posix.join(posix.dirname(path), name));
}

/** Null for what is none. An import whose name is computed is written as such. */
function shapeOf(text: string): { exports: readonly string[]; imports: readonly string[] } | null {
  try {
    const [imports, exports] = parse(text);
    const names = imports.filter(({ d: at }) => at !== -2).map(({ n: name }) => name ?? 'a computed name');
    return { exports: exports.map(({ n: name }) => name), imports: names };
  } catch {
    return null;
  }
}

function secretViolations({ proposal, module, isClean }: AuditedPatch): string[] {
  return isClean(wordsIn(proposal)) && (module === undefined || isClean(module))
    ? []
    : ['it holds what looks like a secret'];
}

/** All that somebody wrote into a proposal. */
export function wordsIn({ change, tests, reason }: Pick<PatchProposal, 'change' | 'tests' | 'reason'>): Json {
  const { target } = change;
  const changed =
    target === 'state' ? { operations: change.operations, inverse: change.inverse } : change.path;
  return JSON.parse(JSON.stringify({ changed, tests, reason })) as Json;
}

const LONGEST = 1000;

function wordsOf({ message }: Error): string {
  return message.slice(0, LONGEST);
}
