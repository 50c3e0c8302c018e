// Does a call turn against its own record? Given what the agent is about to run or write, and what is ours, says what
// it would do, in words behind "it would"; null where it does nothing of the kind. A hurdle, no wall: what a line hides
// well enough is not seen here, and is left to the commands themselves and to what a verifier calls blind.
import { MAX_COMMAND } from '../command/facts.ts';
import { readPrograms } from '../command/read-command.ts';
import type { Started } from '../command/walk.ts';
import { programName } from '../command/wrappers.ts';
import { addedBy, decodings, finds, spread, textsOf } from './handed-text.ts';
import { asksServiceToStop, killsOurs } from './kills.ts';
import { namesOurs, type Ours } from './ours.ts';
import { ownAct, ownWords } from './own-command.ts';
import { spokenAct, spokenFile } from './spoken.ts';
import { targetsOf } from './written-paths.ts';

const MAX_DEPTH = 4;
/** Words that are held against our paths, over the whole line. More than this nobody means, and nobody is to wait for. */
const MAX_TARGETS = 2000;
const TOO_MUCH = 'do more than can be told from here';
/** Behind our program's name, in the words of a wrapper. */
const MAX_OWN_WORDS = 32;

/** How deep in texts within texts, and how much may still be looked at. */
interface Work {
  readonly depth: number;
  left: number;
}
const SHELL = /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh|pwsh|powershell|nu|elvish|xonsh)$/;
/** Those whose scripts the parser of a line does not follow. */
const OTHER_SHELL = /^(?:fish|csh|tcsh|pwsh|powershell|nu|elvish|xonsh)$/;
const CODE =
  /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|tsx|perl|ruby|php|lua|osascript|awk|gawk|tclsh|Rscript|julia|elixir|groovy|jshell|expect)$/;
/** Programs whose words are run later, elsewhere, or by somebody else. */
const LAUNCHERS =
  /^(?:at|batch|crontab|tmux|screen|zellij|systemd-run|parallel|dtach|abduco|daemonize|start-stop-daemon|nsenter|unshare|setpriv|runuser|capsh|firejail|proxychains4?|ssh|su|gdb|entr|watchexec|concurrently|flock|trap|alias)$/;
/** Programs whose words are only text, or names to be looked for. */
const TALKERS =
  ' echo printf grep egrep fgrep rg ag ack cat bat less more head tail ls man which type whereis command info tldr git gh glab diff comm cmp test [ sed wc sort uniq file stat open code cd pushd find fd tree npm pnpm yarn pip brew apt apt-get curl wget jq export declare local read ';
const DECODERS = /^(?:base64|base32|xxd|openssl|uudecode|rev|tr|gunzip|zcat)$/;
const REMOVES_PACKAGE = /^(?:uninstall|remove|rm|un|unlink|r|delete)$/;

