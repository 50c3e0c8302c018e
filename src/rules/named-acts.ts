// What a claim says was done, where the word itself names it: a search, a benchmark, a look through a browser. Another command
// that ran shows nothing of it.

import type { Check, Claim } from '../format/index.ts';
import { CODE_OF_BEFORE } from './code-of-before.ts';
import type { Attempt, Evidence } from './evidence.ts';
import { missingChecker } from './named-checkers.ts';
import { looks, onlyReads } from './only-reads.ts';
import { RUN_OF_TESTS } from './run-of-tests.ts';
import { PARSES } from './validators/aside.ts';

interface Act {
  /** How a claim names it; undefined where claims do not. */
  readonly said?: RegExp;
  /** It may be named by a piece of code. */
  readonly inCode?: true;
  /** How a deed is told, from its verb on. */
  readonly told?: RegExp;
  /** A command that could be it; and a tool, by its name. */
  readonly command: RegExp;
  readonly tool?: RegExp;
  /** What it prints, whatever started it. */
  readonly printed?: RegExp;
  /** Any program or script of the project could be it, too. */
  readonly orProgram?: true;
  /** It starts something, be it a program that shows something: who only reads of it has not done it. */
  readonly starts?: true | 'a program';
}

const LOOKED =
  '(?:re-?|double-|spot-|smoke-)?(?:measured|profiled|benchmarked|timed|verified|validated|checked|confirmed|tested|tried|exercised|inspected|compared|reproduced|looked|viewed|watched|ran|run|debugged|traced|load-tested|stress-tested|used)\\b';
const told = (form: string): RegExp => new RegExp(`^(?:${form})`, 'i');

export type ActName =
  | 'a search'
  | 'a look through a browser'
  | 'a run with the race detector'
  | 'a benchmark'
  | 'a profile'
  | 'a measurement'
  | 'a run that measures coverage'
  | 'an end-to-end run'
  | 'a run of a program'
  | 'a run by hand'
  | 'a start of the server'
  | 'a start of the server, or a look at it'
  | 'a request'
  | 'a look at a page of the web'
  | 'a query'
  | 'a build of the image'
  | 'a reproduction'
  | 'an upload'
  | 'an install'
  | 'a run of tests'
  | 'a look at the code of before'
  | 'a call that does it';

