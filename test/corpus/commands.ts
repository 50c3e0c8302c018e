/**
 * The labelled commands: a command line, what it printed, how it ended, what was changed in the session, and what
 * each validator ought to say of it. commands.md tells what the labels mean. The lines are data written by hand and
 * by real runners: every field is looked at before a test may use it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unpackHeldOut } from './corpus.ts';

export const REASONS = [
  'not-a-check',
  'masked',
  'background',
  'dry-run',
  'shadowed',
  'nothing-ran',
  'only-skips',
  'failed',
  'unknown-exit',
  'no-summary',
  'another-target',
  'another-directory',
  'deselected',
] as const;

export const VALIDATORS = ['test_pass', 'command_zero_exit'] as const;

export type Reason = (typeof REASONS)[number];
export type Expected = 'pass' | Reason;
export type CommandValidator = (typeof VALIDATORS)[number];

export interface CommandCase {
  readonly id: string;
  readonly tags: readonly string[];
  readonly command: string;
  /** Where the shell was, relative to the root of the workspace; empty for the root. */
  readonly cwd: string;
  /** null: the host gave no exit code. */
  readonly exit: number | null;
  readonly output: string;
  readonly changed: readonly string[];
  readonly prompt: string | null;
  readonly expect: Readonly<Record<CommandValidator, Expected>>;
  /** Other reasons that are right as well. Never a pass. */
  readonly also: Readonly<Record<CommandValidator, readonly Reason[]>>;
  readonly note: string;
}

export const HELD_OUT_COMMANDS = 'commands.held-out.jsonl';

/** How many cases there are, open and held out together. Ids run from c-0001 without a gap. */
export const TOTAL = 621;

const KEYS = [
  'id',
  'tags',
  'command',
  'cwd',
  'exit',
  'output',
  'changed',
  'prompt',
  'expect',
  'also',
  'note',
];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const isReason = (value: unknown): value is Reason => REASONS.some((reason) => reason === value);
const isExpected = (value: unknown): value is Expected => value === 'pass' || isReason(value);

/** One line of the file. Throws an Error that names the field. */
export function parseCommandCase(line: string): CommandCase {
  const raw: unknown = JSON.parse(line);
  if (!isRecord(raw)) throw new Error('a case is an object');
  const fail = (field: string): never => {
    throw new Error(`${String(raw.id)}: ${field}`);
  };
  const text = (field: string): string => {
    const value = raw[field];
    return typeof value === 'string' ? value : fail(field);
  };
  const texts = (field: string): string[] => {
    const value = raw[field];
    return isTexts(value) ? value : fail(field);
  };
  const { exit, prompt, expect, also = {} } = raw;
  if (Object.keys(raw).some((key) => !KEYS.includes(key))) fail('unknown field');
  if (exit !== null && !Number.isInteger(exit)) fail('exit');
  if (prompt !== null && typeof prompt !== 'string') fail('prompt');
  if (!isRecord(expect) || !isRecord(also)) return fail('expect');
  const expected = (validator: CommandValidator): Expected => {
    const value = expect[validator];
    return isExpected(value) ? value : fail(`expect.${validator}`);
  };
  const others = (validator: CommandValidator): Reason[] => {
    const value = also[validator] ?? [];
    return Array.isArray(value) && value.every(isReason) ? value : fail(`also.${validator}`);
  };
  return {
    id: text('id'),
    tags: texts('tags'),
    command: text('command'),
    cwd: text('cwd'),
    exit: exit as number | null,
    output: text('output'),
    changed: texts('changed'),
    prompt: prompt as string | null,
    expect: { test_pass: expected('test_pass'), command_zero_exit: expected('command_zero_exit') },
    also: { test_pass: others('test_pass'), command_zero_exit: others('command_zero_exit') },
    note: text('note'),
  };
}

/** The open cases beside this file, or those of the held-out third. */
export function readCommandCases(part: 'open' | 'held out' = 'open'): CommandCase[] {
  const text =
    part === 'open'
      ? readFileSync(new URL('commands.jsonl', import.meta.url), 'utf8')
      : unpackHeldOut(HELD_OUT_COMMANDS).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseCommandCase);
}

/** Is what a validator said of this case right? A refusal is right with the label's reason or one as good. */
export function agrees(kase: CommandCase, validator: CommandValidator, said: Expected): boolean {
  if (said === kase.expect[validator]) return true;
  return said !== 'pass' && kase.also[validator].includes(said);
}

/** The ids of the third that is held out: the first of all ids in the order of their SHA-256. */
export function heldOutIds(total: number = TOTAL): Set<string> {
  const digest = (id: string): string => createHash('sha256').update(id).digest('hex');
  const ids = Array.from({ length: total }, (_, index) => `c-${String(index + 1).padStart(4, '0')}`);
  const order = ids.map((id) => ({ id, hex: digest(id) })).sort((a, b) => (a.hex < b.hex ? -1 : 1));
  return new Set(order.slice(0, Math.floor(total / 3)).map(({ id }) => id));
}
