// Has code changed since a run? By the fingerprints of the work tree where both were taken, so that an edit by whatever
// tool is seen; else by the changes on record. A fingerprint that was not taken is equal to nothing: where only one of
// the two is there, or the tree that was looked at before can't be looked at now, nobody can say that nothing changed.
import type { Evidence, Run } from './evidence.ts';
import { isCode } from './file-kinds.ts';

/** Null where the run is fresh; else the code files that changed, as far as they are known. */
export function editsSince(run: Run, evidence: Evidence): readonly string[] | null {
  const recorded = [
    ...new Set(evidence.changes.filter(({ seq }) => seq > run.seq).map(({ path }) => path)),
  ].filter(isCode);
  if (run.tree !== null && evidence.tree !== null) {
    if (run.tree === evidence.tree) return null;
    const known = evidence.editedSince.get(run.seq) ?? [];
    return known.length > 0 ? known : recorded;
  }
  const isUnseen = evidence.unseen === true || (run.tree === null) !== (evidence.tree === null);
  return recorded.length > 0 || isUnseen ? recorded : null;
}

/** Did code change between the start and the end of the command line itself? */
export function changedDuring(run: Run, evidence: Evidence): boolean {
  if (run.treeBefore !== null && run.tree !== null) return run.treeBefore !== run.tree;
  return evidence.changes.some(({ seq, path }) => seq === run.seq && isCode(path));
}
