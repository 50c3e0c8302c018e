// The diff of a whole session: for each file that its entries say it changed, the text before, from the commit that it began at,
// and the text after, from a commit that the ledger names, or from the work tree. A text whose hash is on record is looked for
// first. Texts are redacted as they were before they were hashed, so nothing is shown that the recorder would have taken out.
import { sha256, utf8Encode } from '#platform';
import { parseYaml, readConfig } from '../../config/index.ts';
import { contentCommitment, contentKey, encodeHex } from '../../core/index.ts';
import {
  type Changes,
  type FileChange,
  LONGEST_CHANGED,
  MOST_CHANGED,
  type NamedCommit,
} from '../../format/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import { contentReader, readEntry, readSalt, type Session } from '../../report/index.ts';
import { type FileText, type GitTexts, openGitTexts } from './git-texts.ts';
import { named, type ToldChanges, type Touched, toldChanges } from './touched-files.ts';

export interface ChangesOptions {
  /** The first entry of the next session in the same folder: it says where HEAD was then. */
  readonly next: number | null;
  /** Whether a file of the work tree is shown although no hash says that the session left it so. */
  readonly unrecorded: boolean;
}

/** Of all texts together, in UTF-16 units. */
const MOST_TEXT = 4_000_000;
const NOT_KEPT =
  'The bytes that it had after the session are not here: no commit that the ledger names has them.';
const GONE =
  'The bytes that the session wrote last are gone: neither git nor the work tree has a text with the recorded hash.';
