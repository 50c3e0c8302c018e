// The project's own scripts and targets, `make check`, `npm run verify`, `scripts/ci.sh`: one command that holds several
// checks. What is in it is not known here; its name says what it is meant for, its output what it counted.
import type { Check } from '../../format/index.ts';
import { nameWords, segments } from '../path-match.ts';

const RUNNER =
  /^(?:g?make|just|task|npm|pnpm|yarn|bun run|rake|mage|earthly|nx|turbo|invoke|pre-commit|composer|mise|deno task|poe|pdm|poetry|pipenv|rye|pixi|devbox|hatch|nox|doit)\b/;
const SHELL = /^(?:bash|sh|zsh|dash|ksh)$/;

/** The script or the target that was run; null where it was something else. */
export function projectScript({ kind, runner, targets }: Check): string | null {
  if (RUNNER.test(runner)) return runner;
  const [script] = targets;
  if (kind !== 'run' || script === undefined) return null;
  return SHELL.test(runner) || segments(script).at(-1) === runner ? script : null;
}

const EVERYTHING = /^(?:checks?|ci|verify|validate|all|qa|quality|precommit|preflight|commit)$/;

/** Named for all the checks there are. */
export function isEveryCheck(check: Check): boolean {
  const script = projectScript(check);
  return (
    script !== null && nameWords(segments(script).at(-1) ?? script).some((word) => EVERYTHING.test(word))
  );
}

/** Where the targets of these stand; what npm runs it shows before it runs it. */
const DEFINED_IN: readonly (readonly [runner: RegExp, file: RegExp])[] = [
  [/^g?make\b/, /(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/],
  [/^just\b/, /(?:^|\/)\.?justfile$/i],
  [/^task\b/, /(?:^|\/)Taskfile\.ya?ml$/i],
  [/^rake\b/, /(?:^|\/)Rakefile$|\.rake$/],
  [/^invoke\b/, /(?:^|\/)tasks\.py$/],
];

/** What makes a script that counts tests nobody's: it is of this session, or of no project. Null where nothing does. */
export function standsIn(check: Check, changed: readonly string[]): string | null {
  const script = check.kind === 'run' ? projectScript(check) : null;
  if (script === null) return null;
  if (/^(?:[/~]|\.\.\/)/.test(script)) return script;
  const files = DEFINED_IN.filter(([runner]) => runner.test(check.runner)).map(([, file]) => file);
  return changed.find((path) => path === script || files.some((file) => file.test(path))) ?? null;
}
