// Commits that were signed into a run. Each is shown by its object, and nothing else is. Its owner can sign any commit into a run
// later, so that one says nothing of the run unless trees and commits of git show that it holds what the run made, and that
// it goes on from where the run began.
import { ParseError } from '../core/index.ts';
import {
  type Bundle,
  type CommitProof,
  type HarnessPack,
  parseCommitProof,
  readCommit,
  readTree,
  type TreeFile,
} from '../format/index.ts';
import type { BundledLine } from './bundle-entries.ts';
import { recordsOf } from './bundle-facts.ts';
import type { BundleFindings } from './bundle-findings.ts';
import { leadsTo, whyNotHeld } from './commit-holds.ts';

const [COMMITS, TREES] = ['commits/', 'trees/'];

export interface BundledCommit {
  readonly commit: string;
  /** It is shown to hold exactly what the run made, and to go on from where the run began. */
  readonly holds: boolean;
}

/** What of the run is known here besides its entries. */
export interface Known {
  readonly pack: HarnessPack | undefined;
  /** What the run made, where it is shown and is what the run recorded. */
  readonly artifacts: readonly TreeFile[] | undefined;
}

export function checkCommits(
  bundle: Bundle,
  run: readonly BundledLine[],
  known: Known,
  findings: BundleFindings,
): readonly BundledCommit[] {
  const objects = new Objects(bundle, findings);
  const proven = new Map<string, CommitProof>();
  for (const { entry } of run) {
    if (entry.kind !== 'commit') continue;
    try {
      const said = parseCommitProof(entry.payload);
      const is = objects.commit(said.commit);
      if (is === undefined) throw new ParseError('MALFORMED', 'its object is missing', said.commit);
      if (is.tree !== said.tree || is.parents.join() !== said.parents.join())
        throw new ParseError(
          'MALFORMED',
          'the entry names a different tree or different parents',
          said.commit,
        );
      proven.set(said.commit, is);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      findings.add('COMMIT_WRONG', entry.seq, error.message);
    }
  }
  objects.refuseOthers(proven);
  const base = recordsOf(run).commit;
  return [...proven.values()].map((proof) => {
    const why = whyNotShown(proof, base, known, objects);
    if (why !== undefined) findings.add('COMMIT_NOT_SHOWN', null, `commit ${proof.commit}: ${why}`);
    return { commit: proof.commit, holds: why === undefined };
  });
}

function whyNotShown(
  { commit, tree }: CommitProof,
  base: string | null,
  { pack, artifacts }: Known,
  objects: Objects,
): string | undefined {
  if (artifacts === undefined) return 'what the run made is not in the bundle';
  if (pack === undefined) return 'the pack is missing, and only it says what a run makes';
  if (base === null) return "the run doesn't say which commit it started from";
  if (!leadsTo(commit, base, (each) => objects.commit(each)?.parents))
    return 'nothing shows that its parents lead to the commit that the run started from';
  return whyNotHeld(tree, { outputs: pack.manifest.outputs, artifacts }, (each) => objects.tree(each));
}

/** Objects of git in the bundle. One that is not what its name says is reported, and is not here. */
class Objects {
  readonly #commits = new Map<string, CommitProof>();
  readonly #trees = new Map<string, Uint8Array>();
  readonly #below = new Map<string, readonly string[]>();
  readonly #findings: BundleFindings;

  constructor({ parts }: Bundle, findings: BundleFindings) {
    this.#findings = findings;
    for (const [path, bytes] of parts)
      try {
        if (path.startsWith(COMMITS)) {
          const name = path.slice(COMMITS.length);
          this.#commits.set(name, readCommit(name, bytes));
        } else if (path.startsWith(TREES)) {
          const name = path.slice(TREES.length);
          const folders = readTree(name, bytes).filter(({ kind }) => kind === 'folder');
          this.#trees.set(name, bytes);
          this.#below.set(
            name,
            folders.map(({ hash }) => hash),
          );
        }
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        findings.add('COMMIT_WRONG', null, `${path}: ${error.message}`);
      }
  }

  commit(name: string): CommitProof | undefined {
    return this.#commits.get(name);
  }

  tree(name: string): Uint8Array | undefined {
    return this.#trees.get(name);
  }

  /** What no commit of the run leads to does not belong here. */
  refuseOthers(proven: ReadonlyMap<string, CommitProof>): void {
    const commits = new Set(proven.keys());
    for (const each of commits)
      for (const parent of this.#commits.get(each)?.parents ?? []) commits.add(parent);
    const trees = new Set([...proven.values()].map(({ tree }) => tree));
    for (const each of trees) for (const folder of this.#below.get(each) ?? []) trees.add(folder);
    const others = [
      ...[...this.#commits.keys()].filter((name) => !commits.has(name)).map((name) => `${COMMITS}${name}`),
      ...[...this.#trees.keys()].filter((name) => !trees.has(name)).map((name) => `${TREES}${name}`),
    ];
    for (const path of others)
      this.#findings.add('COMMIT_WRONG', null, `${path}: no commit of the run leads to it`);
  }
}
