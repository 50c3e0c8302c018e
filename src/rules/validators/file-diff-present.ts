// file_diff_present {path}: the file was changed in this session, by an edit tool or by a command after which the work
// tree differs. Enough for "changed"; for "done" only where nothing that could be run was changed.
import { isCode, isData, isPipeline } from '../file-kinds.ts';
import { samePath } from '../path-match.ts';
import { listed } from '../run-assessment.ts';
import { pathRefusal } from './binding.ts';
import { textArguments, type Validator } from './validator.ts';

export const fileDiffPresent: Validator = {
  id: 'file_diff_present',
  version: 1,
  words: 'the change itself, on record',
  fields: ['paths'],
  needs: ['path'],
  judge(args, context) {
    const texts = textArguments(args, ['path']);
    if ('outcome' in texts) return texts;
    const { path } = texts;
    const unbound = path === undefined ? null : pathRefusal(path, context, false);
    if (unbound !== null) return unbound;
    const { evidence, claim } = context;
    const named = path === undefined && claim.type === 'changed' ? filesIn(claim.quote) : [];
    const changes = evidence.changes.filter((change) =>
      named.length > 0
        ? named.some((name) => samePath(name, change.path))
        : path === undefined || samePath(path, change.path),
    );
    const last = changes.at(-1);
    if (last === undefined)
      return {
        outcome: 'fail',
        status: 'unbacked',
        code: 'no-change',
        reason: `${noChangeOf(path === undefined ? named : [path])} is on record in this session.`,
        evidence: [],
      };
    const code = evidence.changes
      .map((change) => change.path)
      .filter((file) => isPipeline(file) || (isCode(file) && !isData(file)));
    if (claim.type === 'done' && code.length > 0)
      return {
        outcome: 'fail',
        status: 'unbacked',
        code: 'change-only',
        reason: `${listed(code)} changed, and nothing was run that shows that it works.`,
        evidence: [last.seq],
      };
    return { outcome: 'pass', evidence: [last.seq] };
  },
};

function noChangeOf(paths: readonly string[]): string {
  return paths.length === 0 ? 'No change' : `No change of ${listed(paths)}`;
}

const MOST_NAMED = 8;

const MADE =
  /\b(?:creat|add|writ|wrot|updat|edit|chang|delet|remov)[a-z]{0,4} (?:(?:a|the|new|file|module) ){0,3}`([\w@.-]{0,64}(?:\/[\w@.-]{1,64}){0,12}\.[A-Za-z][A-Za-z0-9]{0,5})`/gi;
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|php|cs|c|h|cpp|swift|sh|sql)$/;

/** Files that a claim says were made or changed: "Added `src/mul.js`" rests on no change of another file. */
function filesIn(quote: string): string[] {
  return [...quote.matchAll(MADE)]
    .map(([, name = '']) => name)
    .filter((name) => isCode(name) && SOURCE.test(name))
    .slice(0, MOST_NAMED);
}
