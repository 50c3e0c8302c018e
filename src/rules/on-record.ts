// What the record of a session holds, or may hold: its commands, a line that is told as run, a file that is told as made.
import type { Check } from '../format/index.ts';
import { readCommand } from '../shell/index.ts';
import { makesNoFile, writesNothing } from './changing-commands.ts';
import type { Evidence } from './evidence.ts';
import type { Held } from './judge-input.ts';
import { isForgetful } from './memory.ts';
import type { ToldAct } from './told-act.ts';

export function commandsOf({ runs }: Evidence): string[] {
  return runs.flatMap(({ checks }) => checks.map(({ command }) => command));
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[\s'"`/=:;|&()]+/);
}

/** "I backed up dev.db to dev.db.bak", which is not there, which nothing on record names, and which no program may have written. */
export function noFile({ line = '' }: Pick<ToldAct, 'line'>, evidence: Evidence): Held | null {
  const name = line.slice(line.lastIndexOf('/') + 1);
  const { changes, attempts } = evidence;
  const texts = [...commandsOf(evidence), ...changes.map(({ path }) => path)];
  const isKnown = [...texts, ...attempts.map(({ target }) => target)].some((text) => text.includes(name));
  if (evidence.isThere?.(line) !== false || isKnown || isForgetful(evidence)) return null;
  if (!writesNothing(evidence, makesNoFile)) return null;
  const reason = `There is no ${line}, and nothing on record made one.`;
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

/** Checks that the claims of a message are held to anyhow: one of the same kind is enough here. */
const JUDGED: readonly Check['kind'][] = ['test', 'types', 'lint', 'format', 'build', 'ship'];
/** Options that make another run of it. */
const TELLING =
  /^--?(?:bench\w*|race|cov\w*|fuzz\w*|cpuprofile|memprofile|prof\w*|headed|stress|repeat\w*|strict)(?==|$)/;

/** "Ran `manage.sh start`", where that was `~/tools/manage.sh start`. */
function isSameProgram(runner: string, told: string): boolean {
  return runner === told || (/\.\w+$/.test(told) && runner.endsWith(`/${told}`));
}

/** Was such a line run? By its program, what that was told to do, and the options that make it another one. */
export function isOnRecord(line: string, evidence: Evidence): boolean {
  const { checks, unparsed } = readCommand(line, { cwd: null, root: null });
  if (unparsed || checks.length === 0 || isForgetful(evidence)) return true;
  const on = evidence.runs.flatMap((run) => run.checks);
  const tried = evidence.attempts.flatMap(({ capability, target }) => (capability === 'run' ? target : []));
  return checks.every((told) => {
    const options = told.command.split(/\s+/).filter((word) => TELLING.test(word));
    const has = (text: string): boolean =>
      options.every((option) => text.includes(option.replace(/=.*/, '')));
    const isSame = (check: Check): boolean =>
      isSameProgram(check.runner, told.runner) || (check.kind === told.kind && JUDGED.includes(told.kind));
    return (
      // "Checked with `data/a.csv`", "ran `TestClock`": what a command was handed.
      on.some(
        (check) =>
          (isSame(check) && has(check.command)) || mayHold(check) || check.command.includes(told.command),
      ) ||
      tried.some(
        (text) =>
          wordsOf(text)[0] === wordsOf(told.command)[0] &&
          has(text) &&
          !on.some(({ command }) => command === text),
      )
    );
  });
}

/** A script, or a task of the project's, may start anything. */
export function mayHold({ kind, runner, command }: Check): boolean {
  return (
    kind === 'run' &&
    /^(?:g?make|just|task|(?:ba|z)?sh)\b|\.(?:sh|py|[cm]?[jt]s)\b/.test(`${runner} ${command}`)
  );
}
