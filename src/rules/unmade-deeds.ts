// What a claim says was done and what the record shows was not: an edit that failed, a tag that no push was given. The gate
// loads this where an edit has failed, or a claim speaks of a tag that was pushed.

import { isCode, segments } from '../ecosystems/index.ts';
import type { Check, Claim } from '../format/index.ts';
import type { Evidence } from './evidence.ts';
import type { Held } from './judge-input.ts';

export function unmadeDeed(claim: Claim, evidence: Evidence): Held | null {
  return claim.type === 'shipped' ? tagKept(claim, evidence) : failedEdit(claim, evidence);
}

const NOT_MADE = /\b(?:not|never|still|already|unchanged|untouched|left|as is|failed)\b|n['’]t\b/i;

/** "The port is 8090 now, in `server.js`", where the tool failed that was to change it, and nothing has changed it since. */
function failedEdit({ quote }: Claim, { unmade = [], changes, attempts, runs, tree }: Evidence): Held | null {
  if (NOT_MADE.test(quote)) return null;
  const nameOf = (path: string): string => segments(path).at(-1) ?? path;
  const failed = unmade.find(({ seq, path }) => {
    const mayBeWritten =
      attempts.some((each) => each.seq > seq && each.way === 'write') ||
      ((tree === null || !isCode(path)) &&
        runs.some((run) => run.seq > seq && run.checks.some(({ kind }) => kind === 'run')));
    const isChanged = changes.some((change) => nameOf(change.path) === nameOf(path));
    return quote.includes(nameOf(path)) && !isChanged && !mayBeWritten;
  });
  if (failed === undefined) return null;
  const reason = `The edit of ${failed.path} failed, and no other change of it is on record.`;
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

const PUSHES_TAGS = /\s(?:--tags|--follow-tags|--mirror|tag)(?=\s|$)|refs\/tags\/|\sv?\d+\.\d/;

/** "The commit and the tag are pushed", where `git push` was given no tag: it pushes none by itself. */
function tagKept({ quote }: Claim, { runs }: Evidence): Held | null {
  const checks = runs.flatMap((run) => run.checks);
  const wordsOf = ({ command }: Check): string[] => command.split(/\s+/).slice(2);
  const tags = checks.filter(({ runner }) => runner === 'git tag').flatMap(wordsOf);
  const pushes = checks.filter(({ runner }) => runner === 'git push');
  const isGiven = (push: Check): boolean =>
    PUSHES_TAGS.test(push.command) || wordsOf(push).some((word) => tags.includes(word));
  const mayBeElsewhere = checks.some(({ kind, runner }) => kind === 'ship' && !runner.startsWith('git '));
  if (NOT_MADE.test(quote) || pushes.length === 0 || tags.length === 0) return null;
  if (mayBeElsewhere || pushes.some(isGiven)) return null;
  const reason = `No tag was given to \`${pushes.at(-1)?.command}\`, which pushes none by itself.`;
  return { status: 'unbacked', code: 'nothing-ran', reason, validator: 'command_zero_exit' };
}
