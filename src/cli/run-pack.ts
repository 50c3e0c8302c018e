// The pack of a run: which one it is bound to, that the project is as the pack says, and that it stays so. What changes
// meanwhile is on record at once.
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import { withLedger } from '../app/index.ts';
import { parseYaml, readConfig } from '../config/index.ts';
import {
  encodeHarnessChange,
  type HarnessChange,
  type HarnessPack,
  PackError,
  parsePackSettings,
  VARIABLES_FILE,
} from '../format/index.ts';
import { changedVariables, keepPack, shapingChanges } from '../harness/index.ts';
import { type Located, workspaceRoot } from '../ledger/index.ts';
import type { Context } from './command.ts';
import { environmentKey, openPackFile, projectPack } from './project-pack.ts';

export interface RunPack {
  /** The root that the session names. */
  readonly root: string;
  /** Globs of the files that the run is to make. */
  readonly outputs: readonly string[];
  /** Looks now and then, until it is stopped; then once more. Gives the paths that changed, if any did. */
  watch(session: string): { stop(): Promise<readonly string[]> };
}

const EVERY = 1000;

/** Null where none is asked for. Throws PackError where the project is not as the pack says. */
export function runPack(context: Context, located: Located): RunPack | null {
  const given = context.values.text('pack');
  const root = workspaceRoot(context.cwd);
  if (given === undefined && !parsePackSettings(readConfig(root, parseYaml).pack).auto) return null;
  const how = { allowSecrets: context.values.flag('allow-secrets'), variables: environmentKey(context) };
  const here = projectPack(root, how);
  const pack = given === undefined ? here : packGiven(context, given, how);
  const differ = shapingChanges(pack, here).map(({ path }) =>
    path === VARIABLES_FILE ? `${path} (${listed(changedVariables(pack, here))})` : path,
  );
  if (differ.length > 0)
    throw new PackError(
      'CHANGED_FILE',
      `this project differs from the pack ${given}: ${listed(differ)}. To make a pack of the project as it is now: foil pack create`,
    );
  keepPack(located.directory, pack);
  return {
    root: pack.hashes.root,
    outputs: pack.manifest.outputs,
    watch: (session) => watchPack(pack, here, { root, how, session, located }),
  };
}

function packGiven({ cwd }: Context, given: string, how: Watched['how']): HarnessPack {
  const path = resolve(cwd, given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return projectPack(path, how);
  return openPackFile(path, given);
}

interface Watched {
  readonly root: string;
  readonly how: Parameters<typeof projectPack>[1];
  readonly session: string;
  readonly located: Located;
}

function watchPack(pack: HarnessPack, here: HarnessPack, at: Watched): ReturnType<RunPack['watch']> {
  const { root, session, located } = at;
  const files = sourcesOf(here, root);
  const changed = new Set<string>();
  let telling: Promise<unknown> = Promise.resolve();
  const tell = (change: HarnessChange): void => {
    const fresh = change.changes.filter(({ path }) => !changed.has(path));
    if (fresh.length === 0 && !change.more) return;
    for (const { path } of fresh) changed.add(path);
    const payload = encodeHarnessChange({ ...change, changes: fresh });
    telling = telling.then(() =>
      withLedger(located, (ledger) =>
        ledger.append({ kind: 'harness.change', source: 'run', session_id: session, payload }),
      ),
    );
    telling.catch(() => undefined);
  };
  const look = (): void => {
    const found = files.filter((file) => !file.isSame());
    const changes = found.map(
      ({ path, isThere }) => ({ path, change: isThere() ? 'changed' : 'removed' }) as const,
    );
    tell({ pack: pack.hashes.root, found: null, changes, more: false });
  };
  const timer = setInterval(look, EVERY);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      look();
      tell(lastLook(pack, at));
      await telling;
      return [...changed];
    },
  };
}

/** Everything anew: what was added, too. */
function lastLook(pack: HarnessPack, { root, how }: Watched): HarnessChange {
  try {
    const now = projectPack(root, how);
    return {
      pack: pack.hashes.root,
      found: now.hashes.root,
      changes: shapingChanges(pack, now),
      more: false,
    };
  } catch {
    // No pack can be made of it any more: something changed, and what is not known.
    return { pack: pack.hashes.root, found: null, changes: [], more: true };
  }
}

interface Source {
  /** In the pack. */
  readonly path: string;
  isSame(): boolean;
  isThere(): boolean;
}

/** The project's files that the pack was made of. Their content is read only where the system tells that it may be another. */
function sourcesOf({ files }: HarnessPack, root: string): Source[] {
  return files.flatMap(({ path }): Source[] => {
    const [folder = '', ...rest] = path.split('/');
    if (!['static', 'config', 'template'].includes(folder)) return [];
    const name = rest.join('/');
    const at = [name, name.replace(/\.json$/, '')]
      .map((each) => join(root, each))
      .find((each) => stamp(each) !== null);
    if (at === undefined) return [];
    let [seen, hash] = [stamp(at), hashOf(at)];
    const isSame = (): boolean => {
      const now = stamp(at);
      if (now === seen) return true;
      seen = now;
      const before = hash;
      hash = hashOf(at);
      return hash === before;
    };
    return [{ path, isSame, isThere: () => stamp(at) !== null }];
  });
}

function stamp(at: string): string | null {
  const found = statSync(at, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}

function hashOf(at: string): string | null {
  try {
    return sha256Hex(readFileSync(at));
  } catch {
    return null;
  }
}

function listed(paths: readonly string[]): string {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return `${paths.slice(0, 5).join(', ')}${more}`;
}
