// What a simple command is as a check, by its words: the tables of the runners, then programs and scripts. Null: none.
import {
  type Found,
  found,
  interpreters,
  own,
  readPython,
  readTool,
  scriptKind,
  testProgram,
  toolOf,
  VIEWS,
} from '../ecosystems/index.ts';
import { HARMLESS, mayBeProgram, programName } from './programs.ts';
import { isRunnerName, known } from './runner-names.ts';
import { ASIDE, readInstall } from './runners/aside.ts';

export function classify(argv: readonly string[]): Found | null {
  const [first, ...args] = argv;
  if (first === undefined) return null;
  const name = programName(first);
  if (/^(?:python|pypy)[\d.]*$|^py$/.test(name)) return readPython(args, name);
  const interpreter = own(interpreters, name);
  if (interpreter !== undefined) return readTool(interpreter, args, name);
  const isShell = /^(?:bash|sh|zsh|dash|ksh|fish)$/.test(name);
  // It reads the script and runs nothing of it.
  if (isShell && args[0] === '-n') return found('build', `${name} -n`, { targets: args.slice(1, 2) });
  if (isShell)
    return script(
      args.find((arg) => !arg.startsWith('-') && !arg.startsWith('+')),
      args,
      name,
    );
  if (name === 'bun' && args[0] !== 'test' && args[0] !== 'build') return bun(args);
  if (name === 'deno' && args[0] === 'task') return task('deno task', args.slice(1), name);
  if (name === 'deno' && args[0] === 'run')
    return found('run', 'deno run', {
      targets: args
        .slice(1)
        .filter((arg) => !arg.startsWith('-'))
        .slice(0, 1),
    });
  const install = readInstall(name, args);
  if (install !== null) return install;
  const look = own(ASIDE, name);
  if (look !== undefined) return readTool(look, args, name);
  const tool = known(name);
  if (tool !== undefined) {
    const read = readTool(tool, args, name);
    // `helm unittest charts/web`: a word that the table does not know for what it is.
    return read?.kind === 'run' && /^(?:tests?|unittest)$/.test(args[0] ?? '')
      ? (testProgram(name, args) ?? read)
      : read;
  }
  if (isPath(first)) return script(first, args, null);
  return mayBeProgram(name) ? program(name, args) : null;
}

/** A program that no table knows. What it covers is what it is given; a question for its version is no run. */
function program(name: string, args: readonly string[]): Found {
  const dry = args.find((arg) => /^(?:--version|--help|--dry-run)$/.test(arg)) ?? null;
  return (
    testsBehind(args) ??
    testProgram(name, args) ??
    found('run', name, { targets: args.filter(isPath).slice(0, 8), dry })
  );
}

/** It runs in another place, or later. */
const ELSEWHERE = /^(?:ssh|remote|run-command|spawn|detach|schedule|enqueue|submit)$/;
const MOST_BEFORE = 6;

/**
 * A wrapper that no table knows, with a known runner of tests behind it: `acme run -- go test`. Only tests, which must
 * count themselves: of anything else nobody could tell whether it ran at all.
 */
function testsBehind(args: readonly string[]): Found | null {
  const dashes = args.indexOf('--');
  if (
    args
      .slice(0, MOST_BEFORE)
      .some((arg) => ELSEWHERE.test(arg) || VIEWS.test(arg) || HARMLESS.includes(` ${arg} `))
  )
    return null;
  const starts = dashes < 0 ? args.slice(0, MOST_BEFORE).keys() : [dashes + 1];
  for (const at of starts) {
    const word = args[at] ?? '';
    if (word.startsWith('-') || !isRunnerName(programName(word))) continue;
    const read = classify(args.slice(at));
    return read?.kind === 'test' ? read : null;
  }
  return null;
}

/** A script is what bun runs, unless the word is a file. */
function bun(args: readonly string[]): Found | null {
  const [word = '', next = ''] = args;
  const file = word === 'run' ? next : word;
  if (/^(?:-e|--eval|-p|--print)(?:=|$)/.test(file)) return found('run', 'bun -e');
  if (/\.[cm]?[jt]sx?$/.test(file)) return found('run', 'bun', { targets: [file] });
  return task('bun run', args, 'bun');
}

function task(runner: string, args: readonly string[], name: string): Found | null {
  const tool = toolOf(runner);
  return tool === undefined ? null : readTool(tool, args, name);
}

function isPath(word: string): boolean {
  return /^(?:\.{0,2}\/|~\/)/.test(word) || /^[\w.-]+\/[\w./-]+$/.test(word);
}

/** A script of the work tree: a test where its name says so. */
function script(path: string | undefined, args: readonly string[], interpreter: string | null): Found | null {
  if (path === undefined || path.startsWith('$')) return null;
  const base = programName(path);
  if (args.length === 1 && /^(?:--version|--help|-h)$/.test(args[0] ?? ''))
    return found('run', base, { dry: args[0] ?? '' });
  const named = base.replace(/\.\w+$/, '');
  const isScript =
    interpreter !== null ||
    /\.(?:sh|bash|py|rb|js|mjs|pl|php)$/.test(base) ||
    /^(?:bin|scripts?|tools|hack|ci)\//.test(path.replace(/^\.\//, ''));
  // A program that was built is a test where its name says no less: `build/ring_test`, `bin/ParserTests`.
  const built = /(?:^|[_.-])(?:unit_?)?(?:tests?|tb)$|[a-z]Tests?$|^test[_-]/.test(named) ? 'test' : 'run';
  const kind = isScript ? scriptKind(named) : built;
  // What it covers is not known from its name, unless it is itself what changed.
  return found(
    kind === 'ship' || kind === 'test' ? kind : 'run',
    kind === 'test' || kind === 'ship' ? base : (interpreter ?? base),
    { targets: kind === 'test' ? [] : [path] },
  );
}
