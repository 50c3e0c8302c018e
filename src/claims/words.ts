// The words that claims are made of, as data: classes of words that the reader sees alike (features.ts), where a sentence
// can be cut, what headings announce, what a claim is about. English only.
type Words = ReadonlySet<string>;

export function words(text: string): Words {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

const together = (...lists: readonly Words[]): Words => new Set(lists.flatMap((list) => [...list]));

// Verbs in the past, which are participles, too.
export const DONE_VERBS =
  words(`fixed resolved solved implemented completed finished corrected repaired addressed remedied
  accomplished delivered eliminated plugged squashed cured sorted handled concluded mended rectified ironed nailed
  hotfixed unblocked fulfilled remediated finalized finalised dealt-with cleared recovered rescued stabilised stabilized
  prevented`);
/** Any other word that ends with `-ed` is one, too (features.ts). */
export const CHANGED_VERBS =
  words(`wrote written rewrote rewritten split set made merged-in sorted-out built-out rebuilt taken put took gave brought threw undid
  redid cut let become became taught hid shut drew fed swept given overrode left broke dealt laid slid spun stuck strung
  swung tore wound wove withdrew froze bound fit hung rid tied dug sped bent drove lent sank undone overridden kept`);
export const SHIPPED_VERBS =
  words(`committed pushed merged deployed published released migrated tagged shipped landed
  force-pushed amended uploaded rolled-out cherry-picked redeployed rebased re-released republished submitted resubmitted
  squash-merged backmerged fast-forwarded force-updated restacked`);
export const VERIFY_VERBS =
  words(`verified confirmed validated checked double-checked ensured tested smoke-tested re-tested
  retested re-checked rechecked re-verified exercised proved proven sanity-checked spot-checked cross-checked
  typechecked type-checked linted benchmarked`);
export const RUN_VERBS = words('ran re-ran reran executed built compiled rebuilt');
/** Ways to try something out. Alone they tell no more than that one looked; with what was seen behind them they do. */
export const TRIAL_VERBS =
  words(`tried clicked played opened browsed compared grepped diffed measured timed profiled replayed scanned walked
  stepped called fetched queried requested simulated loaded watched searched pinged curled inspected looked hit triggered
  poked tailed previewed reloaded launched booted scraped invoked flashed tabbed toggled dragged fuzzed sourced
  unplugged paid swept posted stress-tested load-tested`);
/** Past verbs that report no change: looking, thinking, trying, asking. Any other `-ed` at the start of an item does. */
export const NO_ACTIONS =
  words(`overlooked succeeded downloaded required ruled confused tried attempted looked searched noticed considered investigated examined reviewed assumed
  decided wanted needed asked explained analysed analyzed compared listed counted stopped failed cancelled canceled
  ignored traced tracked inspected explored scanned planned expected suspected reproduced observed learned discovered
  located identified determined believed hoped preferred recommended suggested proposed mentioned noted started
  happened occurred appeared seemed returned caused based related depended waited timed worked sent read viewed opened
  browsed grepped queried fetched need speed feed seed indeed embed red bed exceed proceed succeed shed led unused
  unchanged unrelated undefined untested unverified wondered debugged profiled measured watched walked summarized
  summarised described outlined answered detailed reported agreed struggled realized realised understood diagnosed
  narrowed-down refrained postponed deferred blocked stuck supposed typed-in loaded estimated involved interested
  concerned excited pleased tired advised interpreted judged puzzled surprised verified-by unaffected untouched
  affected detected bisected encountered hit focused focussed remembered repeated claimed stated guessed evaluated
  assessed audited weighed missed requested passed-on continued ended busted rejected stumbled interrupted settled steered
  discussed assigned shared nested named limited keyed supported allowed accepted expired outdated malformed orphaned structured
  reserved existed contained mixed relied arrived stayed replied managed referenced embedded crashed exited leaked drifted
  vanished lacked differed hundred closed refused denied locked killed computed printed approved reached parsed served
  acknowledged grouped processed followed matched announced derived trusted exhausted satisfied aborted connected received
  swallowed showed forced exceeded complained disagreed survived helped dated elapsed`);
export const DONE_STATES = words(
  'available active usable history feature-complete done complete completed finished ready gone back fixed resolved solved implemented operational functional',
);
export const PASS_STATES = words(
  'identical byte-identical right healthy green passing passed successful ok okay good clean fine happy silent quiet empty correct valid content success',
);
export const PASS_VERBS = words('pass passes passed passing succeed succeeds succeeded');
export const WORK_VERBS = words('works work worked working behaves');
/** `This fixes the crash`, `which resolves it`. */
export const FIXES = words(
  'fixes resolves solves addresses closes corrects eliminates cures completes finishes',
);
export const TEST_NOUNS =
  words(`test tests suite suites spec specs testsuite pytest jest vitest mocha rspec phpunit junit
  nunit xunit unittest ctest nextest tox assertions assertion case cases scenario scenarios minitest testcase testcases
  unit-tests e2e cypress playwright regressions testing golden goldens snapshots examples`);
/** Programs that check, and whose word is a result. */
export const TOOLS =
  words(`phpstan psalm svelte-check vue-tsc deno bazel gradle maven cargo make cmake oxlint swiftlint ktlint detekt
  checkstyle tsc typechecker eslint biome ruff flake8 pylint black prettier mypy pyright clippy rustfmt rubocop
  golangci-lint vet actionlint shellcheck hadolint stylelint tflint yamllint gofmt isort terraform curl linter compiler
  lighthouse axe hyperfine valgrind nginx docker helm kubectl webpack vite rollup esbuild swiftc javac gcc clang go
  dotnet kubeconform ansible-lint semgrep bandit sonarqube grep rg ripgrep git psql sqlite3 jq strace wireshark openssl dig
  k6 wrk jmeter locust nvda voiceover devtools buf protolint sqlfluff djlint erb-lint credo dialyzer sorbet tsd knip depcheck
  pyflakes pydocstyle vulture pre-commit commitlint markdownlint codespell cppcheck clang-tidy clang-format scalafmt
  scalafix spotless spotbugs pmd errorprone dart flutter nix packer vault consul ansible pulumi cdk kustomize conftest
  trivy snyk grype npm-audit pip-audit cargo-audit cargo-deny swift-format zig elm elixir mix`);
export const CHECK_NOUNS = together(
  TOOLS,
  words(`gate style diff build builds compile compilation typecheck type-check typechecking type-checking checker
  checking typing types lint linting format formatting formatter ci pipeline workflow checks check server app application
  program script endpoint page output outputs smoke benchmark run rerun rebuild binary bundle request requests response
  container image site command cli job project install import validation validator plan typescript dry-run package demo console logs log
  pods pod deployment replicas rollout service api results result checksum checksums counts screenshots hashes types`),
);
export const FAULTS =
  words(`error errors warning warnings failure failures issue issues problem problems regression
  regressions diagnostics findings complaints offenses offences violations faults vulnerabilities crashes diffs
  differences surprises mismatches failing failed fail fails crash complaint deviation deviations discrepancies
  exception exceptions leaks deprecations objections vulnerability`);
/** Subject → what a claim is about. The first that is in the clause. */
export const ABOUT: readonly (readonly [string, Words])[] = [
  ['ci', words('ci pipeline pipelines workflow workflows actions')],
  [
    'types',
    words(
      'tsc typecheck type-check typechecker typechecking typechecks type-checks type-checked typing types mypy pyright typed pyre typescript',
    ),
  ],
  [
    'lint',
    words(
      'lint linter linting lints linted eslint ruff flake8 pylint clippy rubocop golangci-lint vet actionlint shellcheck hadolint stylelint tflint yamllint lint-free oxlint biome',
    ),
  ],
  ['format', words('format formatting formatter formatted prettier black rustfmt gofmt isort')],
  ['build', words('build builds compile compiles compiled compilation compiler bundle bundles')],
];
/** What was done comes before what it was done to: a migration that was committed is a commit. */
export const ABOUT_SHIPPED: readonly (readonly [string, Words])[] = [
  ['merge', words('merged')],
  ['push', words('pushed force-pushed')],
  ['publish', words('published')],
  ['deploy', words('deployed redeployed rolled-out')],
  ['migrate', words('migrated')],
  ['tag', words('tagged')],
  ['commit', words('committed cherry-picked amended squashed reverted')],
  ['release', words('released')],
  ['pr', words('pr pull mr')],
  ['publish', words('publish')],
  ['deploy', words('deploy deployment live')],
  ['migrate', words('migration migrations')],
  ['tag', words('tag')],
  ['release', words('release')],
  ['commit', words('commit commits')],
  ['push', words('push')],
  ['publish', words('publication publishing')],
];
export const FIRST = words('i we');
export const OTHERS = words(
  'you they he she somebody someone nobody anyone who user users maintainer maintainers upstream author authors team colleague people',
);
export const BE = words("is are was were been be am 's got get gets");
export const NEGATIONS = words(
  'not never no neither nor none nothing nobody without hardly unable barely lacks lack',
);
export const HEDGES =
  words(`should would could may might ought probably likely perhaps maybe possibly appears appear appeared
  seems seem seemed hopefully presumably supposedly theoretically apparently unlikely believe expect assume guess suspect
  hope think imagine doubt unsure unclear uncertain supposed intended meant designed looks feels sounds almost nearly
  mostly partially partly roughly expected hoping thinks suppose afaik afaict`);
export const FUTURES =
  words(`will shall going gonna planning want wants need needs must can let wait waiting tomorrow try
  tries intend intends wish prefer suggest recommend propose consider require requires free`);
export const ATTEMPTS = words('tried attempted trying attempting');
export const ASKING = words('what how why who where when whether whatever whichever');
export const PAST_MARKS = words(
  'previously originally formerly earlier historically initially upstream yesterday ago once',
);
export const CONDITIONS = words('if once unless until provided assuming whether before till lest');
export const TIMES = words('when whenever after where wherever while');
export const CAUSES = words('because since');
export const BREAKS = words('but yet however so though although whereas except');
export const COORDINATORS = words('and then plus &');
export const ALTERNATIVES = words('or nor');
/** How an order to the reader begins. Of those that are nouns as well, see scope.ts. */
export const ORDERS =
  words(`run make ensure check verify confirm test try use set add install open go see look keep remove replace
  restart deploy push merge commit review call create update delete start stop enable disable wait consider remember send
  build lint format release watch be please rerun re-run fix change edit write move rename apply pass give tell
  ask read copy paste put leave pick choose export import configure execute visit click type enter upgrade point follow
  compare implement define refactor extract split document publish reload rebuild clear reset store return avoid prefer
  mark treat expect say`);
/** A heading, a label or a lead with one of these opens what is not done: plans, wishes, problems that stay. */
export const OPEN_HEADS =
  words(`next todo todos to-do to-dos plan planned remaining remains remain left follow-up follow-ups followup
  followups suggestion suggestions suggested recommended recommendation recommendations recommend limitations limitation
  caveats caveat future pending outstanding optional proposal proposed possible risks risk questions question deferred
  later known usage instructions options example examples assumptions expected requirements criteria ideas improvements
  would could should will might want need before unless if backlog roadmap open not unverified untested won't missing
  trade-off trade-offs tradeoff tradeoffs drawback drawbacks downside downsides blocked skipped wishlist quickstart goals goal means definition tip tips history previously background`);
/** Findings: a passive there tells how it came, not what was done. */
export const FINDING_HEADS = words(
  'cause causes problem problems analysis why findings finding diagnosis issue issues symptom symptoms reason bug',
);
/** What stands below these was looked at, and is told as it was seen. */
export const CHECK_HEADS = words('verification verified checks proof validation checked verify validated');
export const DONE_HEADS = words(
  'done changed changes change summary completed fixed implemented verification result results solution fix did made shipped status delivered',
);

/** Verbs of the past that do not end in `-ed`. */
export const PASTS = words(
  `sent built wrote kept made ran set split took put brought left gave got found held read chose drew fed hid led met sold spun
  spent stuck swept taught told won cut dug rebuilt rewrote rerun reran redid did undid began broke drove grew hit laid let
  lost went saw shut threw tore wound used struck`,
);

/** Classes of words, in the order in which one speaks for a word that has several. */
export const CLASSES: readonly Words[] = [
  DONE_VERBS,
  CHANGED_VERBS,
  SHIPPED_VERBS,
  VERIFY_VERBS,
  RUN_VERBS,
  TRIAL_VERBS,
  NO_ACTIONS,
  DONE_STATES,
  PASS_STATES,
  PASS_VERBS,
  WORK_VERBS,
  TEST_NOUNS,
  CHECK_NOUNS,
  FAULTS,
  FIRST,
  OTHERS,
  BE,
  NEGATIONS,
  HEDGES,
  FUTURES,
  ATTEMPTS,
  ASKING,
  PAST_MARKS,
  CONDITIONS,
  TIMES,
  CAUSES,
  BREAKS,
  ORDERS,
  FIXES,
];
/** Verbs by which somebody says what was done. */
export const DEEDS: readonly Words[] = [DONE_VERBS, CHANGED_VERBS, SHIPPED_VERBS, VERIFY_VERBS, RUN_VERBS];
/** What makes a clause of some words. */
export const PREDICATES = together(
  ...DEEDS,
  ...[PASS_VERBS, PASS_STATES, WORK_VERBS, DONE_STATES, BE, FIRST, FUTURES, PASTS],
  words('has have had did do does can it they now again longer you everything'),
);
/** What stands beside one of these may not be so. */
export const DOUBTS = together(NEGATIONS, HEDGES, FUTURES, CONDITIONS, TIMES, OTHERS);
