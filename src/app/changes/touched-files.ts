// What the entries of a session say of the files that it changed: which, by which entry, with which hash; and the commits that
// they name. Nothing is looked at but the ledger.
import { isObject, type Json } from '../../core/index.ts';
import { type ContentRef, type Entry, isGitHash, type NamedCommit } from '../../format/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { parseLine, refOf, type Session, scanLines } from '../../report/index.ts';

export interface Touched {
  /** The newest entry that changed it. */
  readonly seq: number;
  readonly isDeleted: boolean;
  /** Of its bytes after that; null where nobody recorded it. */
  readonly hash: string | null;
}

export interface ToldChanges {
  /** HEAD when the session began. */
  readonly base: NamedCommit | null;
  /** The last one that an entry of kind `commit` names. */
  readonly commit: NamedCommit | null;
  /** By their paths from the session's folder, as far as they are in it. */
  readonly files: ReadonlyMap<string, Touched>;
  /** What commands printed, the newest first. */
  readonly outputs: readonly { readonly seq: number; readonly ref: ContentRef }[];
}

/** `git commit` prints few words. */
const LONGEST_OUTPUT = 65_536;
const MOST_OUTPUTS = 200;
const LOOKED_AT: ReadonlySet<string> = new Set(['session.start', 'tool.result', 'validation', 'commit']);
const CHANGING: ReadonlySet<string> = new Set(['write', 'edit', 'delete']);

export async function toldChanges({ store }: Ledger, session: Session): Promise<ToldChanges> {
  let base: NamedCommit | null = null;
  let commit: NamedCommit | null = null;
  const files = new Map<string, Touched>();
  const outputs: { seq: number; ref: ContentRef }[] = [];
  const root = session.workspace_root;
  for await (const lines of scanLines(store, session.first_seq, session.last_seq))
    for (const line of lines) {
      if (line.session !== session.id || !LOOKED_AT.has(line.kind)) continue;
      const entry = parseLine(line);
      if (entry === undefined) continue;
      const { kind, seq, payload } = entry;
      if (kind === 'session.start') base = named(payload.base, 'start', seq);
      else if (kind === 'commit') commit = named(payload.commit, 'commit', seq) ?? commit;
      else if (kind === 'validation') tookNotice(files, entry, root);
      else {
        changedBy(files, entry, root);
        const ref = payload.exit_code === undefined ? undefined : refOf(payload.output);
        if (ref !== undefined && ref.bytes <= LONGEST_OUTPUT) outputs.push({ seq, ref });
      }
    }
  return { base, commit, files, outputs: outputs.slice(-MOST_OUTPUTS).reverse() };
}

export function named(commit: Json | undefined, how: NamedCommit['how'], seq: number): NamedCommit | null {
  return typeof commit === 'string' && isGitHash(commit) ? { commit, how, seq } : null;
}

function changedBy(files: Map<string, Touched>, { seq, payload }: Entry, root: string | null): void {
  if (payload.result !== undefined && payload.result !== 'ok') return;
  for (const file of Array.isArray(payload.files) ? payload.files : []) {
    if (!isObject(file) || typeof file.path !== 'string' || !CHANGING.has(String(file.op))) continue;
    files.set(within(file.path, root), {
      seq,
      isDeleted: file.op === 'delete',
      hash: typeof file.hash === 'string' ? file.hash : null,
    });
  }
}

/** Files that the gate saw changed, by a command for example. What a tool says of one says more. */
function tookNotice(files: Map<string, Touched>, { seq, payload }: Entry, root: string | null): void {
  for (const changed of Array.isArray(payload.changed) ? payload.changed : []) {
    if (typeof changed !== 'string') continue;
    const path = within(changed, root);
    if (!files.has(path)) files.set(path, { seq, isDeleted: false, hash: null });
  }
}

/** Tools name files by their whole path and the gate by that from the folder: one key for a file. */
function within(path: string, root: string | null): string {
  return root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
