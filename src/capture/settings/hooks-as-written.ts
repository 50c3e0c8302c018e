// Whether hooks of ours stand in a host's settings as `foil install` writes them. A hook of the right name that runs another
// program, in the background, or for a millisecond, tells us nothing; nor does one that the settings around it switch off.
import { sha256Hex } from '#platform';
import { blindEvents, isIntoHooks } from './blind-hooks.ts';
import { sortedJson } from './hook-block.ts';
import { type Places, SCOPES, type Wiring } from './host.ts';
import { findOverrides, UNREAD } from './host-overrides.ts';
import { findRunning, mainCheckout } from './linked-worktree.ts';
import { managedFiles, managedPlaces } from './managed.ts';
import { hostOf, type Installed } from './plan.ts';

export interface HooksFound {
  /**
   * The event of each hook and its scope: a hook that goes is missing, whatever stands in another file. One that does not
   * stand as it would be written now has a hash of what stands there behind its name, so that the next look tells whether it
   * changed. `environment` stands for what the settings set for all of them.
   */
  readonly events: readonly string[];
  /** The events that nothing tells us of if a session begins now: see blind-hooks.ts. */
  readonly blind: readonly string[];
  /** Every file that has a say, whether it is there or not. */
  readonly files: readonly string[];
}

export interface Expected {
  readonly agent: string;
  /** Does it write to the ledger in question? */
  readonly isOurs: (installed: Installed) => boolean;
  /** What would be pinned now, in local scope. */
  readonly wiring: Omit<Wiring, 'scope'>;
}

/** Never throws for what stands in the files. */
export function hooksAsWritten(places: Places, { agent, isOurs, wiring }: Expected): HooksFound {
  const host = hostOf(agent);
  const { allowed, switches } = host;
  const found = findRunning(places, [host]).filter(isOurs);
  const overrides = findOverrides(places, [host]);
  const isOff = switches !== undefined && overrides.some(({ name, value }) => isSwitch(name, value, allowed));
  const isUnreachable = overrides.some(({ name }) => name === allowed);
  const isCalled = (group: unknown): boolean => !isOff && !(isUnreachable && isHttp(group));
  const events = found.flatMap((installed) =>
    installed.groups
      .filter(({ value }) => isCalled(value))
      .map(({ event, value }) =>
        named(`${event}@${installed.scope}`, isAsWritten(event, value, installed, wiring) ? null : value),
      ),
  );
  const variables = overrides.filter(({ value }) => value !== null && value !== '');
  const environment = variables.map(({ path, name, value }) => `${path} ${name}=${value}`);
  const { project } = places;
  const isTampered = found.length > 0 && overrides.some((each) => isIntoHooks(each, project));
  return {
    events: [
      ...new Set([...events, named('environment', environment.length === 0 ? null : environment)]),
    ].sort(),
    blind: [
      ...blindEvents(host, { project, found, wiring, isCalled }),
      ...(isTampered ? ['environment'] : []),
    ],
    files: filesOf(agent, places),
  };
}

/** The events of hooks that do not stand as they would be written now. */
export function changedEvents(installed: Installed, wiring: Omit<Wiring, 'scope'>): readonly string[] {
  return installed.groups
    .filter(({ event, value }) => !isAsWritten(event, value, installed, wiring))
    .map(({ event }) => event);
}

/** The events that this version has a hook for, and the file has none. */
export function missingEvents(
  { agent, groups }: Installed,
  wiring: Omit<Wiring, 'scope'>,
): readonly string[] {
  const { hooks, later = [] } = hostOf(agent);
  const there = groups.map(({ event }) => event);
  const wanted = Object.keys(hooks?.({ ...wiring, scope: 'local' }) ?? {});
  return wanted.filter((event) => !there.includes(event) && !later.includes(event));
}

function isAsWritten(
  event: string,
  value: unknown,
  { agent, scope, mode, ledger, keeps, socket }: Installed,
  wiring: Omit<Wiring, 'scope'>,
): boolean {
  // What names no ledger has its mode in its own words, if anywhere.
  const here = scope === 'local' ? { ledger, keeps, socket } : { ledger, socket, mode: mode ?? 'observe' };
  const wanted = hostOf(agent).hooks?.({ ...wiring, scope, ...here })[event];
  return sortedJson(value) === sortedJson(wanted);
}

function named(name: string, other: unknown): string {
  return other === null ? name : `${name}#${sha256Hex(sortedJson(other)).slice(0, 16)}`;
}

/** A member that decides, and not that a file can't be read or names addresses. */
function isSwitch(name: string, value: string | null, allowed: string | undefined): boolean {
  return value === null && name !== UNREAD && name !== allowed;
}

function isHttp(group: unknown): boolean {
  const { hooks } = Object(group) as { hooks?: unknown };
  return Array.isArray(hooks) && hooks.some((hook) => (Object(hook) as { type?: unknown }).type === 'http');
}

function filesOf(agent: string, places: Places): readonly string[] {
  const host = hostOf(agent);
  const main = mainCheckout(places);
  const all = [places, ...(main === null ? [] : [main])].flatMap((at) =>
    SCOPES.map((scope) => host.file(scope, at).path),
  );
  const managed = [
    ...Object.values(managedPlaces(host, places) ?? {}),
    ...managedFiles(host, places).map(({ path }) => path),
  ];
  return [...new Set([...all, ...managed])];
}
