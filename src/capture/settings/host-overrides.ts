// What the settings of hosts say against our hooks: that none run, or with which environment they run. Such a file is
// often committed, so a repository decides it for everybody who clones it. Only looked at, so that `foil status` and
// `foil doctor` tell the truth. Gemini CLI also fills its environment from `.env` files.
import { join } from 'node:path';
import { utf8Decode } from '#platform';
import { parseDocument, plainValue } from './document.ts';
import { readSnapshot } from './file.ts';
import { inside, type Places, SCOPES, type Settings } from './host.ts';
import { HOSTS } from './plan.ts';

export interface Override {
  readonly agent: string;
  readonly path: string;
  /** The variable, or the member that switches hooks off. */
  readonly name: string;
  /** Null for a member that switches hooks off. */
  readonly value: string | null;
}

/** Variables that say where things are, that nothing is recorded, or that other code runs in a hook. */
const MATTERS =
  /^(?:FOIL(?:_.*)?|XDG_(?:STATE|CONFIG)_HOME|XDG_RUNTIME_DIR|HOME|TMPDIR|PATH|NODE_OPTIONS|NODE_PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_.*|GIT_.*)$/;
const LONGEST = 200;

/** Never throws: a file that can't be understood is told of by whoever has to write it. */
export function findOverrides(places: Places): readonly Override[] {
  const found: Override[] = [];
  for (const { agent, file, off } of HOSTS) {
    const paths = new Set(SCOPES.map((scope) => file(scope, places).path));
    for (const path of paths) {
      const settings = settingsIn(path);
      const member = settings === undefined ? undefined : off?.(settings);
      if (member !== undefined) found.push({ agent, path, name: member, value: null });
      for (const [name, value] of Object.entries(Object(inside(settings, 'env')) as Settings))
        if (MATTERS.test(name)) found.push({ agent, path, name, value: short(value) });
    }
  }
  for (const folder of [join(places.project, '.gemini'), places.project]) {
    const path = join(folder, '.env');
    for (const [, name = '', value = ''] of textIn(path)?.matchAll(LINE) ?? [])
      if (MATTERS.test(name)) found.push({ agent: 'gemini', path, name, value: short(value) });
  }
  return found;
}

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*["']?([^"'\r\n]*)/gm;

function short(value: unknown): string {
  return String(value).slice(0, LONGEST);
}

function settingsIn(path: string): Settings | undefined {
  try {
    const text = textIn(path);
    const root = text === undefined ? undefined : parseDocument(text, path).root;
    return root === undefined ? undefined : (plainValue(root) as Settings);
  } catch {
    return undefined;
  }
}

function textIn(path: string): string | undefined {
  try {
    const { bytes } = readSnapshot(path);
    return bytes === null ? undefined : utf8Decode(bytes);
  } catch {
    return undefined;
  }
}
