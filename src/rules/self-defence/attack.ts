// Does a call turn against its own record? Given what the agent is about to run or write, and what is ours, says what
// it would do, in words behind "it would"; null where it does nothing of the kind. A hurdle, no wall: what a line hides
// well enough is not seen here, and is left to the commands themselves and to what a verifier calls blind.
import { MAX_COMMAND } from '../command/facts.ts';
import { readPrograms } from '../command/read-command.ts';
import type { Started } from '../command/walk.ts';
import { programName } from '../command/wrappers.ts';
import { asksServiceToStop, killsOurs } from './kills.ts';
import { namesOurs, type Ours } from './ours.ts';
import { ownAct, ownWords } from './own-command.ts';
import { spokenAct, spokenFile } from './spoken.ts';
import { targetsOf } from './written-paths.ts';

const MAX_DEPTH = 4;
const SHELL = /^(?:ba|z|da|k|a|fi)?sh$/;
const CODE =
  /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|tsx|perl|ruby|php|lua|osascript|awk|gawk|tclsh|Rscript|julia|elixir|groovy|jshell|expect)$/;
/** Programs whose words are run later, elsewhere, or by somebody else. */
const LAUNCHERS =
  /^(?:at|batch|crontab|tmux|screen|zellij|systemd-run|parallel|dtach|abduco|daemonize|start-stop-daemon|nsenter|unshare|setpriv|runuser|capsh|firejail|proxychains4?|ssh|su|gdb|entr|watchexec|concurrently|trap|alias)$/;
/** Programs whose words are only text, or names to be looked for. */
const TALKERS =
  ' echo printf grep egrep fgrep rg ag ack cat bat less more head tail ls man which type whereis command info tldr git gh glab diff comm cmp test [ sed wc sort uniq file stat open code cd pushd find fd tree npm pnpm yarn pip brew apt apt-get curl wget jq export declare local read ';
const DECODERS = /^(?:base64|base32|xxd|openssl|uudecode|rev|tr|gunzip|zcat)$/;
const REMOVES_PACKAGE = /^(?:uninstall|remove|rm|un|unlink|r|delete)$/;

/** What a line of a shell would do. Never throws. */
export function attackByCommand(command: string, cwd: string | null, ours: Ours): string | null {
  return attack(command.slice(0, MAX_COMMAND + 1), cwd, ours, 0);
}

/** What writing, moving or deleting this file would do. */
export function attackByFile(path: string, cwd: string | null, ours: Ours): string | null {
  const found = path === '' ? null : namesOurs(path, cwd, 'inside', ours);
  return found === null ? null : changes(found, ours);
}

function changes(path: string, { files, directories }: Ours): string {
  const isSettings =
    !directories.some((each) => path === each || path.startsWith(`${each}/`)) && files.length > 0;
  return isSettings
    ? 'change the settings in which the hooks stand that record the session'
    : 'change files by which the session is recorded';
}

function attack(command: string, cwd: string | null, ours: Ours, depth: number): string | null {
  const programs = readPrograms(command, { cwd, root: ours.root });
  if (programs === null) return spoken(command, ours);
  const { started, loops } = programs;
  const texts = started.flatMap(textsOf);
  for (const each of started) {
    for (const argv of spreadLoops(each.argv, loops, texts)) {
      const act = byProgram({ ...each, argv }, ours);
      if (act !== null) return act;
    }
  }
  return depth < MAX_DEPTH ? byText(started, texts, cwd, ours, depth) : null;
}

function byProgram(program: Started, ours: Ours): string | null {
  const { argv, cwd, env, input } = program;
  const [first = '', ...args] = argv;
  const name = programName(first);
  const own = ownWords(argv);
  if (own !== null) return ownAct(own, { ledger: ours.ledger, cwd, env });
  if (killsOurs(argv, cwd, ours) || asksServiceToStop(argv)) return 'stop what records the session';
  if (
    /^(?:npm|pnpm|yarn|bun)$/.test(name) &&
    args.some((arg) => REMOVES_PACKAGE.test(arg)) &&
    args.some(isPackage)
  )
    return 'remove the program that records the session';
  for (const { word, reach } of targetsOf(argv)) {
    const path = namesOurs(word, cwd, reach, ours);
    if (path !== null) return changes(path, ours);
  }
  if (CODE.test(name)) {
    const code = [...args, ...input].join('\n');
    return (
      spokenAct(code, ours, env) ??
      (spokenFile(code, ours) === null ? null : changes(spokenFile(code, ours) ?? '', ours))
    );
  }
  if (LAUNCHERS.test(name)) return spoken([...args, ...input].join('\n'), ours, env);
  // A wrapper that nobody knows: our program among its words is run by it.
  return TALKERS.includes(` ${name} `) || name === '>' ? null : amongWords(args, program, ours);
}

