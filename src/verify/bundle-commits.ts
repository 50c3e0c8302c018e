// Commits that were signed into a run: each is shown by its object, and nothing else is.
import { ParseError } from '../core/index.ts';
import { type Bundle, parseCommitProof, readCommit } from '../format/index.ts';
import type { BundledLine } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';

const FOLDER = 'commits/';

export function checkCommits(
  { parts }: Bundle,
  run: readonly BundledLine[],
  findings: BundleFindings,
): readonly string[] {
  const named = new Set<string>();
  for (const { entry } of run) {
    if (entry.kind !== 'commit') continue;
    try {
      const said = parseCommitProof(entry.payload);
      named.add(said.commit);
      const object = parts.get(`${FOLDER}${said.commit}`);
      if (object === undefined) throw new ParseError('MALFORMED', 'its object is not here', said.commit);
      const { tree, parents } = readCommit(said.commit, object);
      if (tree !== said.tree || parents.join() !== said.parents.join())
        throw new ParseError('MALFORMED', 'the entry names another tree or other parents', said.commit);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      findings.add('COMMIT_WRONG', entry.seq, error.message);
    }
  }
  for (const path of parts.keys())
    if (path.startsWith(FOLDER) && !named.has(path.slice(FOLDER.length)))
      findings.add('COMMIT_WRONG', null, `${path}: no entry of the run names it`);
  return [...named];
}
