// What a claim says was done, where the word itself names it: a search, a benchmark, a look through a browser. Another command
// that ran shows nothing of it.
import type { Check, Claim } from '../format/index.ts';
import type { Evidence, Run } from './evidence.ts';
import { isEveryCheck, projectScript } from './project-script.ts';

interface Act {
  /** What is missing, in a reason. */
  readonly name: string;
  readonly said: RegExp;
  /** It may be named by a piece of code. */
  readonly inCode?: true;
  /** A command that could be it; and a tool, by its name. */
  readonly command: RegExp;
  readonly tool?: RegExp;
}

const ACTS: readonly Act[] = [
  {
    name: 'a search',
    said: /\b(?:searched|grepped|(?:a|the) search (?:for|of|across|through|found|shows)|no (?:other |more |remaining |further |stale )?(?:occurrences|references|usages|call sites|mentions))\b/i,
    command: /\b(?:grep|rg|ag|ack|find|fd|findstr|select-string|git ls-files|ls|tree|sed|awk)\b/i,
    tool: /search|grep|glob|find|explore|task|agent/i,
  },
  {
    name: 'a look through a browser',
    said: /\b(?:in (?:the|a|my) browser|in (?:chrome|firefox|safari)|screenshots?|visually (?:checked|verified|confirmed))\b/i,
    command: /\b(?:playwright|puppeteer|cypress|chrom(?:e|ium)|firefox|selenium|wkhtmlto|screenshot)\w*/i,
    tool: /browser|playwright|puppeteer|chrome|screenshot|navigate|devtools|computer|preview|view|read/i,
  },
  {
    name: 'a run with the race detector',
    said: /\brace (?:detector|detection)\b|\bdata races?\b|`?-race\b/i,
    inCode: true,
    command: /\s-{1,2}race\b|tsan|thread.?sanitizer|\b(?:make|just|task|npm|bun|pnpm|yarn|mise)\b/i,
  },
  {
    name: 'a benchmark',
    said: /\bbench(?:mark(?:s|ed|ing)?)?\b|\bns\/op\b|\breq(?:uests)?\/s(?:ec)?\b/i,
    command:
      /bench|hyperfine|\b(?:wrk|ab|k6|vegeta|time|perf|locust|autocannon)\b|\b(?:make|just|node|python3?|cargo|go run)\b/i,
  },
  {
    name: 'a run that measures coverage',
    said: /\bcoverage (?:is|at|of|now|rose|went|stands)\b|\bcoverage\b[^.;]{0,30}\d ?%|\bmeasured (?:the |test |code )?coverage\b|\d ?% (?:line |branch |code |test )?coverage\b/i,
    command:
      /cover|\bcov\b|--cov|nyc|tarpaulin|llvm-cov|jacoco|\b(?:make|just|npm|npx|bun|pnpm|yarn|nox|tox|mix|gradlew?|mvnw?)\b/i,
  },
  {
    name: 'an end-to-end run',
    said: /\b(?:e2e|end-to-end)\b/i,
    command: /e2e|end.to.end|playwright|cypress|selenium|webdriver|integration|\b(?:make|just)\b/i,
    tool: /browser|playwright|navigate/i,
  },
  {
    name: 'a run of a program',
    said: /\b(?:ran|run|running|wrote|writing|with|using|executed|executing) (?:a|an) (?:[\w-]+ ){0,2}(?:program|script|snippet|reproducer|repro|one-liner|harness)\b/i,
    command: /[^A-Za-z_]|^[a-z]+$/,
    tool: /^(?!read|edit|write|grep|glob|search|find|ls)/i,
  },
  {
    name: 'a request with curl',
    said: /`?\bcurl(?:ed)?\b/i,
    inCode: true,
    command: /\b(?:curl|wget|http|xh)\b/i,
    tool: /fetch|http/i,
  },
  {
    name: 'an install',
    said: /^(?:[^.;`]{0,60}\b(?:is|are|was|were|now|and|been) )?installed[\s.!]*$|^(?:(?:i|we)(?:['’]ve| have)? )?(?:also |just |now )?installed (?:(?:it|them|this|that|everything|all|the|new|missing|its) ?)+(?:dependenc(?:y|ies)|deps|packages?|librar(?:y|ies)|modules?|requirements)?[\s.!]*$/i,
    command: /\b(?:install|add|i|ci|sync|update|upgrade|get|restore|download|tidy|make|just)\b/i,
  },
];

/** Checkers that people name; what sets them up is not what they found. */
const CHECKER =
  /\b(golint|golangci-lint|staticcheck|eslint|stylelint|mypy|pyright|pylint|flake8|ruff|doctest|clippy|shellcheck|hadolint|yamllint|rubocop|phpstan|ktlint)\b(?!['’`]*s?[ -](?:configs?|configuration|rules?|setup|plugins?|settings|version|disable|comments?|directives?)\b|[./])/i;
const OTHERS: readonly string[] = ['lint', 'types', 'format'];

/** "`golint` has no complaints", where neither it nor a script that may hold it was run. */
function missingChecker({ type, quote }: Claim, runs: readonly Run[]): string | null {
  const name = type === 'checked' ? CHECKER.exec(quote)?.[1]?.toLowerCase() : undefined;
  if (name === undefined) return null;
  const isIt = (check: Check): boolean =>
    check.command.toLowerCase().includes(name) ||
    (projectScript(check) !== null && (name === 'doctest' || OTHERS.includes(check.kind))) ||
    isEveryCheck(check) ||
    check.kind === 'ship' ||
    (name === 'doctest' && check.runner.startsWith('cargo'));
  return runs.some(({ checks }) => checks.some(isIt)) ? null : `a run of ${name}`;
}

/** The act that a claim names and that nothing on record can have been; null where there is none. */
export function missingAct(claim: Claim, { runs, attempts, background }: Evidence): string | null {
  const { type, quote } = claim;
  const isOfRun = type === 'checked' || type === 'tested' || TELLS_RUN.test(quote);
  if (!isOfRun || background.length > 0) return null;
  const commands = runs.flatMap(({ checks }) => checks.map(({ command }) => command));
  const prose = quote.replace(/`[^`]*`/g, '`…`');
  for (const { name, said, inCode, command, tool } of ACTS) {
    if (!said.test(inCode === true ? quote : prose)) continue;
    const ran =
      commands.some((each) => command.test(each)) ||
      attempts.some(({ capability, way, target }) => command.test(capability === 'run' ? target : way));
    if (!ran && !attempts.some(({ way }) => tool?.test(way))) return name;
  }
  return missingChecker(claim, runs) ?? missingRuns(prose, runs);
}

/** "I ran the suite ten times", where fewer runs of tests are on record. */
function missingRuns(prose: string, runs: readonly Run[]): string | null {
  const said = TIMES.exec(prose)?.[1]?.toLowerCase() ?? '';
  const times = NUMBERS.includes(said) ? NUMBERS.indexOf(said) + 2 : Number(said);
  const tests = runs.filter(({ checks }) => checks.some(({ kind }) => kind === 'test'));
  const repeats = runs.some(({ checks }) => checks.some(({ command }) => REPEATS.test(command)));
  return times > 1 && times <= 1000 && tests.length < times && !repeats ? `${said} runs of it` : null;
}

/** "I also ran the tests with …" says what was run, whatever else it is taken for. */
export const TELLS_RUN =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also |then |even |just )?(?:re-?)?(?:ran|measured|benchmarked|profiled|installed)\b|\binstalled[\s.!]*$/i;

const NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const TIMES =
  /(?:\bran\b[^.;]{0,80}?|\ball )\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten) (?:times|runs)\b/i;
const REPEATS =
  /\b(?:for|while|until|seq|xargs|repeat|parallel)\b|-{1,2}(?:count|repeat\w*|iterations?|times|stress)\b|flake-finder/;
