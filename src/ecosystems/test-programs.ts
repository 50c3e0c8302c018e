// Programs that no table knows and that run tests, by their own name or by the word they are given: `elm-test`, `opa
// test policy`, `crystal spec`. A name proves nothing: such a run counts only where it printed a summary, and never
// where it shows what somebody saved, or where a file of this session has its name.
import { type Found, found } from './tool.ts';

const SUBCOMMAND = /^(?:tests?|specs?|unittests?|unit-tests?|selftest|self-test|check|verify)$/;
/** The name ends in what it does: `elm-test`, `pg_regress-tests`, `nosetests`. */
const NAMED =
  /(?:^|[-_.])(?:tests?|specs?|unittests?|selftest)$|^(?:ward|kaocha|newman|hurl|inspec|goss|testem|twister|vunit|zunit|bashunit|shunit2|roundup|schemathesis|dredd|pa11y-ci|testcafe|nightwatch|gauge|maestro)$|[a-z]tests?$/;
/** They ask a service that runs: what they are given says nothing of which files they reach. */
const FROM_OUTSIDE =
  /^(?:newman|hurl|schemathesis|dredd|testcafe|nightwatch|maestro|pa11y-ci|k6|inspec|goss)$/;
/** Code on the command line that runs tests: each statement one call that prints nothing of its own. */
const CALL =
  /^\s*(?:\$?\w+\s*=\s*)?(?:runtests|run_tests?|test|Invoke-Pester|PlenaryBusted\w*|assertSuccess|addpath|cd|exit|halt|quit|qa)\b[^'"]{0,80}(?:'[\w./*-]{0,80}'|"[\w./*-]{0,80}")?[^'"]{0,80}$/;
const CALLS = /\b(?:runtests|run_tests?|Invoke-Pester|test\()/;
const OPTION = /^--?(?:run-?tests?|tests?|self-?test)$/i;

/** It puts a report in another form: what it prints is a file's. */
const SHOWS = /^(?:tap-|junit|xunit-viewer|allure|pa11y-reporter|mochawesome)/;
const REPORT_FILE = /\.(?:tap|xml|trx|log|out|html)$/i;

/** To look at something that is called so. */
export const VIEWS =
  /^(?:logs?|show|view|read|kv|cat|print|tail|history|replay|artifacts?|download|install|add|get|info|help|docs?|man|search|which|open|edit|describe|list|ls|status|config|new|init|create|generate)$/;

const DRY =
  /^(?:--version|--help|-h|--dry-?run|--list(?:-\w+)*|--listTests|--collect-only|--co|--no-run|--compile-only|--print|--show-\w+)$/;
const SELECTORS = /^(?:-f|-k|-g|--filter|--grep|--name|--only|--match(?:-\w+)?)$/;
/** `-f json` is a format. */
const FORMAT =
  /^(?:json|tap|junit|pretty|dots?|spec|list|progress|documentation|verbose|ya?ml|xml|text|\d+)$/i;

/** Does a runner of this name, as `classify` writes it, run tests? */
export function runsTests(runner: string): boolean {
  const [name = '', word = ''] = runner.split(' ');
  return !SHOWS.test(name) && (NAMED.test(name) || SUBCOMMAND.test(word) || OPTION.test(word));
}

/** Null where it is not one of these. */
export function testProgram(name: string, args: readonly string[]): Found | null {
  const bare = args.filter((arg) => !arg.startsWith('-')).slice(0, 2);
  if (VIEWS.test(bare[0] ?? '')) return null;
  const word = bare.find((arg) => SUBCOMMAND.test(arg)) ?? args.find((arg) => OPTION.test(arg)) ?? null;
  const code = args.find((arg) => CALLS.test(arg));
  const calls = code?.split(';').every((part) => part.trim() === '' || CALL.test(part)) === true;
  const runner = word !== null ? `${name} ${word}` : calls ? `${name} --test` : name;
  if (!runsTests(runner)) return null;
  const given = word === null ? args : args.slice(args.indexOf(word) + 1);
  const rest = FROM_OUTSIDE.test(name) || (calls && word === null) ? [] : given;
  const [targets, selectors]: [string[], string[]] = [[], []];
  for (const [at, arg] of rest.entries()) {
    if (arg === '' || arg.startsWith('-') || /^\w+=/.test(arg)) continue;
    const before = rest[at - 1] ?? '';
    if (SELECTORS.test(before)) {
      if (!FORMAT.test(arg)) selectors.push(arg);
    }
    // Of an option nobody knows, the next word is its value, unless it looks like a path.
    else if (!before.startsWith('-') || before === '--' || /[/\\]/.test(arg)) targets.push(arg);
  }
  const saved = given.find((arg) => REPORT_FILE.test(arg) && !arg.startsWith('-')) ?? null;
  const dry = args.find((arg) => DRY.test(arg)) ?? (word === null || SUBCOMMAND.test(word) ? saved : null);
  return found('run', runner, { targets: targets.slice(0, 8), selectors: selectors.slice(0, 8), dry });
}
