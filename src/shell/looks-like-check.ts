// A cheap first look at a command, without a parser: may it hold a check? It is asked before every command of an agent,
// so it is one pass over the text and leans to yes; a yes costs a fingerprint of the work tree and nothing else. What
// the command is good for is decided by readCommand.

import type { Contract } from '../format/index.ts';
import { mayBeProgram } from './programs.ts';

/** More is not parsed either. */
const MOST = 64 * 1024;

/** What scripts, targets and subcommands are called: words by themselves, not folders of a path or parts of a name. */
const NAMES = [
  'tests?|passed|passing|unittest|spec|specs|e2e|check|checks|build|compile|lint|types|typecheck|fmt|format|verify|validate|ci|run|start|serve|dev|exec',
  'deploy|publish|release|migrate|upgrade|apply|push|commit|tag|merge|package|bench|coverage',
];

/** Programs that run or are run, wherever they lie. */
const PROGRAMS = [
  'npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|node|nodejs|tsx|ts-node|python[\\d.]*|py|pypy3?|uv|uvx|poetry|pipenv|pdm|hatch|rye|tox|nox|pipx|conda',
  'go|gotestsum|cargo|rustc|make|gmake|ninja|cmake|meson|gcc|g\\+\\+|clang|cc|bazel|bazelisk|buck2?|zig|just|task|rake|mage|earthly|invoke|inv',
  'mvnw?|mvnd|gradlew?|sbt|ant|mill|lein|clj|clojure|scala|kotlinc?|java|javac|dotnet|msbuild|php|composer|ruby|bundle|rails|mix|elixir|erl|rebar3|swift|xcodebuild|dart|flutter|perl|prove|lua|julia|Rscript|stack|cabal|ghc|dune|nim',
  'pytest|py\\.test|vitest|jest|mocha|ava|jasmine|karma|cypress|playwright|wdio|phpunit|pest|rspec|cucumber|behave|robot|ctest|bats|busted|nx|turbo|lerna|rush|moon',
  'tsc|tsgo|mypy|pyright|basedpyright|pyre|ruff|flake8|pylint|black|isort|eslint|biome|oxlint|prettier|stylelint|golangci-lint|staticcheck|clippy|rubocop|shellcheck|hadolint|yamllint|actionlint|pre-commit',
  'webpack|vite|rollup|esbuild|tsup|parcel|next|nuxt|astro|ng|swc|babel|docker|podman|docker-compose|kubectl|helm|terraform|tofu|pulumi|ansible-playbook|vercel|netlify|fly|flyctl|wrangler|heroku|firebase|gcloud|aws|az|serverless|sls|alembic|prisma|twine|gh|glab',
  'pip3?|emacs|nvim|psql|mysql|mariadb|sqlite3|duckdb|curl|wget|https?|xh|bash|sh|zsh|dash|ksh|eval|source|foil',
];

const WORDS = new RegExp(
  [
    `(?:^|[^\\w/.-])(?:${NAMES.join('|')})(?![\\w/.=-])`,
    `(?:^|[^\\w.-])(?:${PROGRAMS.join('|')})(?![\\w/=])`,
    // Looks that end with an exit code of their own.
    '(?:^|[^\\w.-])(?:e|f)?(?:grep|rg) {1,4}-[a-zA-Z]{0,8}q|(?:^|[^\\w.-])[jy]q {1,4}(?:-[a-zA-Z]{0,8}e|--exit)|\\w(?:sum|shasum)[ \\w-]{1,40}(?: -c| --check)|--(?:exit-code|quiet|check)\\b',
    // They end in a commit.
    'git\\s{1,4}(?:cherry-pick|revert|rebase|pull|am)\\b',
    // A script or a program of the project, where a command begins.
    '(?:^|[\\n;&|({]\\s{0,8})(?:[\\w.-]{0,64}/|[\\w/.-]{1,200}\\.(?:sh|py|js|mjs|cjs|ts|rb|php|pl|jar|exe)(?!\\w))',
  ].join('|'),
);

/** It looks for files, where to have found none is no failure; or it puts files in order, or has git do so, or branches. */
const TRIES =
  /(?:^|[\n;&|({])\s{0,8}(?:find|fd|locate|mv|cp|rm|mkdir|rmdir|touch|ln|chmod|chown|tar|unzip|crontab|systemctl|launchctl|git\s{1,4}(?:mv|rm|ls-files|checkout|switch|restore|reset|stash|branch|clean|worktree|clone|init|remote|config|submodule))\s/;
const READS = /(?:^|[\n;&|({])\s{0,8}(?:cat|head|tail|less|more|bat|nl|sed|git\s{1,4}show)\s/;

/** Where a command begins; words of the shell's own grammar are passed over. */
const FIRST_WORD =
  /(?:^|[\n;&|({])[ \t]{0,8}(?:(?:if|then|else|elif|do|while|until|time|!)[ \t]{1,8})?(?!(?:if|then|else|elif|fi|for|do|done|while|until|case|esac|in|function|select|time)\b)([A-Za-z][\w.+-]{0,64})(?![\w=])/g;

/** False only where the command can hardly be a check. Never throws; linear. */
export function looksLikeCheck(command: string): boolean {
  const text = command.length > MOST ? command.slice(0, MOST) : command;
  if (WORDS.test(text)) return true;
  for (const [, name = ''] of text.matchAll(FIRST_WORD))
    if (mayBeProgram(name) || name === 'diff' || name === 'cmp') return true;
  return false;
}

/** Is it worth a look though it is no check, for what it seeks or puts in order? */
export function triesSomething(command: string): boolean {
  return TRIES.test(command.slice(0, MOST));
}

export function readsFiles(command: string): boolean {
  return READS.test(command.slice(0, MOST));
}

/** Does it say the name of something that a prompt names? */
export function namesTarget(command: string, { ladder }: Contract): boolean {
  return ladder.some(({ target }) => command.includes(target.slice(target.lastIndexOf('/') + 1)));
}