/** What a line of a shell would do. Never throws. */
export function attackByCommand(command: string, cwd: string | null, ours: Ours): string | null {
  return attack(command.slice(0, MAX_COMMAND + 1), cwd, ours, { depth: 0, left: MAX_TARGETS });
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

function attack(command: string, cwd: string | null, ours: Ours, work: Work): string | null {
  const programs = readPrograms(command, { cwd, root: ours.root });
  if (programs === null) return spoken(command, ours);
  const { started, loops } = programs;
  const texts = started.flatMap(textsOf);
  const added = addedBy(started, texts);
  for (const each of [...started, ...finds(started)]) {
    for (const argv of spread(each.argv, loops, added)) {
      const act = byProgram({ ...each, argv }, ours, work);
      if (act !== null) return act;
    }
  }
  return work.depth < MAX_DEPTH ? byText(started, texts, cwd, ours, work) : null;
}

function byProgram(program: Started, ours: Ours, work: Work): string | null {
  const { argv, cwd, env, input } = program;
  const [first = '', ...args] = argv;
  const name = programName(first);
  const own = ownWords(argv);
  if (own !== null) return ownAct(own, { ...ours, cwd, env });
  if (killsOurs(argv, cwd, ours) || asksServiceToStop(argv)) return 'stop what records the session';
  if (
    /^(?:npm|pnpm|yarn|bun)$/.test(name) &&
    args.some((arg) => REMOVES_PACKAGE.test(arg)) &&
    args.some(isPackage)
  )
    return 'remove the program that records the session';
  for (const { word, reach } of targetsOf(argv)) {
    if (--work.left < 0) return TOO_MUCH;
    if (/[$`]/.test(word) && /\b(?:counter)?foil\b/.test(word))
      return 'change the program that records the session';
    const path = namesOurs(word, cwd, reach, ours);
    if (path !== null) return changes(path, ours);
  }
  if (CODE.test(name)) return spoken(codeIn(name, args, input), ours, env);
  // What an alias of git runs begins with an exclamation mark.
  if (name === 'git' && args.some((arg) => /(?:^|=)!/.test(arg))) return spoken(args.join('\n'), ours, env);
  if (name === 'make') return spoken(input.join('\n'), ours, env);
  if (LAUNCHERS.test(name)) return spoken([...args, ...input].join('\n'), ours, env);
  // A wrapper that nobody knows: our program among its words is run by it.
  return TALKERS.includes(` ${name} `) || name === '>' ? null : amongWords(args, program, ours);
}

/** What is on the command line of an interpreter; a file that it is given is not. */
function codeIn(name: string, args: readonly string[], input: readonly string[]): string {
  const inline =
    /^(?:g?awk|expect)$/.test(name) ||
    args.some((arg) => /^-[a-zA-Z]*[cepr]$|^--(?:eval|print|exec)/.test(arg));
  return [...(inline ? args : []), ...input].join('\n');
}

function isPackage(word: string): boolean {
  return /^counterfoil(?:@.*)?$/.test(word);
}

function amongWords(args: readonly string[], { cwd, env }: Started, ours: Ours): string | null {
  for (const [at, word] of args.entries()) {
    if (!/foil/.test(word)) continue;
    const own = ownWords(args.slice(at, at + MAX_OWN_WORDS));
    const act = own === null ? null : ownAct(own, { ...ours, cwd, env });
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
  work: Work,
): string | null {
  const names = started.map(({ argv }) => programName(argv[0] ?? ''));
  const written = new Set(
    started.filter(({ argv }) => argv[0] === '>').map(({ argv }) => plainPath(argv[1] ?? '')),
  );
  const runs = started.some(
    ({ argv, input }, at) =>
      (SHELL.test(names[at] ?? '') && isFed(argv, written, input)) ||
      /^(?:eval|source|\.|at|batch|crontab|xargs)$/.test(names[at] ?? '') ||
      written.has(plainPath(argv[0] ?? ' ')),
  );
  const scripts = started.flatMap(({ argv }, at) => (SHELL.test(names[at] ?? '') ? scriptOf(argv) : []));
  const decoded = names.some((name) => DECODERS.test(name)) ? texts.flatMap(decodings) : [];
  for (const text of [...scripts, ...(runs ? [...texts, ...decoded] : [])]) {
    const inner = { depth: work.depth + 1, left: work.left };
    const act = attack(text, cwd, ours, inner);
    work.left = inner.left;
    if (act !== null) return act;
  }
  return null;
}

/** Does the shell read its script from somewhere else in the line? */
function isFed(argv: readonly string[], written: ReadonlySet<string>, input: readonly string[]): boolean {
  const script = argv.slice(1).find((word) => !word.startsWith('-'));
  return (
    script === undefined ||
    written.has(plainPath(script)) ||
    input.length > 0 ||
    /[$`]|^\/dev\/(?:stdin|fd\/)|^<\(/.test(script)
  );
}

/** `./x.sh` is x.sh. */
function plainPath(word: string): string {
  return word.replace(/^(?:\.\/)+/, '');
}

function scriptOf(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => /^-[a-zA-Z]*c$|^-Command$/i.test(word));
  const text = at < 0 ? undefined : argv[at + 1];
  if (text !== undefined && OTHER_SHELL.test(programName(argv[0] ?? ''))) return [text];
  // What the parser took apart was walked with the line; what it could not is looked at as text.
  return text !== undefined && readPrograms(text, { cwd: null, root: null }) === null ? [text] : [];
}
