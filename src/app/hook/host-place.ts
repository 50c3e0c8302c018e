// Where a host is recorded, put together from the rooms: the ledger found from the host's directory, its mode, the
// project's configuration, a recorder on the store. The same for the hook command, which opens a store for one event,
// and for the service, which keeps one open.
import { sha256Hex } from '#platform';
import {
  ANCHOR_NOT_ACCEPTED,
  type Config,
  DEFAULT_CONFIG,
  isAnchorAccepted,
  readConfig,
} from '../../config/index.ts';
import type { HostJudgeOptions } from '../../gate/index.ts';
import { type Located, type Mode, workspaceRoot } from '../../ledger/index.ts';
import {
  type Cipher,
  type HookPlace,
  HostRecorder,
  Intake,
  type Judge,
  noteDirectories,
  readPause,
  readRelease,
  writeRelease,
} from '../../record/index.ts';
import { makeRedactor, type Redactor } from '../../redact/index.ts';
import {
  type AnchorConfig,
  type Auth,
  authDirectory,
  type Blocks,
  type OpenTally,
  openAuth,
} from '../../session/index.ts';
import type { RecordStore } from '../../store/files/index.ts';
import type { AuthorityMaker } from './authority.ts';
import type { DefenceMaker } from './defence.ts';
import { divertedBy } from './diverted.ts';
import { runIn } from './hook-ledger.ts';
import type { HooksFinder } from './hooks-seen.ts';
import type { JudgeMaker } from './judge-maker.ts';
import { modeInPlace } from './mode-in-place.ts';
import { ownNames } from './own-names.ts';
import type { WholeLedger } from './whole-ledger.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface HostPlaceOptions {
  readonly located: Located;
  /** The host's working directory; null where it does not tell. */
  readonly cwd: string | null;
  readonly pinned: Mode;
  readonly env: Environment;
  /** The environment by which hosts' settings are found, where it is another one. */
  readonly places?: Environment;
  readonly open: () => RecordStore | Promise<RecordStore>;
  /** Loaded when a session ends: what counts its entries. */
  readonly tally: OpenTally;
  readonly parseYaml: (text: string) => unknown;
  readonly cipher: () => Promise<Cipher>;
  /** Where blocks come from; undefined where the project asks for none. */
  readonly blocks: (anchor: AnchorConfig) => Blocks | undefined;
  /** The host's process, where we are its child. */
  readonly pid: number | null;
  /** Does this host send other hooks to the service over HTTP? */
  readonly overHttp?: boolean;
  readonly timeout?: number;
  /** Loaded when an event first needs it. */
  readonly makeJudge?: () => JudgeMaker;
  /** Likewise: what judges a call that may turn against its own recording. */
  readonly makeDefence?: () => DefenceMaker;
  /** Likewise: what a call needs of what its session was granted. */
  readonly makeAuthority?: () => AuthorityMaker;
  /** Called when something is first asked of the whole ledger. */
  readonly whole?: () => Pick<WholeLedger, 'grantsInForce' | 'grantsStanding'>;
  /** Likewise: which hooks stand in a host's settings. */
  readonly hooksOf?: () => HooksFinder;
  /** What the wire to the model saw of a session. */
  readonly asked?: HostJudgeOptions['asked'];
  /** The mode where the system does not let it be read. */
  readonly assumed?: Mode;
}

