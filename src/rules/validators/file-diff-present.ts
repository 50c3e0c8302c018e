// file_diff_present {path}: the file was changed in this session, by an edit tool or by a command after which the work
// tree differs. Enough for "changed"; for "done" only where nothing that could be run was changed.
import { isCode, isData, isFileOf, isPipeline, samePath } from '../../ecosystems/index.ts';
import { listed } from '../run-assessment.ts';
import { pathRefusal } from './binding.ts';
import { failOf, textArguments, type Validator } from './validator.ts';

export const fileDiffPresent: Validator = {
  id: 'file_diff_present',
  version: 3,
  words: 'the change itself, on record',
  fields: ['paths'],
  needs: ['path'],
  judge(args, context) {
    const texts = textArguments(args, ['path']);
    if ('outcome' in texts) return texts;
    const { path } = texts;
    const unbound = path === undefined ? null : pathRefusal(path, context, false, context.version === 1);
    if (unbound !== null) return unbound;
    const { evidence, claim, version } = context;
    const { undone = [], root } = evidence;
    const isIt = (file: string): boolean =>
      path === undefined || (version === 1 ? samePath(path, file) : isFileOf(path, file, root, true));
    const made = evidence.changes.filter((change) => isIt(change.path));
    // Of its own questions the gate has looked at the words: "Reverted it" leaves no difference.
    const changes = path === undefined ? made : made.filter((change) => !undone.includes(change.path));
    const last = changes.at(-1);
    if (last === undefined)
      return failOf(
        'unbacked',
        'no-change',
        made.length > 0
          ? `${listed(made.map((change) => change.path))} is as it was when the session began, or is gone.`
          : `No change${path === undefined ? '' : ` to ${path}`} is on record in this session.`,
      );
    const code = evidence.changes
      .map((change) => change.path)
      .filter((file) => isPipeline(file) || (isCode(file) && !isData(file)));
    if (claim.type === 'done' && code.length > 0)
      return failOf(
        'unbacked',
        'change-only',
        `${listed(code)} changed, but nothing was run to show that it works.`,
        [last.seq],
      );
    return { outcome: 'pass', evidence: [last.seq] };
  },
};
