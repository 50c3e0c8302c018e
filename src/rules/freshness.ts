// Has code changed since a run? If both fingerprints of the work tree were taken, they decide, so an edit by any tool
// is seen. Otherwise the changes on record decide. A fingerprint that was not taken is equal to nothing: if only one
// of the two is there, or the earlier tree can't be looked at now, nobody can say that nothing changed.

import { isCode, isDocument, isPipeline, samePath } from '../ecosystems/index.ts';
import type { Check } from '../format/index.ts';
import type { Evidence, Run } from './evidence.ts';

/** Null where the run is fresh; else the files that changed and that its check reads, as far as they are known. */
export function editsSince(run: Run, evidence: Evidence, check?: Check): readonly string[] | null {
  const isLeft = (path: string): boolean => !isTidied(path, evidence);
  const all = [...new Set(evidence.changes.filter(({ seq }) => seq > run.seq).map(({ path }) => path))];
  const later = all.filter(isLeft);
  const reader = evidence.first === true ? undefined : check;
  const recorded = later.filter((path) => isCode(path) || (reader !== undefined && isRead(path, reader)));
  if (run.tree !== null && evidence.tree !== null) {
    const read = recorded.filter((path) => !isCode(path));
    if (run.tree === evidence.tree) return read.length > 0 ? read : null;
    const known = evidence.editedSince.get(run.seq) ?? [];
    const left = known.filter(isLeft);
    if (known.length > 0) return left.length > 0 || read.length > 0 ? [...left, ...read] : null;
    // All that is known about the difference is that a script was removed again.
    return recorded.length === 0 && later.length < all.length ? null : recorded;
  }
  const isUnseen = evidence.unseen === true || (run.tree === null) !== (evidence.tree === null);
  return recorded.length > 0 || isUnseen ? recorded : null;
}

const SCRATCH = /(?:^|[/_.-])(?:scratch|te?mp|debug|demo|repro|try|tests?|check|verify)(?:[/_.-]|\d|$)/i;

/**
 * A script that the session made and removed again, and that nothing else was meant to load: it was run by itself, or its name
 * says that it is temporary.
 */
function isTidied(path: string, { changes, changed, runs }: Evidence): boolean {
  const own = changes.filter((each) => samePath(each.path, path));
  const [first] = own;
  if (own.at(-1)?.op !== 'delete' || (first?.op !== 'write' && first?.born !== true)) return false;
  // The work tree shows that it was there before.
  if (changed?.some((each) => samePath(each, path)) === true) return false;
  const isScript = ({ targets }: Check): boolean => targets[0] !== undefined && samePath(targets[0], path);
  return SCRATCH.test(path) || runs.some(({ checks }) => checks.some(isScript));
}

/** A document that a check is given is no document to it, nor a pipeline to a linter of such files. */
function isRead(path: string, { targets, runner }: Check): boolean {
  if (isPipeline(path)) return READS_PIPELINES.test(runner);
  return targets.some((target) => {
    if (!isDocument(target)) return false;
    const glob = target.lastIndexOf('*');
    return glob < 0 ? samePath(target, path) : path.endsWith(target.slice(glob + 1));
  });
}

const READS_PIPELINES = /^(?:actionlint|zizmor|yamllint|prettier|pre-commit|act|dprint)\b/;

/** Did code change between the start and the end of the command line itself? */
export function changedDuring(run: Run, evidence: Evidence): boolean {
  if (run.treeBefore !== null && run.tree !== null) return run.treeBefore !== run.tree;
  return evidence.changes.some(({ seq, path }) => seq === run.seq && isCode(path));
}
