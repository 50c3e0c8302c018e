// Which hooks tell us too little when a session begins. What stands in the settings then is what the session is held
// against, so hooks that were taken away or changed before it are noticed here or nowhere. An earlier version wrote its
// hooks in other words, and those see as much: what counts is whether a hook is called, for every tool, runs our program
// for our ledger, has the time to do so, and stops the host in guard if it fails.
import { basename, dirname, resolve, sep } from 'node:path';
import { sortedJson } from './hook-block.ts';
import { DROPPED, type Host, inside, isOwnLine, option, readHook, type Wiring } from './host.ts';
import type { Override } from './host-overrides.ts';
import type { Installed } from './plan.ts';

type Hook = Readonly<Record<string, unknown>>;

export interface AtStart {
  readonly project: string;
  /** Of one host, for the ledger in question. */
  readonly found: readonly Installed[];
  readonly wiring: Omit<Wiring, 'scope'>;
  /** Is this group called at all, for all that the settings around it say? */
  readonly isCalled: (group: unknown) => boolean;
}

const MOST_OWN = ['local', 'user', 'project'] as const;
/** The least that any version has given a hook is a third of what this one gives it. */
const LEAST_TIME = 1 / 3;
/** Programs and libraries that are put into every hook of a host. */
const INTO_HOOKS = /^(?:CLAUDE_CODE_SHELL_PREFIX|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/;

/**
 * The events that nothing tells us of. Of the scopes that have hooks of ours the one counts that is the most this user's
 * own: what a clone brings makes up for nothing. None where no file has hooks of ours: then they come from elsewhere.
 */
export function blindEvents(host: Host, at: AtStart): readonly string[] {
  const { found, wiring, isCalled } = at;
  const { hooks, later = [] } = host;
  const scope = MOST_OWN.find((each) => found.some((installed) => installed.scope === each));
  if (hooks === undefined || scope === undefined) return [];
  const seen = found
    .filter((installed) => installed.scope === scope)
    .flatMap((installed) => {
      const { ledger, socket, mode, groups } = installed;
      const here = scope === 'local' ? { ledger, socket } : { ledger, socket, mode: mode ?? 'observe' };
      const wanted = hooks({ ...wiring, scope, ...here });
      return groups
        .filter(({ event, value }) => isCalled(value) && isWideEnough(value, wanted[event]) && isPlain(value))
        .filter(({ event, value }) => {
          const [like = {}] = hooksIn(wanted[event]);
          return hooksIn(value).some(
            (hook) => isWhole(host.agent, hook, like) && reachesUs(hook, event, installed, at),
          );
        })
        .map(({ event }) => event);
    });
  const wanted = Object.keys(hooks({ ...wiring, scope }));
  return wanted.filter((event) => !seen.includes(event) && !later.includes(event));
}

function reachesUs(hook: Hook, event: string, { agent, groups }: Installed, at: AtStart): boolean {
  const said = readHook(hook, agent);
  if (said === undefined) return false;
  if ('port' in said) {
    const { service } = at.wiring;
    const token = inside(hook.headers, 'Authorization');
    return service === null || (said.port === service.port && token === `Bearer ${service.token}`);
  }
  const [first] = groups.flatMap(({ value }) => hooksIn(value).flatMap((each) => wordsOf(each, agent)));
  const named = option(said.words, '--event');
  return (
    isOwnLine(hook, said) &&
    said.drops.every((name) => DROPPED.includes(name)) &&
    (named === undefined || named === event) &&
    sortedJson(withoutEvent(said.words)) === sortedJson(first) &&
    isOwnProgram(said.words, at)
  );
}

/** Which copy of foil it is makes no difference, unless it lies in the work tree, where a clone may have brought it. */
function isOwnProgram([node = '', foil = '']: readonly string[], { project, wiring }: AtStart): boolean {
  if (node === 'foil') return true;
  const isPlanted = [node, foil].some(
    (program) =>
      resolve(project, program).startsWith(`${project}${sep}`) &&
      program !== wiring.node &&
      dirname(program) !== dirname(wiring.foil),
  );
  return !isPlanted && /^node/.test(basename(node)) && /^foil(?:\.cjs)?$/.test(basename(foil));
}

/** Does a file of the project put a program or a library into every hook? What the user's own file does is the user's choice. */
export function isIntoHooks({ name, value, path }: Override, project: string): boolean {
  return INTO_HOOKS.test(name) && value !== null && value !== '' && path.startsWith(`${project}${sep}`);
}

/** It has nothing that we never write, such as `async` or `if`, the time that it needs, and what blocks. */
function isWhole(agent: string, hook: Hook, like: Hook): boolean {
  const isHttp = hook.type === 'http';
  const known = [
    ...Object.keys(like),
    ...['type', 'onFailure', 'failClosed'],
    ...(isHttp ? ['url', 'headers'] : []),
    // An earlier version gave Claude Code a program and its arguments.
    ...(agent === 'claude-code' ? ['command', 'args'] : []),
  ];
  return (
    Object.keys(hook).every((name) => known.includes(name)) &&
    (isHttp || (hook.type ?? 'command') === 'command') &&
    ['onFailure', 'failClosed', 'name'].every(
      (name) => like[name] === undefined || hook[name] === like[name],
    ) &&
    ['timeout', 'timeoutSec'].every((name) => isLongEnough(hook[name], like[name]))
  );
}

/** A host gives more time of its own than we ask for. */
function isLongEnough(time: unknown, wanted: unknown): boolean {
  if (time === undefined || typeof wanted !== 'number') return true;
  return typeof time === 'number' && time >= wanted * LEAST_TIME;
}

/** A group has tools and hooks, and nothing else. In some hosts there are no groups. */
function isPlain(group: unknown): boolean {
  const { hooks } = Object(group) as { hooks?: unknown };
  return (
    !Array.isArray(hooks) || Object.keys(Object(group)).every((name) => ['matcher', 'hooks'].includes(name))
  );
}

/** A hook that is called for some tools alone sees the others as little as one that is gone. */
function isWideEnough(group: unknown, wanted: unknown): boolean {
  const matcher = matcherOf(group);
  return matcher === '*' || matcher === '' || matcher === '.*' || matcher === matcherOf(wanted);
}

function matcherOf(group: unknown): unknown {
  const { matcher = '*' } = Object(group) as { matcher?: unknown };
  return matcher;
}

function hooksIn(group: unknown): readonly Hook[] {
  const { hooks } = Object(group) as { hooks?: unknown };
  return (Array.isArray(hooks) ? hooks : [group]).map((hook) => Object(hook) as Hook);
}

function wordsOf(hook: Hook, agent: string): (readonly string[])[] {
  const said = readHook(hook, agent);
  return said === undefined || 'port' in said ? [] : [withoutEvent(said.words)];
}

/** The hooks of one install differ in nothing but the event that some of them name. */
function withoutEvent(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--event');
  return at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 2)];
}
