// Installing and uninstalling in two steps: a plan says what each file would become, so that it can be shown and so that a
// problem with one agent is known before anything is written for another; applying it writes, if the file is still what
// the plan was made from.
import { utf8Decode, utf8Encode } from '#platform';
import { ParseError, StoreError } from '../../core/index.ts';
import { isMode, type Mode } from '../../ledger/index.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { parseDocument, plainValue } from './document.ts';
import {
  assertWritable,
  emptyFolders,
  readSnapshot,
  removeFile,
  replaceFile,
  type Snapshot,
} from './file.ts';
import { gemini } from './gemini.ts';
import { findHooks, installHooks, removeHooks, type Shape } from './hook-block.ts';
import {
  DROPPED,
  type Host,
  inside,
  option,
  type Places,
  readHook,
  SCOPES,
  type Scope,
  type Settings,
  type SettingsFile,
  type Wiring,
} from './host.ts';
import { encodeKeeps, insertKeepOn, type KeepOn, missingIn, parseKeeps, removeKeepOn } from './keep-on.ts';
import { managedFiles, managedSwitch } from './managed.ts';
import { assertOurs, encodePlugin, opencode, type PluginText, readPlugin } from './opencode.ts';

export const HOSTS: readonly Host[] = [claudeCode, codex, gemini, copilot, cursor, opencode];

export interface Plan {
  readonly agent: string;
  readonly scope: Scope;
  readonly path: string;
  readonly change: 'none' | 'create' | 'update' | 'remove';
  readonly before: string | null;
  /** Null: the file goes. */
  readonly after: string | null;
  /** What the user should know of the file. */
  readonly warnings: readonly string[];
  readonly snapshot: Snapshot;
  /** Innermost folders that go with the file if they are empty. */
  readonly folders: number;
  /** Permissions of a new file: its owner's alone where it holds the service's token. */
  readonly mode: number;
}

export interface InstallOptions {
  readonly agent: string;
  readonly places: Places;
  readonly wiring: Wiring;
  /** For OpenCode. */
  readonly plugin: PluginText;
}

/** What is installed in one file. */
export interface Installed {
  readonly agent: string;
  readonly scope: Scope;
  readonly path: string;
  /** What stands under each event. */
  readonly groups: readonly { readonly event: string; readonly value: unknown }[];
  /** As pinned in the hooks; null where they leave it to the ledger's settings. */
  readonly mode: Mode | null;
  readonly ledger: string | null;
  /** Where what is kept about it lies; null where they do not say. */
  readonly state: string | null;
  /** Which members they say came with them; null where they do not say. */
  readonly keeps: string | null;
  /** Of the service, where hooks are HTTP calls. */
  readonly port: number | null;
  /** Of the service under another user, in locked mode. */
  readonly socket: string | null;
  /** Is foil found through PATH? */
  readonly portable: boolean;
  /** What its commands run: absolute paths, unless somebody else wrote them. */
  readonly programs: readonly string[];
  /** Does every command of it start without the variables that put other code into it? */
  readonly clean: boolean;
}

export function hostOf(agent: string): Host {
  const host = HOSTS.find((each) => each.agent === agent);
  if (host === undefined) throw new TypeError(`foil knows no agent called ${agent}`);
  return host;
}

/** Throws ParseError or StoreError where the file is not such that hooks can be added to it. Writes nothing. */
export function planInstall({ agent, places, wiring, plugin }: InstallOptions): Plan {
  const host = hostOf(agent);
  const { scope, service } = wiring;
  const file = host.file(scope, places);
  const snapshot = readSnapshot(file.path);
  const before = decode(snapshot);
  const keep = before === null ? emptyFolders(file.path, file.folders) : 0;
  const after =
    host.hooks === undefined
      ? encodePlugin(plugin, wiring, before === null ? keep : assertOurs(before, file.path).keep)
      : withHooks(host, file, before, { wiring, places, keep });
  const why = host.passesOver?.(after) ?? null;
  if (why !== null)
    throw new StoreError(
      'DENIED',
      `${file.path} ${why}. ${host.title} ignores such a file, so no hook in it would run. Fix the file, then run foil install again.`,
    );
  if (before !== after) assertWritable(snapshot);
  const secret = service !== null && after.includes(service.token);
  const warnings: string[] = [];
  if (secret && before !== null && (snapshot.mode & 0o077) !== 0)
    warnings.push(
      `other users can read ${file.path}, which holds the local service's token. Run chmod 600 on it.`,
    );
  const settings = host.hooks === undefined ? undefined : settingsOf(after, file.path);
  if (settings !== undefined && 'version' in file.besides && settings.version === undefined)
    warnings.push(`${file.path} has no "version": 1, which ${host.title} requires.`);
  const switched = settings === undefined ? undefined : host.switches?.(settings);
  if (switched?.off === true && wiring.mode !== 'observe')
    throw new StoreError(
      'DENIED',
      `${file.path} turns hooks off with ${switched.name}, so nothing would be recorded or refused. Remove that setting, then run foil install again.`,
    );
  if (switched?.off === true)
    warnings.push(`${file.path} turns hooks off with ${switched.name}, so none will run.`);
  const managed = managedSwitch(host, managedFiles(host, places));
  if (managed !== undefined && wiring.mode !== 'observe')
    throw new StoreError(
      'DENIED',
      `${managed.path} prevents foil's hooks from running with ${managed.name}, so nothing would be recorded or refused. Ask an administrator to change that file, then run foil install again.`,
    );
  if (managed !== undefined)
    warnings.push(
      `${managed.path} prevents foil's hooks from running with ${managed.name}, so none will run.`,
    );
  return {
    agent,
    scope,
    path: file.path,
    change: before === after ? 'none' : before === null ? 'create' : 'update',
    before,
    after,
    warnings,
    snapshot,
    folders: 0,
    mode: secret ? 0o600 : 0o666 & ~process.umask(),
  };
}

