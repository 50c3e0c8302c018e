// What this room knows of a host: where its settings are, what stands in them, and how ours is told from others'. One
// file a host; each holds the events it is asked for in one table. Of the command only this is assumed: it is called
// `foil hook AGENT`, and finds everything else itself.
import type { Mode } from '../../ledger/index.ts';
import type { Hooks } from './hook-block.ts';
import type { KeepOn } from './keep-on.ts';

/**
 * local: this machine's own, not committed; paths, ledger, port and token are pinned. project: what a team commits; foil
 * is found through PATH, and who has none does not notice. user: every project of this user.
 */
export const SCOPES = ['local', 'project', 'user'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where to look. */
export interface Places {
  readonly project: string;
  /** Where the host may have been started, below the project: some read a project's settings there. */
  readonly cwd?: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What stands before the paths of an administrator's files; nothing but in tests. */
  readonly system?: string;
}

/** What is pinned in the hooks. */
export interface Wiring {
  readonly scope: Scope;
  readonly mode: Mode;
  /** Absolute paths of node and of foil.cjs. */
  readonly node: string;
  readonly foil: string;
  /** The ledger's directory, in local scope. */
  readonly ledger: string | null;
  /** Where what is kept about that ledger lies, if its own place does not say it: see stateToPin. */
  readonly state?: string | null;
  /** The members that came with the hooks to keep them on, where the host has such: see keep-on.ts. */
  readonly keeps?: string | null;
  /** Of the local service, for hosts that call it over HTTP in local scope. */
  readonly service: { readonly port: number; readonly token: string } | null;
  /** Of the service under another user, in locked mode: the hooks go there, and nowhere else. */
  readonly socket?: string | null;
}

export interface SettingsFile {
  readonly path: string;
  /** How many of its folders may be made for it, and go with it if they are empty then. */
  readonly folders: number;
  /** Members that a new file needs besides `hooks`. */
  readonly besides: Readonly<Record<string, unknown>>;
}

/** A host's settings as they stand in the file. Nothing is known of what is in them. */
export type Settings = Readonly<Record<string, unknown>>;

export interface Switch {
  readonly name: string;
  readonly off: boolean;
}

export interface ManagedOnly {
  readonly name: string;
  /** Its values in those files, from the one that counts most: which of them keeps hooks from running? -1 where none does. */
  readonly offAt: (values: readonly unknown[]) => number;
}

export interface Host {
  readonly agent: string;
  /** As its makers write it. */
  readonly title: string;
  /** Were our hooks seen at work in the host itself? Else they are made from its documents. */
  readonly seen: boolean;
  file(scope: Scope, places: Places): SettingsFile;
  /** What stands in the list of each event. Undefined for a host that takes a program instead. */
  readonly hooks?: (wiring: Wiring) => Hooks;
  /** Events that earlier versions did not ask for: without them, hooks of theirs are still whole. */
  readonly later?: readonly string[];
  /** The member by which these settings switch all hooks on or off, if they do. The first scope that has one decides. */
  readonly switches?: (settings: Settings) => Switch | undefined;
  /** The members that keep hooks on in local scope, whatever a project's file says. */
  readonly keepsOn?: readonly KeepOn[];
  /** Why it passes over a file with this text, so that no hook in it runs: in words behind the path. Null: it reads it. */
  readonly passesOver?: (text: string) => string | null;
  /** An administrator's file, which counts more than any other. So do the files in the folder of its name with `.d`. */
  readonly managed?: string;
  /** Members that keep our hooks from running, and count in an administrator's files alone. */
  readonly managedOnly?: readonly ManagedOnly[];
  /** The member that lists which addresses hooks over HTTP may go to. */
  readonly allowed?: string;
  /** What the user must do before the hooks run. */
  readonly next: readonly string[];
  /** By these it is known to be here: executables, and folders of the project and of the home. */
  readonly signs: { readonly programs: readonly string[]; readonly folders: readonly string[] };
}

/** For hosts that kill a hook: above the 25 seconds that an append waits for the lock. */
export const TIMEOUT_SECONDS = 30;

/**
 * The words of the hook command. In local scope the mode is not among them: the ledger that they name has it, and Codex
 * trusts a hook by its words, so that a change would switch it off. Elsewhere they name no ledger.
 */
export function hookWords(
  agent: string,
  { scope, mode, node, foil, ledger, state = null, socket = null, keeps = null }: Wiring,
  event?: string,
): string[] {
  const isPinned = scope === 'local' && mode !== 'locked' && ledger !== null;
  return [
    ...(scope === 'project' ? ['foil'] : [node, foil]),
    'hook',
    agent,
    ...(event === undefined ? [] : ['--event', event]),
    ...(mode === 'locked' && socket !== null ? ['--socket', socket] : []),
    ...(isPinned ? ['--ledger', ledger] : []),
    ...(isPinned && state !== null ? ['--state', state] : []),
    ...(mode === 'locked' || (scope !== 'local' && mode !== 'observe') ? ['--mode', mode] : []),
    ...(scope === 'local' && keeps !== null ? ['--keeps', keeps] : []),
  ];
}

/**
 * What a hook starts without: variables by which Node runs other code, or does not start. A host may set the environment
 * of its hooks from a file of the repository. Certificates stay, because the service that a hook starts needs them. What
 * the system's loader reads (`LD_PRELOAD`) acts before any program can drop it; `foil status` tells of that.
 */
export const DROPPED: readonly string[] = [
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_CHANNEL_FD',
  'NODE_COMPILE_CACHE',
  'NODE_ICU_DATA',
  'NODE_V8_COVERAGE',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
];
const ENV = '/usr/bin/env';

/** The words before a command that make it start without those. `env` would take a program's name with = for a variable. */
function cleanStart([program = '']: readonly string[]): string[] {
  return program.includes('=') ? [] : [ENV, ...DROPPED.flatMap((name) => ['-u', name])];
}

/** The words behind such a start, and the names that it drops. Hooks that were installed long ago drop none. */
function withoutStart(words: readonly string[]): { words: readonly string[]; drops: readonly string[] } {
  const drops: string[] = [];
  if (words[0] !== ENV) return { words, drops };
  let at = 1;
  for (; words[at] === '-u'; at += 2) drops.push(words[at + 1] ?? '');
  return { words: words.slice(at), drops };
}

/**
 * For a shell, which becomes the hook: a hook goes by the process that started it. In project scope it succeeds and says
 * nothing where there is no foil: colleagues who don't use it must not see an error at every step, and in some hosts an
 * error would stop them. Elsewhere a package that was removed is told of, in words instead of a stack trace.
 */
export function hookLine(agent: string, wiring: Wiring, event?: string): string {
  const words = hookWords(agent, wiring, event);
  const line = [...cleanStart(words), ...words].map(quote).join(' ');
  if (wiring.scope === 'project') return `${IF_THERE}${line}; fi`;
  return `if [ -r ${quote(wiring.foil)} ]; then ${EXEC}${line}${OR_GONE}`;
}

const EXEC = 'exec ';
/** Some models read this. */
const GONE =
  'Counterfoil was removed and its hooks are still here, so nothing can be recorded. A person has to install it again or take the hooks out of the settings.';
const OR_GONE = `; else echo '${GONE}' >&2; exit 1; fi`;
const IF_READABLE = /^if \[ -r (?:[A-Za-z0-9_./:=@%+-]|\\'|'[^']*')+ \]; then exec /;
const IF_THERE = `if command -v foil >/dev/null 2>&1; then ${EXEC}`;

function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The words of a line as hookLine writes it; undefined for any other line. */
function unquote(line: string): string[] | undefined {
  const bare = bareOf(line);
  if (!/^(?:(?:[A-Za-z0-9_./:=@%+-]|\\'|'[^']*')+(?: |$))+$/.test(bare)) return undefined;
  const words = bare.match(/(?:[A-Za-z0-9_./:=@%+-]|\\'|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(/\\'|'([^']*)'/g, (found, inside?: string) => (found === "\\'" ? "'" : (inside ?? ''))),
  );
}

/** Earlier versions wrote the command alone, or behind `exec`. */
function bareOf(line: string): string {
  if (line.startsWith(IF_THERE) && line.endsWith('; fi')) return line.slice(IF_THERE.length, -4);
  const readable = line.endsWith(OR_GONE) ? IF_READABLE.exec(line)?.[0] : undefined;
  if (readable !== undefined) return line.slice(readable.length, -OR_GONE.length);
  return line.startsWith(EXEC) ? line.slice(EXEC.length) : line;
}

/** What a hook of ours says, or undefined where it is not ours. */
export function readHook(
  hook: unknown,
  agent: string,
): { words: readonly string[]; drops: readonly string[] } | { port: number } | undefined {
  if (typeof hook !== 'object' || hook === null) return undefined;
  const { type, command, bash, args, url } = hook as Record<string, unknown>;
  if (type === 'http') {
    const found =
      typeof url === 'string' ? /^http:\/\/127\.0\.0\.1:(\d{1,5})\/v1\/hook\/([a-z-]+)$/.exec(url) : null;
    return found?.[2] === agent ? { port: Number(found[1]) } : undefined;
  }
  const line = bash ?? command;
  if (typeof line !== 'string') return undefined;
  const all =
    args === undefined ? unquote(line) : Array.isArray(args) ? [line, ...args.map(String)] : undefined;
  const { words, drops } = withoutStart(all ?? []);
  const at = words[0] === 'foil' ? 1 : /[/\\]foil(?:\.cjs)?$/.test(words[1] ?? '') ? 2 : undefined;
  return at !== undefined && words[at] === 'hook' && words[at + 1] === agent ? { words, drops } : undefined;
}

/** Is a hook's command such that its words run, whatever lies around? Words behind the test for another file may not. */
export function isOwnLine(
  hook: Readonly<Record<string, unknown>>,
  { words, drops }: { readonly words: readonly string[]; readonly drops: readonly string[] },
): boolean {
  const { bash, command, args } = hook;
  if (args !== undefined) return true;
  const start = drops.length === 0 ? [] : [ENV, ...drops.flatMap((name) => ['-u', name])];
  const line = [...start, ...words].map(quote).join(' ');
  const tested =
    words[0] === 'foil'
      ? `${IF_THERE}${line}; fi`
      : `if [ -r ${quote(words[1] ?? '')} ]; then ${EXEC}${line}${OR_GONE}`;
  return [line, `${EXEC}${line}`, tested].includes(String(bash ?? command));
}

/** The value of an option in a hook's words. */
export function option(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

/** A member of a member, where there is one. */
export function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
