// What state the ledger itself is in, without verifying it: can it be written to, sealed, and is anything left over.
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeHex, ParseError } from '../../core/index.ts';
import {
  CHECKPOINT_FILE,
  encodeCheckpointName,
  encodeSegmentName,
  HEAD_FILE,
  LOCK_FILE,
  type Position,
  parseHead,
  SEGMENT_DIR,
  STATE_DIR,
} from '../../format/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import { counted, thousands } from '../../report/index.ts';
import { OsLock, openKeyring, plainly, SECTION } from '../../store/files/index.ts';
import { type Check, fail, ok, warn } from './check.ts';

const MANY_UNSEALED = 10_000;
const FOUND: Readonly<Record<Located['how'], string>> = {
  option: 'given with --ledger',
  environment: 'given with FOIL_LEDGER',
  here: 'in .foil/ here or above',
  project: "this project's, in the state directory",
};

export function checkPlace({ directory, how }: Located): Check {
  return ok('ledger', `${directory} (${FOUND[how]})`);
}

/** The head as it is, or what is wrong with it. Nothing is settled, as an append would do. */
export function readHead({ directory }: Located): Position | string {
  try {
    return parseHead(readFileSync(join(directory, HEAD_FILE)));
  } catch (error) {
    return error instanceof ParseError ? `is damaged (${error.message})` : 'is missing';
  }
}

/** Whether an append would go through. */
export function checkHead(head: Position | string, { directory }: Located): Check {
  if (typeof head === 'string') return warn('head', `${head}; the next append rewrites it.`);
  const { seq, segment, offset } = head;
  const { size } = statSync(join(directory, SEGMENT_DIR, encodeSegmentName(segment)));
  if (size < offset)
    return fail('head', `says the log has ${offset} bytes, but it has only ${size}. Run \`foil verify\`.`);
  if (size > offset)
    return warn(
      'head',
      `${size - offset} bytes of the log come after it, as after a crash; the next append includes them.`,
    );
  return ok('head', `${counted(seq, 'entry', 'entries')}, ready for the next`);
}

/** Whether this user may write to it, and whether another process holds it just now. Nothing is written to find out. */
export function checkWritable({ directory }: Located): Check {
  const name = 'writing';
  for (const part of ['', SEGMENT_DIR, LOCK_FILE, HEAD_FILE, STATE_DIR]) {
    const path = join(directory, part);
    try {
      if (part !== STATE_DIR || existsSync(path)) accessSync(path, constants.W_OK);
    } catch (error) {
      if (part === HEAD_FILE && !existsSync(path)) continue;
      return fail(
        name,
        part === LOCK_FILE && !existsSync(path)
          ? `${path} was removed. End every process that still writes to this ledger, then run \`touch ${path}\`.`
          : `nothing can be recorded: ${plainly(error).message}`,
      );
    }
  }
  return isHeld(join(directory, LOCK_FILE))
    ? warn(
        name,
        `another process is writing to it. If that doesn't end, \`fuser -v ${join(directory, LOCK_FILE)}\` shows which one.`,
      )
    : ok(name, 'this user may write to it');
}

function isHeld(path: string): boolean {
  const lock = new OsLock(path);
  try {
    if (!lock.tryLock(SECTION)) return true;
    lock.unlock(SECTION);
    return false;
  } finally {
    lock.close();
  }
}

export async function checkSeals(ledger: Ledger, { directory }: Located): Promise<Check> {
  const sealed = await ledger.sealed();
  const { seq } = await ledger.store.head();
  if (sealed === undefined) return warn('checkpoint', 'none yet. Run `foil checkpoint`.');
  const { size } = sealed.checkpoint;
  const file = join(directory, 'checkpoints', encodeCheckpointName(size));
  const when = statSync(existsSync(file) ? file : join(directory, CHECKPOINT_FILE)).mtime.toISOString();
  const text = `over ${counted(size, 'entry', 'entries')}, written ${when}; ${thousands(seq - size)} unsealed`;
  return seq - size > MANY_UNSEALED
    ? warn('checkpoint', `${text}: run \`foil checkpoint\`.`)
    : ok('checkpoint', text);
}

export async function checkKey(ledger: Ledger, { keyDirectory }: Located): Promise<Check> {
  const epochs = await ledger.epochs();
  const current = epochs.at(-1)?.key;
  if (current === undefined) return fail('key', "the ledger doesn't name a key.");
  // load refuses one that others can read.
  const signer = await openKeyring(keyDirectory).load(current.name, encodeHex(current.publicKey));
  if (signer === undefined)
    return warn(
      'key',
      `the private key isn't in ${keyDirectory}, so you can write to the ledger here, but not seal it.`,
    );
  return ok(
    'key',
    `${encodeHex(current.publicKey).slice(0, 16)}… in ${keyDirectory}, readable only by its owner`,
  );
}

/** Files that a crash left while being written. Nobody reads them. */
export function checkLeftovers({ directory, keyDirectory }: Located): Check {
  const found: string[] = [];
  for (const root of new Set([directory, keyDirectory])) {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (/\.tmp$|(^|\/)\.doctor-/.test(name)) found.push(join(root, name));
    }
  }
  const [first] = found;
  if (first === undefined) return ok('leftovers', 'none');
  return warn(
    'leftovers',
    `${counted(found.length, 'temporary file')} of an interrupted write, such as ${first}. You can remove ${found.length === 1 ? 'it' : 'them'}.`,
  );
}