/**
 * In local scope hooks are also kept on against what the project's file says. Not where the user's own file or environment
 * says otherwise: then a hostile project's hooks would run again as well, or the user's own program would not.
 */
function withHooks(
  host: Host,
  file: SettingsFile,
  before: string | null,
  { wiring, places, keep }: { readonly wiring: Wiring; readonly places: Places; readonly keep: number },
): string {
  const { hooks = () => ({}), keepsOn } = host;
  const isKept = wiring.scope === 'local' && keepsOn !== undefined;
  const plain = before === null || !isKept ? before : withoutKeepOn(host, file, before);
  const added = isKept ? missingIn(plain, keptOn(host, places), file.path) : [];
  const wanted = hooks(isKept ? { ...wiring, keeps: encodeKeeps(added) } : wiring);
  const install = (text: string | null): string =>
    installHooks(text, wanted, shapeOf(host, file), file.path, keep);
  // Where the hooks stay as they are, so does the place of what keeps them on.
  const stays = before !== null && install(before) === before;
  return added.reduce((text, each) => insertKeepOn(text, each, file.path), stays ? before : install(plain));
}

/** From the last that was put in. */
function withoutKeepOn(host: Host, file: SettingsFile, text: string): string {
  const { agent, keepsOn = [] } = host;
  const hooks = findHooks(parseDocument(text, file.path), shapeOf(host, file), file.path);
  const said = hooks.flatMap((found) => found.hooks).map((hook) => readHook(hook, agent));
  const words = said.flatMap((each) => (each !== undefined && 'words' in each ? [each.words] : []));
  // Without hooks of ours nothing is.
  if (words.length === 0) return text;
  const { keeps } = pinnedIn(words);
  const ours = keeps === null ? keepsOn : parseKeeps(keeps, keepsOn);
  return ours.reduceRight((rest, each) => removeKeepOn(rest, each, file.path, keeps !== null), text);
}

/** The members that keep hooks on here: those that the user does not set to something else. */
export function keptOn(host: Host, places: Places): readonly KeepOn[] {
  const user = settingsOfUser(host, places);
  return (host.keepsOn ?? []).filter(({ path, value }) => {
    const said = path.reduce<unknown>(inside, user) ?? value;
    const [first, variable] = path;
    return said === value && !(first === 'env' && variable !== undefined && places.env[variable]);
  });
}

/** One that can't be read, or that the host passes over, says nothing. */
function settingsOfUser(host: Host, places: Places): Settings {
  try {
    const { path } = host.file('user', places);
    const text = decode(readSnapshot(path));
    const isRead = text !== null && (host.passesOver?.(text) ?? null) === null;
    return isRead ? settingsOf(text, path) : {};
  } catch {
    return {};
  }
}

/** Takes out what is ours and nothing else. A plan with the change `none` where there is nothing. */
export function planUninstall(agent: string, scope: Scope, places: Places): Plan {
  const host = hostOf(agent);
  const file = host.file(scope, places);
  const snapshot = readSnapshot(file.path);
  const before = decode(snapshot);
  const { text: after, keep } = before === null ? { text: null, keep: 0 } : remove(host, scope, file, before);
  // A link to a file is somebody's work, so the file it leads to was not made here.
  const kept = after === null && before !== null && snapshot.target !== file.path ? '{}\n' : after;
  if (before !== kept) assertWritable(snapshot);
  return {
    agent,
    scope,
    path: file.path,
    change: before === kept ? 'none' : kept === null ? 'remove' : 'update',
    before,
    after: kept,
    warnings: [],
    snapshot,
    folders: file.folders - keep,
    mode: 0o666 & ~process.umask(),
  };
}

