// An administrator's settings, which count more than any other: one file, and the files in the folder of its name with
// `.d`. Of those the last by name counts most, and the one file least (seen with Claude Code 2.1.325).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { utf8Decode } from '#platform';
import { isPlainJson, parseDocument, plainValue } from './document.ts';
import { readSnapshot } from './file.ts';
import type { Host, Places, Settings } from './host.ts';

export interface SettingsRead {
  readonly path: string;
  readonly settings: Settings;
  /** Null where it is read; otherwise why it is not, behind its path. Empty where nobody here can tell. */
  readonly unread: string | null;
}

/** The file, and the folder of those beside it. Neither need be there. */
export function managedPlaces(
  { managed }: Host,
  { system = '' }: Pick<Places, 'system'>,
): { readonly file: string; readonly folder: string } | null {
  if (managed === undefined) return null;
  return { file: `${system}${managed}`, folder: `${system}${managed.replace(/\.json$/, '.d')}` };
}

/** From the one that counts most. */
export function managedFiles(host: Host, places: Places): readonly SettingsRead[] {
  const where = managedPlaces(host, places);
  if (where === null) return [];
  const { file, folder } = where;
  const names = namesIn(folder);
  const beside = (names ?? []).map((name) => join(folder, name));
  const read = [...beside.toReversed(), file].flatMap((path) => readSettingsFile(path));
  return names === null ? [{ path: folder, settings: {}, unread: '' }, ...read] : read;
}

/** The member by which an administrator keeps our hooks from running, and the file that has it. */
export function managedSwitch(
  host: Host,
  files: readonly SettingsRead[],
): { readonly path: string; readonly name: string } | undefined {
  const all = files.map(({ path, settings }) => ({ path, ...host.switches?.(settings) }));
  const decided = all.find(({ name }) => name !== undefined);
  if (decided?.off === true) return { path: decided.path, name: decided.name ?? '' };
  for (const { name, offAt } of host.managedOnly ?? []) {
    const path = files[offAt(files.map(({ settings }) => settings[name]))]?.path;
    if (path !== undefined) return { path, name };
  }
  return undefined;
}

/** None where there is no file. `passesOver`: why the host would not read such a text. */
export function readSettingsFile(path: string, passesOver = whyNoJson): readonly SettingsRead[] {
  try {
    const { bytes } = readSnapshot(path, { anyOwner: true });
    if (bytes === null) return [];
    const text = utf8Decode(bytes);
    const unread = passesOver(text);
    if (unread !== null) return [{ path, settings: {}, unread }];
    const { root } = parseDocument(text, path);
    const value = root === undefined ? {} : plainValue(root);
    const settings = typeof value === 'object' && value !== null ? (value as Settings) : {};
    return [{ path, settings, unread: null }];
  } catch {
    return [{ path, settings: {}, unread: '' }];
  }
}

function whyNoJson(text: string): string | null {
  return isPlainJson(text) ? null : '';
}

/** Null where the folder is there and can't be read. */
function namesIn(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort();
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : null;
  }
}
