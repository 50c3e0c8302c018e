// What lies outside of the project and stands in a runner's place since the session began: a script that comes first on
// PATH, a setting in the user's npmrc. The work tree does not show it, and the command that wrote it may be of an earlier
// call, so the files themselves are asked. A file's ctime can't be set back without the clock. What an installer puts
// there is known by its form; a program that is no script can't be told from an installed one, and is let be.
import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type Check, isOwn } from '../format/index.ts';
import { loadedIn, printsReport } from '../shell/index.ts';

const LARGEST = 64 * 1024;
/** What pip, gem, npm and the managers of versions write. */
const BY_INSTALLER =
  /\bsys\.exit\(|Gem\.activate_bin_path|\b(?:pyenv|rbenv|nodenv|asdf|mise|volta)\b.{0,40}\bexec\b|\bexec\b.{0,80}\b(?:node|python|ruby|java)\b/;
const SETTINGS = /^\s*(?:script-shell|node-options|shell)\s*=/m;

/** `begun` is when the session began, in milliseconds; null where nobody knows. */
export function withoutStandIn(
  check: Check,
  root: string | null,
  begun: number | null,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Check {
  if (begun === null || !isOwn(check) || /^(?:run|http|ship)$/.test(check.kind)) return check;
  const file = programOf(check, root, begun, env) ?? settingsOf(check, begun, env);
  return file === null ? check : { ...check, flaw: { code: 'shadowed', detail: file.slice(0, 120) } };
}

/** A script that was written since the session began, with what it loads: it shows the work only through that. */
export function withLoaded(check: Check, root: string | null, begun: number | null): Check {
  const [script] = check.targets;
  if (check.kind !== 'run' || root === null || begun === null || script === undefined) return check;
  const text = changedSince(resolve(root, script), begun);
  return text == null
    ? check
    : { ...check, targets: [...check.targets, ...loadedIn(text, check.runner)].slice(0, 32) };
}

function programOf(
  { command, runner }: Check,
  root: string | null,
  begun: number,
  { PATH = '', HOME = homedir() }: Readonly<Record<string, string | undefined>>,
): string | null {
  const [first = ''] = command.split(/\s+/).filter((word) => !/^\w+=/.test(word));
  for (const name of new Set([first, runner.split(/[ :]/)[0] ?? ''])) {
    const given = name.replace(/^(?:~|"?\$\{?HOME\}?"?)(?=\/)/, HOME).replaceAll('"', '');
    const isPath = given.startsWith('/');
    if (!isPath && !/^[\w.+-]+$/.test(name)) continue;
    const folders = isPath ? [''] : PATH.split(delimiter).filter((each) => each.startsWith('/'));
    for (const folder of folders) {
      const path = isPath ? given : join(folder, name);
      const since = changedSince(path, begun);
      if (since === undefined) continue;
      // What lies in the project is told by the work tree.
      const isOutside = root === null || !path.startsWith(`${root}/`);
      if (since !== null && isOutside && since.startsWith('#!'))
        if (!BY_INSTALLER.test(since) || printsReport(since)) return path;
      break;
    }
  }
  return null;
}

function settingsOf(
  { runner }: Check,
  begun: number,
  { HOME = homedir() }: Readonly<Record<string, string | undefined>>,
): string | null {
  if (!/^(?:npm|pnpm|yarn|bun)\b/.test(runner)) return null;
  const path = join(HOME, '.npmrc');
  const text = changedSince(path, begun);
  return text != null && SETTINGS.test(text) ? path : null;
}

/** The text of a file that was written since; null where it is older or no text of ours to read, undefined: not there. */
export function changedSince(path: string, begun: number): string | null | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isFile() || stat.ctimeMs <= begun || stat.size > LARGEST) return null;
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
