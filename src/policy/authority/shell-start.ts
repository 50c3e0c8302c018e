// Where the shell of a call is started. Hosts say it by several members, and some take a folder from the model that they tell
// no hook of: then only a line that means the same everywhere can be read.
import type { Json, JsonObject } from '../../core/index.ts';
import { absolute, type FileView, resolved } from './files.ts';
import { ANY_PROGRAM, type CallNeeds, type ShellPlace } from './found-needs.ts';
import { encodeNeed } from './need.ts';

/** Members by which hosts say where a command is started. */
const STARTS = ['dir_path', 'directory', 'workdir', 'cwd', 'working_directory'];
/** The one that a host itself knows. It passes over those of others. */
const OWN_START: Readonly<Record<string, string>> = {
  gemini: 'dir_path',
  opencode: 'workdir',
  cursor: 'working_directory',
};

/**
 * Where it may be started, if the host works in `cwd`. That is one of the places, unless the host's own member names another one.
 * Which of the members counts, and whether `..` is shortened before links are followed, only the host knows.
 */
export function startsOf(
  args: Json,
  cwd: string,
  { agent = '', view }: { readonly agent?: string | undefined; readonly view?: FileView } = {},
): readonly [string, ...string[]] {
  const isNamed = (name: string | undefined): boolean => {
    const value = name === undefined ? undefined : memberOf(args, name);
    return typeof value === 'string' && value !== '';
  };
  const named = STARTS.filter(isNamed).map((name) => String(memberOf(args, name)));
  const own = Object.hasOwn(OWN_START, agent) ? OWN_START[agent] : undefined;
  const [first = cwd, ...others] = new Set([
    ...(isNamed(own) ? [] : [cwd]),
    ...named.flatMap((value) => {
      const path = absolute(value, cwd);
      const led = view === undefined ? path : resolved(value, cwd, view);
      return view === undefined || view.real(path) === led ? [path] : [path, led];
    }),
  ]);
  return [first, ...others];
}

export function memberOf(value: Json, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)[name]
    : undefined;
}

/** So deep that no `..` of a line leads out of it. Nothing is there, and no path has such names. */
const NOWHERE = '/\0'.repeat(64);

/** What a line needs at each of these places, together. With `untold`, it may be started anywhere else as well. */
export function needsAt(
  starts: readonly string[],
  untold: boolean,
  place: ShellPlace,
  read: (place: ShellPlace) => CallNeeds,
): CallNeeds {
  const found = starts.map((cwd) => read({ ...place, cwd }));
  const needs = found.flatMap((each) => each.needs);
  const ambient = [...new Set(found.flatMap((each) => each.ambient))];
  const unread = found.map((each) => each.unread).find((why) => why !== null) ?? null;
  if (!untold || unread !== null) return { needs, unread, ambient };
  const elsewhere = read({ ...place, cwd: NOWHERE, view: viewFromNowhere(place.view) });
  const known = new Set(needs.map(encodeNeed));
  const isSame = elsewhere.unread === null && elsewhere.needs.every((need) => known.has(encodeNeed(need)));
  return isSame ? { needs, unread, ambient } : { needs: [...needs, ANY_PROGRAM], unread: UNTOLD, ambient };
}

const UNTOLD =
  "the host doesn't say in which folder the line starts (begin it with `cd /FOLDER &&`, or write paths from /)";

function viewFromNowhere(view: FileView): FileView {
  const isNowhere = (path: string): boolean => path.startsWith('/\0');
  return {
    real: (path) => (isNowhere(path) ? path : view.real(path)),
    isFolder: (path) => isNowhere(path) || view.isFolder(path),
    names: (folder, wildcards) => (isNowhere(folder) ? null : view.names(folder, wildcards)),
  };
}