/** By what is missing, in a reason. */
export const ACTS: ReadonlyMap<ActName, Act> = new Map<ActName, Act>([
  [
    'a search',
    {
      said: /\b(?:searched|grepped|(?:a|the) search (?:for|of|across|through|found|shows)|no (?:other |more |remaining |further |stale )?(?:occurrences|references|usages|call sites|mentions))\b/i,
      told: told(
        `(?:(?:went|looked|read|combed) through|checked|reviewed|inspected|read|audited|visited) (?:all|every|each)(?: single| one)?(?: of)?(?: the| its| their)?(?: \\d+| two| three| four| five| six| other)* (?:call ?sites?|call(?:er)?s?|usages?|uses|occurrences?|references?|places|files|modules?|imports?)\\b(?! (?:i|we|that (?:i|we)|above|below|in (?:this|the) (?:diff|change|commit|PR))\\b)|(?:searched|grepped) (?:through )?(?:the |all |your |our )*(?:(?:whole|entire|full|of|the) )*(?:code ?base|repo(?:sitory)?|project|sources?|source tree|files|code)\\b`,
      ),
      command: /\b(?:grep|rg|ag|ack|find|fd|findstr|select-string|git ls-files|ls|tree|sed|awk)\b|\*/i,
      tool: /search|grep|glob|find|explore|task|agent/i,
    },
  ],
  [
    'a look through a browser',
    {
      said: /\b(?:in (?:the|a|my) browser|in (?:chrome|firefox|safari)|screenshots?|visually (?:checked|verified|confirmed))\b/i,
      told: told(
        `(?:${LOOKED}|opened|loaded|rendered|clicked|navigated|visited|browsed|scrolled|resized).{0,120}\\b(?:in|with|using|via|through|on) (?:(?:a|an|the|my|both|real|headless|local|desktop|mobile|several|latest|two|three|ios|android) )*(?:(?:web )?browsers?|chrom(?:e|ium)|firefox|safari|webkit|dev ?tools|lighthouse|playwright|puppeteer|simulator|emulator)(?![\\w-])|(?:took|captured|grabbed|recorded)\\b.{0,60}\\bscreen(?:shots?|casts?|recordings?)\\b|clicked (?:through|on|around|the)\\b|(?:opened|loaded|reloaded|visited) (?:the|each|every|both) (?:\\w+ )?(?:page|site|dashboard|preview|ui)\\b|${LOOKED}.{0,40}\\bon (?:an?|the|my) (?:actual|real|physical) (?:[\\w-]+ )?(?:device|phone|iphone|ipad|android|tablet)`,
      ),
      command:
        /\b(?:playwright|puppeteer|cypress|chrom(?:e|ium)|firefox|selenium|wkhtmlto|screenshot|open|xdg-open|simctl|adb|lighthouse|storybook|e2e)\w*/i,
      tool: /browser|playwright|puppeteer|chrome|screenshot|navigate|devtools|computer|preview|view_image/i,
      orProgram: true,
    },
  ],
  [
    'a run with the race detector',
    {
      said: /\brace (?:detector|detection)\b|\bdata races?\b|`?-race\b/i,
      inCode: true,
      command: /\s-{1,2}race\b|tsan|thread.?sanitizer|\b(?:make|just|task|npm|bun|pnpm|yarn|mise)\b/i,
    },
  ],
  [
    'a benchmark',
    {
      said: /\bbench(?:mark(?:s|ed|ing)?)?\b|\bns\/op\b|\breq(?:uests)?\/s(?:ec)?\b/i,
      told: told(
        `(?:benchmarked|load-tested)\\b|(?:measured|timed|ran|compared|tested|verified|confirmed|used)\\b.{0,80}\\b(?:bench(?:mark|stat)\\w*|hyperfine|wrk|k6|autocannon|vegeta|locust|criterion|timeit|load test|throughput|latency|wall[- ]clock)\\b`,
      ),
      command: /bench|hyperfine|\b(?:wrk|ab|k6|vegeta|time|perf|locust|autocannon|hey|oha)\b/i,
      printed: /\b(?:ns|B|allocs)\/op\b|\b(?:ops|iter|req(?:uests)?)\/s(?:ec)?\b/i,
      orProgram: true,
    },
  ],
  [
    'a profile',
    {
      told: told(
        `profiled\\b|(?:took|captured|recorded) (?:an?|the|two) (?:heap|cpu|memory|flame|performance)\\b|${LOOKED}.{0,80}\\b(?:tracemalloc|cprofile|py-spy|memray|scalene|pprof|flame ?graphs?|valgrind|heaptrack|heap (?:snapshot|dump)s?|strace|profiler|peak memory|memory (?:use|usage|footprint|consumption))\\b`,
      ),
      command:
        /prof|\b(?:perf|time|strace|valgrind|memray|scalene|heaptrack|py-spy|tracemalloc|instruments)\b|heap|flame|bench/i,
      orProgram: true,
    },
  ],
  [
    'a measurement',
    {
      told: told(
        '(?:measured|timed)\\b(?!.*\\b(?:tests?|suite|build|ci)\\b).{1,120}?\\d ?(?:[mµun]?s|secs?|seconds?|min(?:utes)?|[kmg]i?b)\\b',
      ),
      command:
        /bench|prof|cover|\b(?:time|hyperfine|perf|wrk|ab|k6|hey|oha|curl|du|wc|strace|psql|sqlite3|mysql|explain)\b/i,
      printed: /\b(?:ns|B|allocs)\/op\b|\b(?:ops|req(?:uests)?)\/s(?:ec)?\b/i,
      tool: /browser|playwright|chrome|devtools|lighthouse/i,
      orProgram: true,
    },
  ],
  [
    'a run that measures coverage',
    {
      said: /\bcoverage (?:is|at|of|now|rose|went|stands)\b|\bcoverage\b[^.;]{0,30}\d ?%|\bmeasured (?:the |test |code )?coverage\b|\d ?% (?:line |branch |code |test )?coverage\b/i,
      told: told(
        `${LOOKED}.{0,60}\\b(?:(?:with|under|using|via) (?:a )?coverage|[\\w-]+-cov|coverage\\.py|c8|nyc|istanbul|tarpaulin|jacoco|gcov|lcov|simplecov)\\b|(?:measured|checked|confirmed|verified) (?:the |test |code |line |branch )*coverage (?!(?:of|for) (?:the )?(?:docs|cases))`,
      ),
      command:
        /cover|\bcov\b|--cov|nyc|tarpaulin|llvm-cov|jacoco|\b(?:make|just|nox|tox|mix|gradlew?|mvnw?)\b|\bc8\b|\b(?:npm|bun|pnpm|yarn)\b(?!(?: run| -s| --silent)* (?:t|test|exec|dlx|x)(?:\s|$))/i,
      printed: /\bcoverage\b|\bStmts\b|^TOTAL\b.{0,80}\d%|\|\s*\d[\d.]* *\|\s*\d[\d.]* *\|/im,
    },
  ],
  [
    'an end-to-end run',
    {
      said: /\b(?:e2e|end-to-end)\b/i,
      command:
        /e2e|end.to.end|playwright|cypress|selenium|webdriver|integration|\b(?:make|just|curl|httpie?)\b|\b(?:docker|podman)\b.{0,80}\b(?:run|exec|up)\b/i,
      tool: /browser|playwright|navigate/i,
    },
  ],
  [
    'a run of a program',
    {
      said: /\b(?:ran|run|running|wrote|writing|with|using|executed|executing) (?:a|an) (?:[\w-]+ ){0,2}(?:program|script|snippet|reproducer|repro|one-liner|harness)\b/i,
      told: told(
        '(?:re-?)?(?:ran|executed) (?:it|this|that|them|both|the (?:[\\w-]+ )?(?:script|program|command|tool|cli|example))\\b|(?:ran|executed|called|tried|invoked) .{1,80}\\bin an? (?:[\\w-]+ ){0,2}(?:program|script|snippet)\\b',
      ),
      command: /[^A-Za-z_]|^[a-z]+$/,
      starts: 'a program',
      tool: /^(?!read|edit|write|grep|glob|search|find|ls|multiedit|todo)/i,
    },
  ],
  [
    'a run by hand',
    {
      told: told(
        `(?!looked|viewed|watched|inspected|compared)(?:${LOOKED}|called|executed|invoked)(?!.{0,60}\\btests?\\b)(?:.{0,60}\\b(?:by hand|manually|interactively|in (?:an? |the )?(?:\\w+ )?(?:repl|shell|console|debugger|playground))(?![\\w-])| (?:it|this|the [\\w-]+) (?:on|with|over) (?:an?|your|my|real|some|several|\\d)\\b.{0,30}\\b(?:files?|dataset|sample|export|dump)\\b)`,
      ),
      command: /\b(?:curl|wget|https?|xh|psql|sqlite3|docker|ssh)\b/i,
      orProgram: true,
    },
  ],
  [
    'a start of the server',
    {
      told: told(
        `(?:re-?)?(?:started|launched|booted|spun up|brought up|fired up|ran)(?: up)? (?:(?:the|a|an|my|our) )?(?:[\\w-]+ ){0,3}?(?:server|app|application|service|daemon|stack|back-?end|front-?end|containers?)(?=$|[.,;:)]| (?:and|on|with|locally|at|in|to|from|against|again|up|via|using|for|here|by|before|after|then)\\b)`,
      ),
      command:
        /\b(?:serve|server|start|dev|up|preview|runserver|flask|uvicorn|gunicorn|hypercorn|daphne|rails|puma|http\.server|php -S|next|vite|nodemon|tsx|air|docker|podman|compose|systemctl|supervisor\w*|pm2|kubectl|e2e|integration)\b/i,
      tool: /preview|server|launch|start/i,
      orProgram: true,
      starts: true,
    },
  ],
  [
    'a start of the server, or a look at it',
    {
      command:
        /^(?:curl|wget|https?|xh|lsof|netstat|ss|ps|pgrep|nc|telnet|docker|podman|kubectl|systemctl|pm2)\b/,
      tool: /preview|server|launch|start|browser|navigate|fetch/i,
      orProgram: true,
    },
  ],
  [
    'a request',
    {
      said: /(?<!\binstall\w{0,4} (?:\w+ )?)`?\bcurl(?:ed)?\b/i,
      inCode: true,
      told: told(
        `(?:curled|pinged)\\b|(?:${LOOKED}|hit|called|requested|sent|issued|fired|made|posted|queried)(?!.{0,100}\\btests?\\b).{0,80}(?:\\b(?:with|using|via|by|through) (?:\`?curl|postman|httpie|insomnia|wget|grpcurl)|(?:against|on|to) (?:a|the|my) (?:running|live|local|real|actual|started) (?:[\\w-]+ )?(?:server|instance|service|app|api|endpoint)\\b)|used (?:postman|insomnia|httpie|curl|wget)\\b(?!['’])|(?:hit|requested) (?:the |each |every |both |all )?(?:[\`/\\w-]+ ){0,3}?(?:endpoints?|routes?|url|api)\\b|(?:sent|issued|fired|made) (?:an?|some|several|two|three|\\d[\\d,]*) (?:[\\w-]+ ){0,3}requests?\\b(?! (?:modules?|handlers?|objects?|body))`,
      ),
      command:
        /\b(?:curl|wget|https?|xh|httpie|grpcurl|websocat|hurl|newman|nc|telnet|ab|wrk|hey|k6|invoke-webrequest|invoke-restmethod|e2e|integration)\b/i,
      tool: /fetch|http|browser|navigate|request/i,
      printed: /^HTTP\/[\d.]+ \d{3}\b/m,
      orProgram: true,
    },
  ],
  [
    'a look at a page of the web',
    {
      told: told(
        `(?:looked|fetched|downloaded|consulted|browsed|visited|opened|read|checked|pulled|searched)\\b.{0,80}(?:https?://(?!localhost|127\\.|\\[?::1)|\\b(?:official|upstream|online|vendor)(?:'s)? (?:[\\w.]+ ){0,3}(?:docs?|documentation|changelog|release notes|reference|spec(?:ification)?|guide|wiki|website|manual)\\b|\\b(?:the web|the internet|online|stack ?overflow|mdn)\\b|\\b(?:on|from) (?:github|pypi|npmjs|crates\\.io|docs\\.rs|pkg\\.go\\.dev|the wiki)\\b)|(?:fetched|downloaded) (?:the|that|its|their) (?:[\\w.]+ ){0,3}(?:page|docs?|documentation|site|spec(?:ification)?|changelog|article)\\b`,
      ),
      command:
        /\b(?:curl|wget|https?|xh|lynx|w3m|links|gh|glab|npm (?:view|info|docs)|pip|go doc|man|pydoc|--help|node_modules|site-packages)\b|https?:\/\//i,
      tool: /fetch|search|web|browse|context|docs|http|wiki/i,
      orProgram: true,
    },
  ],
  [
    'a query',
    {
      told: told(
        `(?:ran|applied) (?:the |all |both )?migrations? (?:against|on|to)\\b|queried (?:the |a |our |my )?(?:[\\w-]+ ){0,3}(?:database|db|tables?)\\b|(?:checked|verified|counted|inspected|queried|looked at) (?:(?:the|all|its|both) )*(?:\\w+ )?(?:rows|records)(?=[\\s.:;,]*$| (?:afterwards?|after|in|of)\\b)(?!.*\\b(?:tests?|csv|json|fixtures?|page|ui)\\b)|${LOOKED}.{0,80}\\b(?:(?:with|using|via|in|through) (?:\`?psql|sqlite3|mysql|redis-cli|mongosh)|explain(?: analy[sz]e)?|query plan)\\b`,
      ),
      command:
        /\b(?:psql|sqlite3?|mysql|mariadb|mongosh?|redis-cli|duckdb|clickhouse|sqlcmd|prisma|knex|rails|manage\.py|alembic|migrate|goose|flyway|docker|kubectl)\b|\b(?:select|explain)\b/i,
      tool: /sql|query|database|postgres|supabase|db/i,
      orProgram: true,
    },
  ],
  [
    'a build of the image',
    {
      told: told(
        '(?:built|ran|started) (?:the |an? )?(?:docker |container |new )*(?:image|container)(?=$|[.,;:)]| (?:and|with|locally|from|using|to|on)\\b)',
      ),
      command: /\b(?:docker|podman|buildah|nerdctl|compose|kaniko|pack|ko|jib)\b/i,
      orProgram: true,
      starts: true,
    },
  ],
  [
    'a reproduction',
    {
      told: told('reproduced\\b'),
      command: /\b(?:curl|wget|https?|xh|psql|sqlite3|docker|ssh|kubectl|gh)\b/i,
      tool: /browser|playwright|chrome|screenshot|navigate|task|agent/i,
      printed:
        /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\bfail:? [1-9]|\bFAIL|\w(?:Error|Exception)\b|^error\b|\bpanic: |\bTraceback\b|^not ok\b|[✗✘✖×]/im,
      orProgram: true,
    },
  ],
  [
    'an upload',
    {
      said: /\b(?:uploaded|published|released|live|available|out|pushed)\b[^.;]{0,40}\b(?:on|to) (?:the )?(?:test ?)?(?:pypi|npm(?:js)?|crates\.io|docker ?hub|maven central|rubygems|nuget|packagist|(?:package |npm |container )?registry)\b/i,
      command:
        /\b(?:twine|publish|upload|deploy|goreleaser|semantic-release|changeset|view|info|index|search)\b|\bpush\b(?<!^git .*)|^(?:g?make|just|task|nox|tox|mage)\b|\bgh (?:release|workflow|run)\b|\b(?:npm|pnpm|yarn|bun) run\b/i,
      tool: /publish|release|deploy|workflow|fetch/i,
      orProgram: true,
    },
  ],
  [
    'an install',
    {
      said: /^(?:[^.;`]{0,60}\b(?:is|are|was|were|now|and|been) )?installed[\s.!]*$|^(?:(?:i|we)(?:['’]ve| have)? )?(?:also |just |now )?installed (?:(?:it|them|this|that|everything|all|the|new|missing|its) ?)+(?:dependenc(?:y|ies)|deps|packages?|librar(?:y|ies)|modules?|requirements)?(?: ?(?:in|into|to) (?:an?|the|my|its) (?:[\w-]+ ){0,3}(?:virtual ?env(?:ironment)?|venv|environment|container|sandbox))?[\s.!]*$/i,
      command: /\b(?:install|add|i|ci|sync|update|upgrade|get|restore|download|tidy|make|just)\b/i,
      starts: true,
    },
  ],
  ['a run of tests', { ...RUN_OF_TESTS, tool: /test/i, orProgram: true }],
  ['a look at the code of before', CODE_OF_BEFORE],
  [
    'a call that does it',
    {
      told: told(
        '(?:opened|filed|raised|created|closed|assigned) (?:(?:an?|the|this|that|new|follow-up) )*(?:issue|ticket)\\b(?=[\\s.!,:(]*$|[,:]? ?(?:for|about|on|with|in|to|as|and|#|["“*`(]))|rolled out\\b.{0,40} (?:to|on|in) (?:the |our )?(?:staging|production|prod|live|server|cluster)\\b|uploaded\\b.{0,60} to (?:the |our |your )?(?:[\\w-]+ )?(?:s3|bucket|share|drive|server|cdn|wiki|confluence|artifactory)\\b|posted\\b.{0,60} (?:[*_`]*#[a-z]|(?:to|in|on) (?:the |our |your )?(?:slack|channel|thread|team)\\b)|(?:sent|e-?mailed) (?:(?:an?|the|this|your) )?(?:\\w+ ){0,2}(?:e-?mail|mail|message|reminder|invite|summary|notes?|report)\\b.{0,40} to\\b|(?:e-?mailed|messaged|texted) (?:(?:the|our|your) (?:\\w+ )?(?:team|customers?|clients?|users?|list|maintainers?)|them|him|her|everyone|(?!\\w+s\\b)\\w+ (?:that|about))\\b',
      ),
      command:
        /\b(?:(?:gh|glab|hub) \w+|curl|wget|https?|xh|s?mail|mutt|sendmail|slack|jira|linear|git push|ssh|scp|sftp|rsync|aws|gcloud|gsutil|az|kubectl|helm|docker|fly|flyctl|vercel|netlify|heroku|terraform|ansible\S*|cap)\b|deploy|release|publish|upload/i,
      tool: /create|send|post|open|issue|ticket|message|mail|comment|close|assign|task|agent|deploy|upload/i,
      orProgram: true,
      starts: true,
    },
  ],
]);

const ORDERLY =
  /^(?:cat|ls|e?grep|rg|find|head|tail|wc|diff|cmp|tree|pwd|[jy]q|\w+sum|git|gh|(?:npm|pnpm|yarn|bun|pip3?|poetry|uv|cargo|bundle|composer|go mod) (?:install|i|ci|add|sync|lock|update|fetch|tidy|download))\b/;

/** Code that an interpreter is handed without a file: it is no check. */
const READS_CODE =
  /^(?:python[\d.]*|node|ruby|perl|php|lua|deno|bun|(?:ba|z)?sh|Rscript|julia)(?: -)?(?: <|$)/;

/** A program or a script may do anything. A check of the project's does not, nor does a look, or what puts packages in order. */
function isProgram({ kind, command }: Check): boolean {
  return kind === 'run' && !ORDERLY.test(command) && !PARSES.test(command);
}

type Tried = Pick<Attempt, 'capability' | 'way' | 'target'>;

/** All that a finished line, or a session, can have been, as its words and what it printed show. */
export function actsIn(
  checks: readonly Check[],
  attempts: readonly Tried[],
  { line, output }: { readonly line: string; readonly output: string } = { line: '', output: '' },
): string[] {
  const commands = checks.map(({ command }) => command);
  const tried = attempts.map(({ capability, way, target }) => (capability === 'run' ? target : way));
  const programs = checks.filter(isProgram);
  const isCode = tried.some((text) => READS_CODE.test(text));
  const lines = [...commands, ...tried];
  const isLook = { true: onlyReads, 'a program': looks, undefined: () => false };
  const acts = [...ACTS].filter(
    ([, { command, tool, printed, orProgram, starts }]) =>
      (orProgram === true && (isCode || programs.some((each) => !isLook[`${starts}`](each.command)))) ||
      lines.some((text) => command.test(text) && !isLook[`${starts}`](text)) ||
      attempts.some(({ way }) => tool?.test(way)) ||
      printed?.test(output) === true,
  );
  const tests: readonly ActName[] = checks.some(({ kind }) => kind === 'test') ? ['a run of tests'] : [];
  return [
    ...acts.map(([name]) => name),
    ...tests,
    ...(REPEATS.test(line.replace(SO_OFTEN, '')) ? [A_LOOP] : []),
  ];
}

/** A line that goes round, which its commands do not show. */
const A_LOOP = 'a loop';

/** The act that a claim names and that nothing on record can have been; null where there is none. */
export function missingAct(claim: Claim, evidence: Evidence): string | null {
  const { quote } = claim;
  const prose = quote.replace(/`[^`]*`/g, '`…`');
  const named = [...ACTS].filter(([, { said, inCode }]) => said?.test(inCode === true ? quote : prose));
  const acts = named.length === 0 ? [] : actsOfSession(evidence);
  const missing = named.find(([name]) => !acts.includes(name));
  return missing?.[0] ?? missingChecker(claim, evidence.runs) ?? missingRuns(prose, evidence);
}

/** What was done in the session, as far as it is remembered: of attempts those of the newest prompt, and all that lines can have been. */
export function actsOfSession({ runs, attempts, acts = [] }: Evidence): readonly string[] {
  return [
    ...acts,
    ...actsIn(
      runs.flatMap(({ checks }) => checks),
      attempts,
    ),
  ];
}

/** "I ran the suite ten times", "200 runs in a row", where fewer runs of tests are on record, and no loop. */
export function missingRuns(prose: string, { runs, acts = [] }: Evidence): string | null {
  const found = TIMES.exec(prose);
  const said = (found?.slice(1).find((each) => each !== undefined) ?? '').toLowerCase();
  const times = NUMBERS.includes(said) ? NUMBERS.indexOf(said) + 2 : Number(said.replace(',', ''));
  const isIt = (check: Check) => check.kind === 'test' || check.kind === 'run' || REPEATS.test(check.command);
  const timesOf = ({ command }: Check): number => Math.max(1, Number(SO_OFTEN.exec(command)?.[1] ?? 1));
  const most = runs.reduce(
    (sum, { checks, alike = [] }) =>
      sum + checks.filter(isIt).reduce((all, check) => all + timesOf(check), 0) * (1 + alike.length),
    0,
  );
  const repeats = acts.includes(A_LOOP) || runs.some(({ checks }) => checks.some(mayRepeat));
  return times > 1 && most < times && !repeats ? `${said} runs of it` : null;
}

/** A script, or a runner that is told to: how often it ran anything is not known. */
function mayRepeat(check: Check): boolean {
  return REPEATS.test(check.command.replace(SO_OFTEN, '')) || isProgram(check);
}

/** `go test -count=3`: so often, and no more. */
const SO_OFTEN = /\s-{1,2}(?:test\.)?count[= ](\d{1,6})(?!\S)/;

const NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const MANY = '\\b(\\d{1,3}(?:,?\\d{3})?|two|three|four|five|six|seven|eight|nine|ten)';
export const TIMES = new RegExp(
  `(?:\\b(?:ran|run|stressed|stress-tested|repeated|looped|executed)\\b[^.;]{0,80}?|\\ball )${MANY}(?: (?:more |full |clean |green )?(?:times|runs|iterations)|x)\\b|${MANY} (?:consecutive|back-to-back|successive|straight|repeated) (?:[\\w-]+ )?(?:runs|iterations|passes|times)\\b|${MANY} runs in a row\\b|\\b\\d+ ?/ ?(\\d+) runs\\b`,
  'i',
);
const REPEATS =
  /\b(?:for|while|until|seq|xargs|repeat|parallel)\b|-{1,2}(?:count|repeat\w*|iterations?|times|stress)\b(?![= ]1(?!\d))|flake-finder/;
