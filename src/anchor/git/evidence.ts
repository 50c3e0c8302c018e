// What a ledger's repository really holds, as data that a pure check can hold against the ledger: where the refs stand,
// and every commit that they lead to, with its files. Nothing is trusted and everything is bounded.
import { join } from 'node:path';
import { encodeGitCommit, type GitEnd } from '../../format/index.ts';
import type { GitEvidence, GitEvidenceCommit } from '../../verify/index.ts';
import { problemOf } from './git-problem.ts';
import { ObjectReader, type ReadObject } from './object-reader.ts';
import { gitDirectory, isGitId, readRefs, readSettings } from './repository.ts';
import { readWritten } from './written.ts';

export interface EvidenceLimits {
  readonly commits: number;
  readonly bytes: number;
  readonly timeoutMs: number;
}

const LIMITS: EvidenceLimits = { commits: 100_000, bytes: 256 * 1024 * 1024, timeoutMs: 60_000 };
/** Steps back from where git could not go on. */
const MOST_ROUNDS = 64;
const MOST_FILES = 8;
const LONGEST_FILE = 256;
const LONGEST_MESSAGE = 200;

/**
 * Undefined where there is no repository. To be read before the entries are: a commit is made after its entry. Never
 * rejects; what can't be read is said in it.
 */
export async function readGitEvidence(
  ledger: string,
  limits: Partial<EvidenceLimits> = {},
): Promise<GitEvidence | undefined> {
  const bounds = { ...LIMITS, ...limits };
  const git = gitDirectory(ledger);
  let end: GitEnd = 'merge';
  let refs = new Map<string, string>();
  let written = new Map<string, string>();
  try {
    const settings = readSettings(git);
    if (settings === undefined) return undefined;
    end = settings.end;
    // This first: it never tells of more than the refs did then.
    const last = readWritten(git);
    if (last !== undefined) written = new Map(Object.entries(last.ids));
    refs = readRefs(git);
    const reader = new ObjectReader(ledger, join(git, 'objects'), bounds);
    try {
      const commits = await readCommits(reader, [...new Set(refs.values())].filter(isGitId), bounds.commits);
      const unreadable =
        commits === undefined ? `the git repository has more than ${bounds.commits} commits` : null;
      return { end, refs, commits: commits ?? new Map(), written, unreadable };
    } finally {
      reader.close();
    }
  } catch (error) {
    return { end, refs, commits: new Map(), written, unreadable: problemOf(error).message };
  }
}

interface Parsed extends Omit<GitEvidenceCommit, 'files'> {
  readonly tree: string;
}

/** Undefined where there are more than `most`. */
async function readCommits(
  reader: ObjectReader,
  tips: readonly string[],
  most: number,
): Promise<Map<string, GitEvidenceCommit> | undefined> {
  const parsed = new Map<string, Parsed>();
  const asked = new Set<string>(tips);
  for (const id of tips.length === 0 ? [] : await reader.commitsTo(tips, most + 1)) asked.add(id);
  let wanted = [...asked];
  for (let round = 0; wanted.length > 0 && round < MOST_ROUNDS; round++) {
    if (asked.size > most) return undefined;
    for (const [id, object] of await reader.read(wanted)) {
      if (object.type === 'commit') parsed.set(id, parseCommit(object.bytes));
    }
    // Git stops at what is missing; what lies behind is found by name.
    const parents = wanted.flatMap((id) => parsed.get(id)?.parents ?? []);
    wanted = [...new Set(parents)].filter((id) => !asked.has(id));
    for (const id of wanted) asked.add(id);
  }
  const trees = await reader.read([...new Set([...parsed.values()].map(({ tree }) => tree))].filter(isGitId));
  const lists = new Map([...trees].map(([id, object]) => [id, parseTree(object)]));
  const blobs = await reader.read([
    ...new Set([...lists.values()].flatMap((list) => (list ?? []).map(([, id]) => id))),
  ]);
  const commits = new Map<string, GitEvidenceCommit>();
  for (const [id, { tree, ...commit }] of parsed) {
    const { files, fault } = filesOf(lists.get(tree), blobs);
    commits.set(id, { ...commit, files, fault: commit.fault ?? fault });
  }
  return commits;
}

const COMMIT =
  /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author ([^\n<]*) <[^\n>]*> ([0-9]{1,15}) [^\n]*\n/;

/** One that is not in the story's form is read as far as can be, and says so. */
function parseCommit(bytes: Buffer): Parsed {
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, 65_536));
  const [, tree = '', before = '', author = '', seconds = '0'] = COMMIT.exec(text) ?? [];
  const parents = before.split('\n').flatMap((line) => (line === '' ? [] : [line.slice('parent '.length)]));
  const body = text.indexOf('\n\n');
  const message = body < 0 ? '' : text.slice(body + 2).replace(/\n$/, '');
  const time = Number(seconds);
  const isPlain = encodeGitCommit({ author, time, message }, tree, parents) === text;
  return {
    tree,
    parents,
    author: author.slice(0, LONGEST_MESSAGE),
    time,
    message: message.slice(0, LONGEST_MESSAGE),
    fault: isPlain ? null : "it doesn't have the form of Counterfoil's commits",
  };
}

type TreeList = readonly (readonly [name: string, id: string])[];

/** Undefined where it is not a few plain files. */
function parseTree({ type, bytes }: ReadObject): TreeList | undefined {
  if (type !== 'tree') return undefined;
  const list: [string, string][] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end + 21 > bytes.length || list.length >= MOST_FILES) return undefined;
    const [mode = '', name = ''] = bytes.toString('latin1', at, Math.min(end, at + LONGEST_FILE)).split(' ');
    if (mode !== '100644') return undefined;
    list.push([name, bytes.toString('hex', end + 1, end + 21)]);
    at = end + 21;
  }
  return list;
}

function filesOf(
  list: TreeList | undefined,
  blobs: ReadonlyMap<string, ReadObject>,
): Pick<GitEvidenceCommit, 'files' | 'fault'> {
  if (list === undefined) return { files: {}, fault: "its tree can't be read" };
  let fault: string | null = null;
  const files = list.map(([name, id]) => {
    const blob = blobs.get(id);
    if (blob === undefined) fault = `${name} can't be read`;
    return [name, (blob?.bytes.toString('latin1', 0, LONGEST_FILE) ?? '').replace(/\n$/, '')] as const;
  });
  return { files: Object.fromEntries(files), fault };
}
