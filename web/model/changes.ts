// The diff of a whole session, held against what its entries recorded. Texts come from git or from the work tree, so they are
// believed only as far as a recorded hash goes: that of the text after.
import { isObject } from '../../src/core/index.ts';
import {
  type Changes,
  type Entry,
  type FileChange,
  parseChanges,
  wronglyNamed,
} from '../../src/format/index.ts';
import { diffHunks, type Hunk } from '../../src/report/unified-diff.ts';

/**
 * `recorded`: the text after has the hash that the newest entry about the file recorded. `other`: it has another one. `open`: no
 * hash was recorded.
 */
export type Held = 'recorded' | 'other' | 'open';

export interface ShownChange {
  readonly file: FileChange;
  readonly held: Held;
  /** The newest entry that changed the file; null where none names it. */
  readonly seq: number | null;
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

/**
 * Of a report: undefined where it has none; a text where it can't be shown. Throws ParseError for one that no recorder wrote:
 * then the whole file isn't a report.
 */
export function readDiff(
  bytes: Uint8Array | undefined,
  entries: readonly Entry[],
): Changes | string | undefined {
  if (bytes === undefined) return undefined;
  const changes = parseChanges(bytes);
  const wrong = wronglyNamed(changes, entries);
  return wrong === null
    ? changes
    : `The diff in this file is wrong, so it is not shown: ${wrong}. It is not part of the run that was checked.`;
}

interface Recorded {
  readonly seq: number;
  readonly op: string;
  readonly hash: string | null;
}

export async function shownChanges(
  { files }: Changes,
  entries: readonly Entry[],
  root: string | null,
): Promise<ShownChange[]> {
  const recorded = recordedFiles(entries, root);
  return Promise.all(
    files.map(async (file) => {
      const found = recorded.get(file.path);
      const hunks = diffHunks(file.before, file.after);
      const count = (sign: string): number =>
        hunks.reduce((sum, { steps }) => sum + steps.filter((step) => step.sign === sign).length, 0);
      return {
        file,
        held: await heldAgainst(file, found),
        seq: found?.seq ?? null,
        hunks,
        added: count('+'),
        removed: count('-'),
      };
    }),
  );
}

const CHANGING: ReadonlySet<string> = new Set(['write', 'edit', 'delete']);

function recordedFiles(entries: readonly Entry[], root: string | null): ReadonlyMap<string, Recorded> {
  const files = new Map<string, Recorded>();
  for (const { kind, seq, payload } of entries) {
    if (kind !== 'tool.result' || !Array.isArray(payload.files)) continue;
    if (payload.result !== undefined && payload.result !== 'ok') continue;
    for (const file of payload.files) {
      if (!isObject(file) || typeof file.path !== 'string' || !CHANGING.has(String(file.op))) continue;
      const path =
        root !== null && file.path.startsWith(`${root}/`) ? file.path.slice(root.length + 1) : file.path;
      files.set(path, { seq, op: String(file.op), hash: typeof file.hash === 'string' ? file.hash : null });
    }
  }
  return files;
}

async function heldAgainst({ after, key }: FileChange, recorded: Recorded | undefined): Promise<Held> {
  if (recorded === undefined) return 'open';
  if (recorded.op === 'delete') return after === null ? 'recorded' : 'other';
  if (recorded.hash === null || after === null) return 'open';
  const bytes = new TextEncoder().encode(after);
  return (await hashOf(bytes, key)) === recorded.hash ? 'recorded' : 'other';
}

/** HMAC under the key that opens it, or plain SHA-256. */
async function hashOf(bytes: Uint8Array<ArrayBuffer>, key: string | null): Promise<string> {
  const { subtle } = crypto;
  if (key === null) return hex(await subtle.digest('SHA-256', bytes));
  const raw = Uint8Array.from(key.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const opened = await subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return hex(await subtle.sign('HMAC', opened, bytes));
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
