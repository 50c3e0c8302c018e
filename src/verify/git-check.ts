// Does the git repository tell the same story as the ledger? What its refs lead to was read by somebody and is given as
// plain data; what they must lead to follows from the entries. A repository that lags says nothing against the ledger:
// that is unknown. One that holds another story, a branch that was moved or a commit that is not from the ledger fails.
//
// Ids are SHA-1, so equality of ids is not enough where it matters: the reader has hashed what it read, and what is
// hashed here are the ledger's own words.
import { type Entry, type GitCommit, type GitEnd, GitIds, GitStory } from '../format/index.ts';
import type { Findings } from './findings.ts';

export interface GitEvidenceCommit {
  /** By id, the first one first. */
  readonly parents: readonly string[];
  readonly author: string;
  readonly time: number;
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
  /** What is wrong with it: something it leads to is missing, or it is not of the story's form. Null: nothing. */
  readonly fault: string | null;
}

/** What a repository held at one moment. It must be read before the entries are: these come first. */
export interface GitEvidence {
  readonly end: GitEnd;
  /** Where the refs of the story stand. */
  readonly refs: ReadonlyMap<string, string>;
  /** Everything that these lead to, by id. */
  readonly commits: ReadonlyMap<string, GitEvidenceCommit>;
  /** Where its writer left the refs when it wrote last, if that is known. */
  readonly written: ReadonlyMap<string, string>;
  /** Why it could not be read, or not all of it. Null: all was. */
  readonly unreadable: string | null;
}

interface Line {
  /** Ids, the oldest first, as the ref leads to them. */
  readonly chain: readonly string[];
  readonly tip: string;
  /** How many of them were found to be the story's. */
  matched: number;
  /** It holds another story from here on; nothing more is said of it. */
  isOther: boolean;
  missing: number;
  firstMissing: GitCommit | undefined;
  /** What is missing was there. */
  isBack: boolean;
}

const ARCHIVE = 'refs/archive/';
const ID = /^[0-9a-f]{40}$/;

export class GitCheck {
  readonly #evidence: GitEvidence;
  readonly #findings: Findings;
  readonly #story: GitStory;
  readonly #ids = new GitIds();
  readonly #lines = new Map<string, Line>();
  readonly #archived = new Set<string>();
  #lost: { readonly first: GitCommit; count: number } | undefined;
  #compared = 0;

  constructor(evidence: GitEvidence, findings: Findings) {
    this.#evidence = evidence;
    this.#findings = findings;
    this.#story = new GitStory(evidence.end);
    if (evidence.unreadable !== null) findings.add('GIT_UNREADABLE', null, evidence.unreadable, 'git');
    for (const [ref, tip] of evidence.refs) if (!ref.startsWith(ARCHIVE)) this.#open(ref, tip);
  }

  /** Commits that were found where they must be. */
  get compared(): number {
    return this.#compared;
  }