export function hostPlace(options: HostPlaceOptions): HookPlace {
  const { located, cwd, env, pid, timeout } = options;
  const { directory } = located;
  const { mode, settings, problem } = modeInPlace(options);
  const [runtime = '', ...elsewhere] = noteDirectories(directory, env, settings);
  const root = cwd === null ? null : rootOf(cwd);
  const endRelease = (): void => {
    try {
      writeRelease(directory, null, { runtime, elsewhere });
    } catch {
      // It ends by itself within a day.
    }
  };
  const diverted = options.overHttp === true && settings.port !== null ? divertedBy(env) : null;
  let known: FoundConfig | undefined;
  const found = (): FoundConfig => {
    known ??=
      root === null
        ? { config: DEFAULT_CONFIG, warning: null, broken: null }
        : configOf(root, mode, options.parseYaml);
    return known;
  };
  // In locked the project's file names no sources, and the ledger's own needs no acceptance.
  const unaccepted = (): string | null =>
    mode === 'locked' || isAnchorAccepted(found().config.anchor, directory, env)
      ? null
      : `${ANCHOR_NOT_ACCEPTED}.`;
  return {
    mode,
    runtime,
    elsewhere,
    paused: readPause(directory, { locked: mode === 'locked', now: Date.now(), runtime, elsewhere }) !== null,
    release:
      mode === 'guard' && readRelease(directory, { runtime, elsewhere }) !== null
        ? { end: endRelease }
        : null,
    clean(text) {
      try {
        return makeRedactor(found().config.redact).text(text);
      } catch {
        return makeRedactor().text(text);
      }
    },
    get warning() {
      return problem ?? located.notice ?? diverted ?? found().warning ?? unaccepted();
    },
    diverted,
    get broken() {
      return found().broken;
    },
    root,
    async recorder() {
      const { config, warning, broken } = found();
      // What a file says that is not found or not understood is not known: it is nobody's policy.
      const policy = warning === null && broken === null && root !== null ? config.gate : null;
      const store = await options.open();
      const redactor = redactorOf(config);
      const intake = new Intake({
        store,
        redactor,
        policy: config,
        cipher: config.content === 'encrypt' ? await options.cipher() : undefined,
      });
      const { makeJudge, makeDefence, makeAuthority, whole, hooksOf } = options;
      let judge: Judge | undefined;
      let auth: Auth | undefined;
      return new HostRecorder({
        store,
        tally: options.tally,
        intake,
        judge:
          makeJudge === undefined
            ? undefined
            : () => {
                const { asked } = options;
                judge ??= makeJudge()(
                  located,
                  { store, intake, policy, mode, root, timeout, asked },
                  options.places ?? env,
                );
                return judge;
              },
        ...(makeDefence === undefined
          ? {}
          : { defend: (...call) => makeDefence()(located, options.places ?? env)(...call) }),
        ...(makeAuthority === undefined || whole === undefined
          ? {}
          : {
              authority: {
                // As the entries tell: the note beside the ledger is anybody's who can write there.
                inForce: async () =>
                  (await whole().grantsInForce(located, options.places ?? env))?.grantsHash ?? null,
                judge: (...call) =>
                  makeAuthority()(located, { store, whole, env: options.places ?? env, root }).judge(...call),
              },
            }),
        ...(hooksOf === undefined
          ? {}
          : { hooksNow: (event) => hooksOf()(located, options.places ?? env, event) }),
        ownNames: ownNames(directory, [root, env.HOME]),
        config,
        redaction: redactor.id,
        mode,
        run: runIn(directory, env),
        auth: () => {
          auth ??= openAuth(authDirectory(located));
          return auth;
        },
        workspaceRoot: () => root,
        pid,
        // In locked mode it is not the project that says which sources are asked.
        blocks:
          config.anchor.blocks.length === 0 && mode !== 'locked' ? undefined : options.blocks(config.anchor),
        ...(timeout === undefined ? {} : { timeout }),
      });
    },
  };
}

interface FoundConfig {
  readonly config: Config;
  readonly warning: string | null;
  /** What is wrong with it, where nothing but its repair is let through. */
  readonly broken: string | null;
}

/**
 * Of a configuration that can't be read, or has a mistake in it, nothing is kept but hashes: what it meant to keep out is
 * not known. In observe recording goes on like that, in guard only what repairs it does.
 */
function configOf(root: string, mode: Mode, parseYaml: (text: string) => unknown): FoundConfig {
  try {
    // In locked mode it is the service's user who reads, and what is wrong with the file is told to the agent.
    const config = readConfig(root, parseYaml, { links: mode !== 'locked' });
    return { config, warning: null, broken: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A home that the service's user may not look into is no mistake of anybody's.
    const hidden = mode === 'locked' && /\bEACCES\b/.test(message);
    const config = { ...DEFAULT_CONFIG, content: 'none', hash: sha256Hex(message) } as const;
    if (mode !== 'observe' && !hidden) return { config, warning: null, broken: message };
    return { config, warning: `${message}. No content is kept until that is fixed.`, broken: null };
  }
}

/** The service records many events under few configurations. */
const redactors = new Map<string | null, Redactor>();
const MOST_REDACTORS = 16;

function redactorOf(config: Config): Redactor {
  let redactor = redactors.get(config.hash);
  if (redactor === undefined) {
    if (redactors.size >= MOST_REDACTORS) redactors.clear();
    redactor = makeRedactor(config.redact);
    redactors.set(config.hash, redactor);
  }
  return redactor;
}

/** Looking for it asks the file system at every level up; it hardly ever moves. */
const roots = new Map<string, { readonly root: string; readonly until: number }>();
const ROOT_KEPT = 2000;
const MOST_ROOTS = 256;

function rootOf(cwd: string): string {
  const now = Date.now();
  const kept = roots.get(cwd);
  if (kept !== undefined && kept.until > now && kept.until <= now + ROOT_KEPT) return kept.root;
  if (roots.size >= MOST_ROOTS) roots.clear();
  const root = workspaceRoot(cwd);
  roots.set(cwd, { root, until: now + ROOT_KEPT });
  return root;
}
