// The checks of a hook that git ran: a commit or a push that went through says that they passed. What the hook printed
// before git's own word tells which they were: the headers of scripts (`$ tsc --noEmit`), the names of pre-commit
// (`mypy....Passed`), or the words of lint-staged (`[COMPLETED] eslint`), wherever they stand. A hook that was written in this session prints what it likes.
import { plainText } from '../ecosystems/index.ts';
import type { Check } from '../format/index.ts';
import { readCommand } from './read-command.ts';

const RUNS_HOOKS = /^git (?:commit|push)$/;
const NO_HOOKS = /\s(?:--no-verify|-[a-zA-Z]*n[a-zA-Z]*)(?=\s|$)/;
const HOOK =
  /(?:^|\/)(?:\.husky|\.git|\.?githooks)\/|(?:^|\/)(?:pre-(?:commit|push|merge-commit)|(?:prepare-)?commit-msg)$|(?:^|\/)(?:\.?lefthook|\.pre-commit-config)\.ya?ml$|(?:^|\/)\.?lint-?staged(?:rc|\.config)[^/]*$/;
/** Git names the commit once it is made, and the remote once it is reached. */
const OWN_WORD = /^(?:\[[^\]\n]{1,200} [0-9a-f]{7,}\] |To \S)/m;
const SHOWN = /^(?:> \S.{0,200}\n> (?!\S+@)|\$ |(?=[\w-]{2,40}\.{3,}Passed$))(.{1,1000})$/gm;
const STAGED = /^(?:\[(?:COMPLETED|SUCCESS)\]|✔) ([\w./-]{2,60}(?: -\S{1,60}){0,8})$/gm;
const LONGEST = 64 * 1024;
const MOST = 8;

/** `checks` are those of the line, all of which are known to have ended well. */
export function hookChecks(
  checks: readonly Check[],
  output: string,
  changed: readonly string[],
): readonly Check[] {
  const ran = checks.find(({ kind, runner }) => kind === 'ship' && RUNS_HOOKS.test(runner));
  if (ran === undefined || ran.flaw !== null || NO_HOOKS.test(ran.command)) return [];
  if (changed.some((path) => HOOK.test(path))) return [];
  const text = plainText(output.slice(0, LONGEST));
  const end = text.search(OWN_WORD);
  return [...text.slice(0, Math.max(0, end)).matchAll(SHOWN), ...text.matchAll(STAGED)]
    .slice(0, MOST)
    .flatMap(
      ([, line = '']) => readCommand(line.replace(/\.{3,}Passed$/, ''), { cwd: null, root: null }).checks,
    )
    .filter(({ kind, flaw }) => ['lint', 'types', 'format', 'build'].includes(kind) && flaw === null)
    .map((check) => ({ ...check, targets: [], directory: ran.directory }));
}