  /** In the order of the ledger; entries of GIT_KINDS are enough. */
  entry(entry: Entry): void {
    for (const commit of this.#story.add(entry)) this.commit(commit);
  }

  /** In the order of the story. */
  commit(commit: GitCommit): void {
    const { id } = this.#ids.add(commit);
    this.#compare(commit, id);
    if (commit.archive !== null) this.#archive(commit, commit.archive, id);
  }

  finish(): void {
    for (const [ref, line] of this.#lines) this.#finishLine(ref, line);
    for (const [ref, id] of this.#evidence.refs) {
      if (!ref.startsWith(ARCHIVE) || this.#archived.has(ref)) continue;
      this.#findings.add(
        'GIT_EXTRA_COMMIT',
        null,
        `${ref} names ${id}, but no session ended there`,
        `git/${ref}`,
      );
    }
    if (this.#lost !== undefined && this.#evidence.unreadable === null) {
      const { first, count } = this.#lost;
      this.#findings.add('GIT_COMMIT_MISSING', first.seq, lags(count, first, 'the archive'), 'git');
    }
  }

  #open(ref: string, tip: string): void {
    const { chain, lost } = chainTo(this.#evidence, tip);
    const line = newLine(tip, chain);
    this.#lines.set(ref, line);
    if (lost === undefined) return;
    line.isOther = true;
    const file = `git/${ref}`;
    if (!ID.test(tip))
      this.#findings.add('GIT_BRANCH_MOVED', null, `${short(ref)} leads to no commit: ${tip}`, file);
    else if (this.#evidence.unreadable === null)
      this.#findings.add('GIT_UNREADABLE', null, `${short(ref)}: commit ${lost} can't be read`, file);
  }

  #compare(commit: GitCommit, id: string): void {
    let line = this.#lines.get(commit.ref);
    if (line === undefined) {
      line = newLine('', []);
      this.#lines.set(commit.ref, line);
    }
    if (line.isOther) return;
    const found = line.chain[line.matched];
    if (found === id) {
      line.matched++;
      this.#compared++;
      const fault = this.#evidence.commits.get(id)?.fault ?? null;
      if (fault !== null)
        this.#findings.add('GIT_UNREADABLE', commit.seq, `${nameOf(commit)}: ${fault}`, `git/${commit.ref}`);
    } else if (found === undefined) {
      line.missing++;
      line.firstMissing ??= commit;
      if (this.#evidence.written.get(commit.ref) === id) line.isBack = true;
    } else {
      line.isOther = true;
      this.#differs(commit, found, line);
    }
  }

  #differs(commit: GitCommit, id: string, line: Line): void {
    const found = this.#evidence.commits.get(id);
    const file = `git/${commit.ref}`;
    const [other] =
      [...this.#lines].find(([ref, { chain }]) => ref !== commit.ref && chain.includes(id)) ?? [];
    if (other !== undefined || found === undefined || (found.fault !== null && line.matched === 0)) {
      const where = other === undefined ? line.tip : `what ${short(other)} has`;
      const text = `${short(commit.ref)} was moved to ${where}; it should be at ${nameOf(commit)}`;
      this.#findings.add('GIT_BRANCH_MOVED', commit.seq, text, file);
      return;
    }
    this.#findings.add('GIT_COMMIT_DIFFERS', commit.seq, differenceOf(commit, found, id), file);
  }

  #archive(commit: GitCommit, ref: string, id: string): void {
    const found = this.#evidence.refs.get(ref);
    this.#archived.add(ref);
    if (found === undefined) {
      this.#lost ??= { first: commit, count: 0 };
      this.#lost.count++;
    } else if (found !== id) {
      const text = `${ref} was moved to ${found}; it should be at ${nameOf(commit)}`;
      this.#findings.add('GIT_BRANCH_MOVED', commit.seq, text, `git/${ref}`);
    }
  }

  #finishLine(ref: string, line: Line): void {
    const { chain, matched, isOther, missing, firstMissing, isBack } = line;
    const file = `git/${ref}`;
    if (isOther) return;
    const unread = this.#evidence.unreadable !== null;
    if (firstMissing !== undefined && isBack && !unread) {
      const how = chain.length === 0 ? 'was removed' : 'was moved back';
      const text = `${short(ref)} ${how}: it had ${nameOf(firstMissing)}`;
      this.#findings.add('GIT_BRANCH_MOVED', firstMissing.seq, text, file);
    } else if (firstMissing !== undefined && !unread) {
      this.#findings.add(
        'GIT_COMMIT_MISSING',
        firstMissing.seq,
        lags(missing, firstMissing, short(ref)),
        file,
      );
    }
    const extra = chain.length - matched;
    if (extra > 0) {
      const first = chain[matched] ?? '';
      const text = `${short(ref)} continues with ${extra} ${extra === 1 ? 'commit' : 'commits'} that the ledger doesn't know, first ${first} (${this.#evidence.commits.get(first)?.message ?? 'unreadable'})`;
      this.#findings.add('GIT_EXTRA_COMMIT', null, text, file);
    }
  }
}

function newLine(tip: string, chain: readonly string[]): Line {
  return { tip, chain, matched: 0, isOther: false, missing: 0, firstMissing: undefined, isBack: false };
}

/**
 * By first parents to the beginning, the oldest first; `lost` is a commit on the way that was not read. The first merge
 * into main has one parent, which is of a branch: main's own line ends there.
 */
function chainTo({ commits }: GitEvidence, tip: string): { chain: string[]; lost: string | undefined } {
  const chain: string[] = [];
  const seen = new Set<string>();
  let id: string | undefined = tip;
  while (id !== undefined && !seen.has(id)) {
    const commit = commits.get(id);
    if (commit === undefined) return { chain: chain.reverse(), lost: id };
    seen.add(id);
    chain.push(id);
    id = commit.message.startsWith('merge:') && commit.parents.length === 1 ? undefined : commit.parents[0];
  }
  return { chain: chain.reverse(), lost: undefined };
}

function lags(count: number, first: GitCommit, where: string): string {
  return `${where} lags behind: ${count} ${count === 1 ? 'commit is' : 'commits are'} missing, first ${nameOf(first)}; the next \`foil anchor git\` adds ${count === 1 ? 'it' : 'them'}`;
}

function differenceOf(commit: GitCommit, found: GitEvidenceCommit, id: string): string {
  const isSame = found.message === commit.message && found.author === commit.author;
  if (!isSame) {
    return `in place of ${nameOf(commit)}, ${short(commit.ref)} has ${id} (${found.message} of ${found.author})`;
  }
  const names = [...new Set([...Object.keys(commit.files), ...Object.keys(found.files)])];
  const different = names.filter((name) => commit.files[name] !== found.files[name]);
  const what =
    different.length > 0
      ? different.join(', ')
      : found.time !== commit.time
        ? 'the time'
        : (found.fault ?? 'what comes before it');
  return `${nameOf(commit)} in ${short(commit.ref)} differs from the ledger: ${what} (${id})`;
}

function nameOf({ message, session, kind }: GitCommit): string {
  return kind === 'interaction'
    ? `${message} of session ${session.slice(0, 16)}`
    : `the ${kind === 'merge' ? 'merge' : 'end'} of session ${session.slice(0, 16)}`;
}

function short(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}