function isPackage(word: string): boolean {
  return /^counterfoil(?:@.*)?$/.test(word);
}

function amongWords(args: readonly string[], { cwd, env }: Started, ours: Ours): string | null {
  for (const at of args.keys()) {
    const own = ownWords(args.slice(at));
    const act = own === null ? null : ownAct(own, { ledger: ours.ledger, cwd, env });
    if (act !== null) return act;
  }
  return null;
}

function spoken(text: string, ours: Ours, env: readonly string[] = []): string | null {
  const file = spokenFile(text, ours);
  return spokenAct(text, ours, env) ?? (file === null ? null : changes(file, ours));
}

/** Text that one part of the line hands to a shell in another: it is a line, too. */
function byText(
  started: readonly Started[],
  texts: readonly string[],
  cwd: string | null,
  ours: Ours,
  depth: number,
): string | null {
  const names = started.map(({ argv }) => programName(argv[0] ?? ''));
  const written = new Set(started.filter(({ argv }) => argv[0] === '>').map(({ argv }) => argv[1] ?? ''));
  const runs = started.some(
    ({ argv, input }, at) =>
      (SHELL.test(names[at] ?? '') && isFed(argv, written, input)) ||
      /^(?:eval|source|\.|at|batch|crontab|xargs)$/.test(names[at] ?? '') ||
      written.has(argv[0] ?? ' '),
  );
  const inner = started.flatMap(({ argv }, at) => (SHELL.test(names[at] ?? '') ? scriptOf(argv) : []));
  const decoded = names.some((name) => DECODERS.test(name)) ? texts.flatMap(decodings) : [];
  for (const text of [...inner, ...(runs ? [...texts, ...decoded] : [])]) {
    const act = attack(text, cwd, ours, depth + 1);
    if (act !== null) return act;
  }
  return null;
}

/** Does the shell read its script from somewhere else in the line? */
function isFed(argv: readonly string[], written: ReadonlySet<string>, input: readonly string[]): boolean {
  const script = argv.slice(1).find((word) => !word.startsWith('-'));
  return (
    script === undefined ||
    written.has(script) ||
    input.length > 0 ||
    /^\/dev\/(?:stdin|fd\/)|^<\(/.test(script)
  );
}

function scriptOf(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => /^-[a-zA-Z]*c$/.test(word));
  const text = at < 0 ? undefined : argv[at + 1];
  // What the parser took apart was walked with the line; what it could not is looked at as text.
  return text !== undefined && readPrograms(text, { cwd: null, root: null }) === null ? [text] : [];
}

function textsOf({ argv, input }: Started): string[] {
  const [first = '', ...args] = argv;
  const prints = /^(?:echo|printf)$/.test(programName(first));
  return [...input, ...(prints ? [unescaped(args.filter((arg) => !/^-[neE]+$/.test(arg)).join(' '))] : [])];
}

/** As printf and `echo -e` would. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{3})|(n))/g,
    (found, hex?: string, octal?: string, line?: string) =>
      line !== undefined
        ? '\n'
        : hex !== undefined
          ? String.fromCharCode(Number.parseInt(hex, 16))
          : octal !== undefined
            ? String.fromCharCode(Number.parseInt(octal, 8))
            : found,
  );
}

/** What a decoder could make of it. */
function decodings(text: string): string[] {
  const found: string[] = [[...text].reverse().join('')];
  for (const word of text.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g)?.slice(0, 16) ?? []) {
    if (/^(?:[0-9a-fA-F]{2})+$/.test(word))
      found.push(word.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
    try {
      found.push(atob(word.replaceAll('-', '+').replaceAll('_', '/')));
    } catch {
      // It is none.
    }
  }
  return found;
}

/** A word that is a loop's variable, or what xargs adds, is each of what it stands for. */
function spreadLoops(
  argv: readonly string[],
  loops: ReadonlyMap<string, readonly string[]>,
  texts: readonly string[],
): readonly (readonly string[])[] {
  const added =
    argv.includes('$(xargs)') || argv.includes('{}') ? texts.flatMap((text) => text.split(/\s+/)) : [];
  if (loops.size === 0 && added.length === 0) return [argv];
  const words = argv.flatMap((word): readonly string[] => {
    if ((word === '$(xargs)' || word === '{}') && added.length > 0) return added;
    const name = /^\$\{?(\w+)\}?(.*)$/s.exec(word);
    const through = name === null ? undefined : loops.get(name[1] ?? '');
    return through === undefined ? [word] : through.map((each) => `${each}${name?.[2] ?? ''}`);
  });
  return [words];
}