const PRINTED = /\[[^\][\n"]{1,200} ([0-9a-f]{7,64})\] /g;

/** The session of the same folder that began first after this one ended. */
export function nextInFolder(sessions: readonly Session[], session: Session): number | null {
  const later = sessions.filter(
    ({ workspace_root: root, first_seq: first }) =>
      root === session.workspace_root && first > session.last_seq,
  );
  return later.length === 0 ? null : Math.min(...later.map(({ first_seq: first }) => first));
}

export async function sessionChanges(
  ledger: Ledger,
  located: Located,
  session: Session,
  options: ChangesOptions,
): Promise<Changes> {
  const told = await toldChanges(ledger, session);
  const root = session.workspace_root;
  const files = [...told.files].map(([path, touched]) => ({ path, touched }));
  const none = (why: string): Changes => ({
    before: told.base,
    after: null,
    files: [],
    absent: files.slice(0, MOST_CHANGED).map(({ path }) => ({ path, why })),
    more: Math.max(0, files.length - MOST_CHANGED),
  });
  const git = root === null ? undefined : openGitTexts(root);
  if (git === undefined || root === null) return none('The session’s folder isn’t a git repository here.');
  if (told.base === null) return none('The session didn’t record the commit that it began at.');
  if ((await git.resolve(told.base.commit)) === undefined)
    return none('The commit that the session began at is not in the repository any more.');
  const after = await commitAfter(git, ledger, located, session, told, options.next);
  const texts = await textsOf(git, root, told.base, after, files);
  const salt = (await readSalt(ledger, session.id)) ?? null;
  const found: FileChange[] = [];
  const absent: Absent[] = [];
  let room = MOST_TEXT;
  for (const each of texts) {
    const { path } = each;
    const chosen = 'why' in each ? each : choose(each, salt, options.unrecorded);
    const length = 'why' in chosen ? 0 : (chosen.before?.length ?? 0) + (chosen.after?.length ?? 0);
    if (found.length + absent.length >= MOST_CHANGED) break;
    if ('why' in chosen) absent.push({ path, why: chosen.why });
    else if (length > room) absent.push({ path, why: 'There is too much text to show all of it.' });
    else {
      room -= length;
      found.push(chosen);
    }
  }
  return {
    before: told.base,
    after,
    files: found,
    absent,
    more: texts.length - found.length - absent.length,
  };
}

/** The last commit that the session tells of. Where it tells of none, that at which the next one began. */
async function commitAfter(
  git: GitTexts,
  ledger: Ledger,
  located: Located,
  session: Session,
  { base, commit, outputs }: ToldChanges,
  next: number | null,
): Promise<NamedCommit | null> {
  const isLater = async (hash: string | undefined): Promise<boolean> =>
    hash !== undefined && hash !== base?.commit && (await git.goesOnFrom(base?.commit ?? hash, hash));
  if (commit !== null && (await isLater(await git.resolve(commit.commit)))) return commit;
  const read = contentReader(ledger, located);
  for (const { seq, ref } of outputs) {
    const content = await read(session.id, ref, ref.bytes);
    if (content.state !== 'kept') continue;
    for (const [, printed = ''] of [
      ...Buffer.from(content.bytes).toString('utf8').matchAll(PRINTED),
    ].reverse()) {
      const hash = await git.resolve(printed);
      if (hash !== undefined && (await isLater(hash))) return { commit: hash, how: 'output', seq };
    }
  }
  const start = next === null ? undefined : await readEntry(ledger.store, next);
  const head = start === undefined ? null : named(start.payload.base, 'next', start.seq);
  return head !== null && (await isLater(await git.resolve(head.commit))) ? head : null;
}

interface Texts {
  readonly path: string;
  readonly touched: Touched;
  readonly before: string | null;
  /** Undefined where no commit is named. */
  readonly committed: FileText | undefined;
  readonly tree: FileText;
}

interface Absent {
  readonly path: string;
  readonly why: string;
}

async function textsOf(
  git: GitTexts,
  root: string,
  base: NamedCommit,
  after: NamedCommit | null,
  files: readonly { readonly path: string; readonly touched: Touched }[],
): Promise<readonly (Texts | Absent)[]> {
  const clean = cleaner(root);
  const own = files.filter(({ path }) => isOwn(path)).slice(0, MOST_CHANGED);
  const paths = own.map(({ path }) => path);
  const old = await git.texts(base.commit, paths);
  const committed = after === null ? [] : await git.texts(after.commit, paths);
  const known = new Map<string, Texts | Absent>();
  for (const [i, { path, touched }] of own.entries()) {
    const before = clean(old[i] ?? { text: null });
    const later = committed[i];
    known.set(
      path,
      'why' in before
        ? { path, why: before.why }
        : {
            path,
            touched,
            before: before.text,
            committed: later === undefined ? undefined : clean(later),
            tree: clean(git.inTree(path)),
          },
    );
  }
  return files.map(({ path }) => known.get(path) ?? { path, why: 'It is outside the session’s folder.' });
}

/** In the folder, and nothing that git would take for more than one name. */
function isOwn(path: string): boolean {
  return (
    !/^[/~]|^[A-Za-z]:|[\n\0]/.test(path) && !path.split('/').some((part) => part === '..' || part === '.git')
  );
}

function cleaner(root: string): (found: FileText) => FileText {
  let redactor: ReturnType<typeof makeRedactor>;
  try {
    redactor = makeRedactor(readConfig(root, parseYaml, { links: false }).redact);
  } catch {
    redactor = makeRedactor();
  }
  return (found) => {
    if ('why' in found || found.text === null) return found;
    const text = redactor.text(found.text.toWellFormed());
    return text.length > LONGEST_CHANGED ? { why: 'It is larger than 256 kB.' } : { text };
  };
}

/**
 * What has the recorded hash. Where none was recorded, what the commit has; else, where that is wanted, what the work tree has.
 */
function choose(
  { path, touched, before, committed, tree }: Texts,
  salt: Uint8Array | null,
  unrecorded: boolean,
): FileChange | { readonly why: string } {
  const change = (
    { text: after }: { readonly text: string | null },
    from: FileChange['from'],
    key: string | null = null,
  ): FileChange => ({ path, before, after, from, key });
  const { hash, isDeleted } = touched;
  for (const [found, from] of [
    [committed, 'commit'],
    [tree, 'tree'],
  ] as const) {
    if (found === undefined || !('text' in found) || found.text === null || hash === null) continue;
    const opened = openedBy(found.text, hash, salt);
    if (opened !== undefined) return change(found, from, opened);
  }
  if (hash !== null) return { why: GONE };
  // A file that the session wrote, and that a commit doesn't have, was never committed.
  const isThere = (found: FileText | undefined): found is { readonly text: string | null } =>
    found !== undefined && 'text' in found && (found.text !== null || isDeleted);
  if (isThere(committed)) return change(committed, 'commit');
  if (unrecorded && isThere(tree)) return change(tree, 'tree');
  const why = [committed, tree].find((found) => found !== undefined && 'why' in found);
  return { why: why !== undefined && 'why' in why ? why.why : NOT_KEPT };
}

/** The key that shows that the text has the hash; null where it is plain; undefined where it doesn't. */
function openedBy(text: string, hash: string, salt: Uint8Array | null): string | null | undefined {
  const bytes = utf8Encode(text);
  if (contentCommitment('sha256', null, bytes) === hash) return null;
  if (salt === null || contentCommitment('keyed-sha256', salt, bytes) !== hash) return undefined;
  return encodeHex(contentKey(salt, sha256(bytes)));
}
