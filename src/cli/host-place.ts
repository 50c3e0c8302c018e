// Where a host is recorded, put together from the rooms: the ledger found from the host's directory, its mode, the
// project's configuration, a recorder on the store. The same for the hook command, which opens a store for one event,
// and for the service, which keeps one open.
import { sha256Hex } from '#platform';
import { ParseError } from '../core/index.ts';
import { type Located, workspaceRoot } from '../ledger/index.ts';
import {
  type Cipher,
  type Config,
  DEFAULT_CONFIG,
  type HookPlace,
  HostRecorder,
  Intake,
  type Mode,
  readConfig,
  readPause,
  readSettings,
  runtimeDirectory,
  strictest,
} from '../record/index.ts';
import { makeRedactor } from '../redact/index.ts';
import type { RecordStore } from '../store/files/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface HostPlaceOptions {
  readonly located: Located;
  /** The host's working directory; null where it does not tell. */
  readonly cwd: string | null;
  readonly pinned: Mode;
  readonly env: Environment;
  readonly open: () => RecordStore | Promise<RecordStore>;
  readonly parseYaml: (text: string) => unknown;
  readonly cipher: () => Promise<Cipher>;
  /** The host's process, where we are its child. */
  readonly pid: number | null;
  readonly timeout?: number;
}

export function hostPlace(options: HostPlaceOptions): HookPlace {
  const { located, cwd, pinned, env, pid, timeout } = options;
  const { directory } = located;
  const mode = strictest(pinned, readSettings(directory).mode);
  const root = cwd === null ? null : workspaceRoot(cwd);
  let known: { config: Config; warning: string | null } | undefined;
  const found = (): { config: Config; warning: string | null } => {
    known ??=
      root === null ? { config: DEFAULT_CONFIG, warning: null } : configOf(root, mode, options.parseYaml);
    return known;
  };
  return {
    mode,
    runtime: runtimeDirectory(directory, env),
    paused: readPause(directory, { locked: mode === 'locked', now: Date.now(), env }) !== null,
    get warning() {
      return found().warning;
    },
    async recorder() {
      const { config } = found();
      const store = await options.open();
      const redactor = makeRedactor(config.redact);
      return new HostRecorder({
        store,
        intake: new Intake({
          store,
          redactor,
          policy: config,
          cipher: config.content === 'encrypt' ? await options.cipher() : undefined,
        }),
        config,
        redaction: redactor.id,
        mode,
        run: env.FOIL_SESSION,
        workspaceRoot: () => root,
        pid,
        ...(timeout === undefined ? {} : { timeout }),
      });
    },
  };
}

/**
 * A configuration with a mistake in it refuses in guard. In observe recording goes on, with nothing kept but hashes:
 * what it meant to keep out is not known.
 */
function configOf(
  root: string,
  mode: Mode,
  parseYaml: (text: string) => unknown,
): { config: Config; warning: string | null } {
  try {
    return { config: readConfig(root, parseYaml), warning: null };
  } catch (error) {
    if (mode !== 'observe' || !(error instanceof ParseError)) throw error;
    const warning = `${error.message}. Until that is put right, no content is kept.`;
    return { config: { ...DEFAULT_CONFIG, content: 'none', hash: sha256Hex(error.message) }, warning };
  }
}
