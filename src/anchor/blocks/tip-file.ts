// `anchor/tip` in a ledger's directory: the newest block that a process of this ledger was given, for the next one,
// which may live for a few milliseconds. Also when none could be had, and what sources did wrong, for people.
// A cache and no evidence: who can write it is in the place of a source, so its block is verified again by who reads
// it, and a file that is not exactly ours is as good as none.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, ParseError } from '../../core/index.ts';
import { type BlockFact, encodeBlockFact, parseBlockFact } from '../../format/index.ts';
import { type BlockProblem, MOST_PROBLEMS, type ProblemCode } from './source.ts';

export const TIP_FILE = 'anchor/tip';
const MAX_TIP = 16 * 1024;

export interface Tip {
  readonly network: string;
  /** When sources were last asked and none had a block, in milliseconds since 1970; null where the last had one. */
  readonly failed: number | null;
  readonly seen: Seen | null;
  readonly problems: readonly BlockProblem[];
}

export interface Seen {
  readonly block: BlockFact;
  /** When its source gave it. */
  readonly asked: number;
  readonly source: string;
}

/** Null where there is none, or none that can be understood. Never throws. */
export function readTip(directory: string): Tip | null {
  let fd: number | undefined;
  try {
    fd = openSync(
      join(directory, TIP_FILE),
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    );
    const found = fstatSync(fd);
    if (!found.isFile() || found.size > MAX_TIP) return null;
    return parseTip(readFileSync(fd, 'utf8'));
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whole or not at all. Where it can't be written, the next process asks for itself. Never throws. */
export function writeTip(directory: string, tip: Tip): void {
  const path = join(directory, TIP_FILE);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(join(path, '..'), { mode: 0o700 });
  } catch {
    // There already, or it can't be made, which is found below.
  }
  try {
    writeFileSync(temporary, encodeTip(tip), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    // A full disk or a directory of somebody else's: nothing rests on it.
  }
}

export function encodeTip({ network, failed, seen, problems }: Tip): string {
  const block = seen === null ? null : encodeBlockFact(seen.block);
  const tip = {
    v: 1,
    network,
    failed,
    block,
    asked: seen?.asked ?? null,
    source: seen?.source ?? null,
    problems,
  };
  return `${JSON.stringify(tip)}\n`;
}

/** Throws ParseError. */
export function parseTip(text: string): Tip {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON', TIP_FILE);
  }
  const { v, network, failed, block, asked, source, problems } = object(value);
  if (v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known', TIP_FILE);
  if (!Array.isArray(problems) || problems.length > MOST_PROBLEMS) throw bad('problems');
  return {
    network: word(network, 'network'),
    failed: failed === null ? null : time(failed, 'failed'),
    seen:
      block === null
        ? null
        : {
            block: parseBlockFact(object(block) as JsonObject, 'block'),
            asked: time(asked, 'asked'),
            source: word(source, 'source'),
          },
    problems: problems.map((each: unknown) => {
      const problem = object(each);
      return {
        source: word(problem.source, 'problems'),
        code: word(problem.code, 'problems') as ProblemCode,
        message: word(problem.message, 'problems'),
        at: time(problem.at, 'problems'),
      };
    }),
  };
}

const bad = (name: string): ParseError =>
  new ParseError('BAD_MEMBER', 'not what stands there', `${TIP_FILE}: ${name}`);

function object(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('not a mapping');
  return value as Record<string, unknown>;
}

/** Shown to people: nothing that a terminal would obey. */
function word(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length > 300 || /[\p{Cc}\p{Cf}]/u.test(value)) throw bad(name);
  return value;
}

function time(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw bad(name);
  return value;
}