/** False if the file is not what the plan was made from any more: nothing was written, and a new plan is needed. */
export function applyPlan(plan: Plan): boolean {
  if (plan.change === 'none') return true;
  if (plan.after === null) return removeFile(plan.snapshot, plan.folders);
  return replaceFile(plan.snapshot, utf8Encode(plan.after), plan.mode);
}

/** Everything of ours that is there. A file that can't be read as settings holds nothing of ours. */
export function findInstalled(places: Places, hosts: readonly Host[] = HOSTS): Installed[] {
  const found = hosts.flatMap((host) =>
    SCOPES.flatMap((scope): Installed[] => {
      try {
        const file = host.file(scope, places);
        const text = decode(readSnapshot(file.path));
        const installed = text === null ? undefined : read(host, scope, file, text);
        return installed === undefined ? [] : [installed];
      } catch {
        return [];
      }
    }),
  );
  // One file may serve two scopes: the one that its hooks are written for counts.
  return found.filter(({ path, scope, portable }) => {
    const shared = found.filter((each) => each.path === path).length > 1;
    return !shared || (scope === 'project') === portable;
  });
}

/** Do hooks of ours stand in this file, whether the host reads it or not? */
export function holdsHooks(host: Host, path: string): boolean {
  try {
    const text = decode(readSnapshot(path));
    const shape = shapeOf(host, { path, folders: 0, besides: {} });
    return text !== null && findHooks(parseDocument(text, path), shape, path).length > 0;
  } catch {
    return false;
  }
}

function read(host: Host, scope: Scope, file: SettingsFile, text: string): Installed | undefined {
  const { agent } = host;
  const { path } = file;
  if (host.hooks === undefined) {
    const plugin = readPlugin(text);
    if (plugin === undefined) return undefined;
    const { mode, words } = plugin;
    const portable = words[0] === 'foil';
    const clean = DROPPED.every((name) => text.includes(name));
    const programs = programsIn([words]);
    return {
      agent,
      scope,
      path,
      groups: [{ event: 'plugin', value: text.replace(/^.*\n/, '').replace(/^const strict = .*$/m, '') }],
      mode,
      port: null,
      portable,
      programs,
      clean,
      ...pinnedIn([words]),
    };
  }
  if ((host.passesOver?.(text) ?? null) !== null) return undefined;
  const hooks = findHooks(parseDocument(text, path), shapeOf(host, file), path);
  if (hooks.length === 0) return undefined;
  const said = hooks.flatMap((found) => found.hooks).map((hook) => readHook(hook, agent));
  const commands = said.flatMap((each) => (each !== undefined && 'words' in each ? [each] : []));
  const words = commands.map((each) => each.words);
  const [port = null] = said.flatMap((each) => (each !== undefined && 'port' in each ? [each.port] : []));
  const [mode = null] = words.map((each) => option(each, '--mode')).filter(isMode);
  const portable = words[0]?.[0] === 'foil';
  const clean = commands.every(({ drops }) => DROPPED.every((name) => drops.includes(name)));
  const programs = programsIn(words);
  const groups = hooks.map(({ event, value }) => ({ event, value }));
  return { agent, scope, path, groups, mode, port, portable, programs, clean, ...pinnedIn(words) };
}

/** Node and the script, or the name that PATH is searched for. */
function programsIn(words: readonly (readonly string[])[]): readonly string[] {
  const found = words.flatMap((each) => each.slice(0, Math.max(0, each.indexOf('hook'))));
  return [...new Set(found)].filter((program) => program !== 'foil');
}

function pinnedIn(
  words: readonly (readonly string[])[],
): Pick<Installed, 'ledger' | 'state' | 'keeps' | 'socket'> {
  const [ledger = null] = words.flatMap((each) => option(each, '--ledger') ?? []);
  const [socket = null] = words.flatMap((each) => option(each, '--socket') ?? []);
  const [state = null] = words.flatMap((each) => option(each, '--state') ?? []);
  const [keeps = null] = words.flatMap((each) => option(each, '--keeps') ?? []);
  return { ledger, state, keeps, socket };
}

function remove(
  host: Host,
  scope: Scope,
  file: SettingsFile,
  text: string,
): { text: string | null; keep: number } {
  const plain = scope === 'local' && host.hooks !== undefined ? withoutKeepOn(host, file, text) : text;
  if (host.hooks !== undefined) return removeHooks(plain, shapeOf(host, file), file.path);
  const plugin = readPlugin(text);
  return plugin === undefined ? { text, keep: 0 } : { text: null, keep: assertOurs(text, file.path).keep };
}

function shapeOf({ agent }: Host, { besides }: SettingsFile): Shape {
  return { isOurs: (hook) => readHook(hook, agent) !== undefined, besides };
}

function decode({ bytes, path }: Snapshot): string | null {
  if (bytes === null) return null;
  try {
    return utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8', path);
  }
}

function settingsOf(text: string, path: string): Settings {
  const { root } = parseDocument(text, path);
  return root === undefined ? {} : (plainValue(root) as Settings);
}
