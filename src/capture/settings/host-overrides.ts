// What the settings of hosts say against our hooks: that none run, or with which environment they run. Such a file is
// often committed, so a repository decides it for everybody who clones it. Only looked at, so that `foil status` and
// `foil doctor` tell the truth. Gemini CLI also fills its environment from `.env` files.
import { join } from 'node:path';
import { utf8Decode } from '#platform';
import { readSnapshot } from './file.ts';
import { gemini } from './gemini.ts';
import { type Host, inside, type Places, SCOPES, type Scope, type Settings } from './host.ts';
import { findRunning, isSharedByWorkTrees, mainCheckout } from './linked-worktree.ts';
import { managedFiles, managedSwitch, readSettingsFile, type SettingsRead } from './managed.ts';
import { HOSTS, holdsHooks } from './plan.ts';

export interface Override {
  readonly agent: string;
  readonly path: string;
  /** The variable, or the member that switches hooks off or keeps them from being sent. */
  readonly name: string;
  /** Null for a member. */
  readonly value: string | null;
  /** Of a file that the host passes over: why, in words behind its path. */
  readonly why?: string;
  /** Of such a file: do hooks of ours stand in it? */
  readonly hooked?: boolean;
}

/** Variables that say where things are, that nothing is recorded, or that other code runs in a hook. */
const MATTERS =
  /^(?:FOIL(?:_.*)?|XDG_(?:STATE|CONFIG)_HOME|XDG_RUNTIME_DIR|HOME|TMPDIR|PATH|CLAUDE_CODE_SHELL_PREFIX|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP|CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS|NODE_[A-Z0-9_]+|OPENSSL_[A-Z]+|LD_[A-Z_]+|DYLD_.*|GIT_.*|(?:https?|all)_proxy|(?:HTTPS?|ALL)_PROXY)$/;
const LONGEST = 200;
/** In place of a name: the file is there, and what it says is not known. */
export const UNREAD = 'unread';

/** Never throws: a file that can't be understood is told of as such. */
export function findOverrides(places: Places, hosts: readonly Host[] = HOSTS): readonly Override[] {
  const found: Override[] = [];
  for (const host of hosts) {
    const { agent, hooks } = host;
    // A plugin is a program, and says nothing of the kind.
    if (hooks === undefined) continue;
    const managed = managedFiles(host, places);
    const files = [...managed, ...filesOf(host, places)];
    const decided = files.map((each) => ({ path: each.path, ...host.switches?.(each.settings) }));
    const first = decided.find(({ name }) => name !== undefined);
    const off = managedSwitch(host, managed) ?? (first?.off === true ? first : undefined);
    if (off !== undefined) found.push({ agent, path: off.path, name: off.name ?? '', value: null });
    for (const { path, unread } of files) {
      if (unread === null) continue;
      const why = unread === '' ? {} : { why: unread, hooked: holdsHooks(host, path) };
      found.push({ agent, path, name: UNREAD, value: null, ...why });
    }
    found.push(...variablesIn(agent, files));
    found.push(...unreachable(host, files, places));
  }
  const { project, cwd = project } = places;
  if (!hosts.includes(gemini)) return found;
  for (const folder of new Set([project, cwd].flatMap((each) => [join(each, '.gemini'), each]))) {
    const path = join(folder, '.env');
    for (const [, name = '', value = ''] of textIn(path)?.matchAll(LINE) ?? [])
      if (MATTERS.test(name)) found.push({ agent: 'gemini', path, name, value: short(value) });
  }
  return found;
}

/** Of a variable that several files set, the file that counts most decides. */
function variablesIn(agent: string, files: readonly SettingsRead[]): readonly Override[] {
  const decided = new Map<string, Override>();
  for (const { path, settings } of files)
    for (const [name, value] of Object.entries(Object(inside(settings, 'env')) as Settings))
      if (MATTERS.test(name) && !decided.has(name))
        decided.set(name, { agent, path, name, value: short(value) });
  return [...decided.values()];
}

/** From the file that counts most, behind the managed ones. */
function filesOf(host: Host, places: Places): readonly SettingsRead[] {
  const { project, cwd = project } = places;
  const main = mainCheckoutOf(host, places);
  const paths = SCOPES.flatMap((scope: Scope) => [
    // Seen: the main checkout's local file counts more than a linked work tree's own.
    ...(scope === 'local' && main !== null ? [host.file(scope, main).path] : []),
    host.file(scope, places).path,
    ...(scope === 'user' ? [] : [host.file(scope, { ...places, project: cwd }).path]),
  ]);
  return [...new Set(paths)].flatMap((path) => readSettingsFile(path, host.passesOver ?? readsAll));
}

function mainCheckoutOf({ agent }: Host, places: Places): Places | null {
  return isSharedByWorkTrees({ agent, scope: 'local' }) ? mainCheckout(places) : null;
}

function readsAll(): null {
  return null;
}

/** Hooks over HTTP that no list of allowed addresses has. The lists of all files count together. */
function unreachable(host: Host, files: readonly SettingsRead[], places: Places): readonly Override[] {
  const { agent, allowed } = host;
  if (allowed === undefined) return [];
  const lists = files.flatMap(({ path, settings }) => {
    const list = settings[allowed];
    return Array.isArray(list) ? [{ path, list: list.map(String) }] : [];
  });
  const [first] = lists;
  const ports = findRunning(places, [host]).flatMap(({ port }) => port ?? []);
  const isListed = (port: number): boolean =>
    lists.some(({ list }) =>
      list.some((pattern) => fits(pattern, `http://127.0.0.1:${port}/v1/hook/${agent}`)),
    );
  return first === undefined || ports.every(isListed)
    ? []
    : [{ agent, path: first.path, name: allowed, value: null }];
}

/** A star stands for anything, as in the host. Part by part, because the pattern is a stranger's. */
function fits(pattern: string, url: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === url;
  let at = url.startsWith(first) ? first.length : -1;
  for (const part of rest) {
    const found = at < 0 ? -1 : url.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && url.length - at >= last.length && url.endsWith(last);
}

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*["']?([^"'\r\n]*)/gm;

function short(value: unknown): string {
  return String(value).slice(0, LONGEST);
}

function textIn(path: string): string | undefined {
  try {
    const { bytes } = readSnapshot(path, { anyOwner: true });
    return bytes === null ? undefined : utf8Decode(bytes);
  } catch {
    return undefined;
  }
}
