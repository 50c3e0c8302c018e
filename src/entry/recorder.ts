// The recorder for programs, on plain files: `openRecorder()` finds the ledger, the project's configuration and its
// rules of redaction, and gives a recorder that fails closed.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import { openBlocks } from '../anchor/blocks/index.ts';
import { acceptedAnchor, type Config, parseConfig, parseYaml, readConfig } from '../config/index.ts';
import { canonicalize, isHash, type Json, ParseError, StoreError } from '../core/index.ts';
import { LOCK_FILE } from '../format/index.ts';
import {
  LastingLedger,
  type Ledger,
  type Located,
  locate,
  modeOrGuard,
  workspaceRoot,
} from '../ledger/index.ts';
import {
  Intake,
  isAuthEnforced,
  openCipher,
  openNotes,
  Recorder,
  type RecorderOptions,
} from '../record/index.ts';
import { makeRedactor } from '../redact/index.ts';
import { authDirectory, openAuth, parseShared, sharedState } from '../session/index.ts';
import { openKeyring } from '../store/files/index.ts';
import { createLedger, openLedger } from './open.ts';

export interface RecorderPlace {
  /** The ledger; unless given, the one that `locate` finds from `cwd`. It is made where there is none. */
  readonly place?: Pick<Located, 'directory' | 'keyDirectory'>;
  readonly cwd?: string;
  /** What the program is called in its entries (`program`). */
  readonly agent?: string;
  /** Who acts, unless a call says otherwise. */
  readonly role?: string;
  /** The vantage point in entries (`sdk`). */
  readonly source?: string;
  /**
   * The auth key that its sessions present (`foilkey_…`), instead of what `foil auth present` left. Then a session that is
   * refused is an error in every mode.
   */
  readonly authKey?: string;
  /** Calls that may wait for a session (1,000). */
  readonly bufferLimit?: number;
  /** Instead of the project's counterfoil.yaml: what such a file would hold. */
  readonly config?: unknown;
  /** Wait for each write in this thread: for a process that does little but record. */
  readonly blocking?: boolean;
}

/**
 * Throws StoreError where the ledger can't be used, and ParseError for a configuration, or a FOIL_SESSION, that is not
 * understood: each says what to do about it.
 */
export async function openRecorder(options: RecorderPlace = {}): Promise<Recorder> {
  return new Recorder(await openRecording(options));
}

/** What a recorder records with, and the whole store behind it. */
export type Recording = RecorderOptions & { readonly store: LastingLedger['store'] };

/** For recorders of other kinds. It must be closed. */
export async function openRecording(options: RecorderPlace = {}): Promise<Recording> {
  const {
    cwd = process.cwd(),
    agent = 'program',
    source = 'sdk',
    role,
    bufferLimit,
    blocking = false,
    authKey,
  } = options;
  const place = options.place ?? found(cwd);
  const root = workspaceRoot(cwd);
  const config = options.config === undefined ? readConfig(root, parseYaml) : givenConfig(options.config);
  // What a program gives is its own word; what lies in the work tree is whoever's.
  const anchor =
    options.config === undefined ? acceptedAnchor(config.anchor, place.directory) : config.anchor;
  const run = runningSession(process.env, place.directory);
  const redactor = makeRedactor(config.redact);
  const ledger = new LastingLedger(
    () => openLedger(place, { blocking }),
    await openOrCreate(place, blocking),
  );
  try {
    const cipher =
      config.content === 'encrypt'
        ? await openCipher(
            openKeyring(place.keyDirectory),
            (await ledger.use((opened) => opened.identity())).origin,
          )
        : undefined;
    return {
      store: ledger.store,
      intake: new Intake({ store: ledger.store, redactor, policy: config, cipher }),
      config,
      redaction: redactor.id,
      role,
      agent,
      source,
      workspaceRoot: root,
      mode: () => modeOrGuard(place.directory),
      run,
      guard: {
        auth: openAuth(authDirectory(place), { given: authKey }),
        enforced: () => authKey !== undefined || isAuthEnforced(place.directory),
        joinedKey:
          run === undefined ? null : parseShared(await ledger.store.readState(sharedState(run)), run).authKey,
      },
      blocks: anchor.blocks.length === 0 ? undefined : openBlocks(anchor, { directory: place.directory }),
      notes: openNotes(place.directory),
      seal: () => ledger.use((opened) => opened.seal()),
      close: () => ledger.close(),
      ...(bufferLimit === undefined ? {} : { bufferLimit }),
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** A program has no other way to tell its user that a `.foil/` does not count. */
function found(cwd: string): Located {
  const located = locate({ cwd });
  if (located.notice !== undefined) process.emitWarning(located.notice, 'CounterfoilWarning');
  return located;
}

/** Its hash is that of its canonical JSON. */
function givenConfig(given: unknown): Config {
  const config = parseConfig(given, '');
  return { ...config, hash: sha256Hex(canonicalize((given ?? null) as Json)) };
}

/** Set by `foil run` for its child, together with the ledger that it is of. In another ledger it means nothing. */
function runningSession(
  { FOIL_SESSION: id = '', FOIL_LEDGER: ledger }: NodeJS.ProcessEnv,
  directory: string,
): string | undefined {
  if (id === '' || ledger === undefined || resolve(ledger) !== resolve(directory)) return undefined;
  if (isHash(id)) return id;
  throw new ParseError('BAD_HEX', 'not the id of a session. Unset it, or use `foil run`.', 'FOIL_SESSION');
}

/** Several may come to a place at once where there is no ledger yet: one makes it, and all use it. */
async function openOrCreate(
  place: Pick<Located, 'directory' | 'keyDirectory'>,
  blocking: boolean,
): Promise<Ledger> {
  if (existsSync(join(place.directory, LOCK_FILE))) {
    const ledger = openLedger(place, { blocking });
    if (await isBegun(ledger)) return ledger;
    await ledger.close();
  }
  try {
    await (await createLedger(place)).close();
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'EXISTS')) throw error;
  }
  return openLedger(place, { blocking });
}

/** False while somebody is just making it. */
async function isBegun(ledger: Ledger): Promise<boolean> {
  try {
    return (await ledger.store.head()).seq > 0;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NOT_FOUND') return false;
    await ledger.close();
    throw error;
  }
}
