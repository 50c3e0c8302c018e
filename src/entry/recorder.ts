// The recorder for programs, on plain files: `openRecorder()` finds the ledger, the project's configuration and its
// rules of redaction, and gives a recorder that fails closed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '#platform';
import { LOCK_FILE } from '../format/index.ts';
import { type Ledger, type Located, locate, workspaceRoot } from '../ledger/index.ts';
import { Intake, openCipher, parseConfig, parseYaml, Recorder, readConfig } from '../record/index.ts';
import { makeRedactor } from '../redact/index.ts';
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
  /** Calls that may wait for a session (1,000). */
  readonly bufferLimit?: number;
  /** Instead of the project's counterfoil.yaml: what such a file would hold. */
  readonly config?: unknown;
}

/** Throws StoreError where the ledger can't be used, and ParseError for a configuration that is not understood. */
export async function openRecorder(options: RecorderPlace = {}): Promise<Recorder> {
  const { cwd = process.cwd(), agent = 'program', source = 'sdk', role, bufferLimit } = options;
  const place = options.place ?? locate({ cwd });
  const root = workspaceRoot(cwd);
  const config =
    options.config === undefined
      ? readConfig(root, parseYaml)
      : parseConfig(options.config, sha256Hex(JSON.stringify(options.config)));
  const ledger = await openOrCreate(place);
  const redactor = makeRedactor(config.redact);
  const cipher =
    config.content === 'encrypt'
      ? await openCipher(openKeyring(place.keyDirectory), (await ledger.identity()).origin)
      : undefined;
  return new Recorder({
    store: { append: (build, wait) => ledger.store.append(build, wait) },
    intake: new Intake({ store: ledger.store, redactor, policy: config, cipher }),
    config,
    redaction: redactor.id,
    role,
    agent,
    source,
    workspaceRoot: root,
    run: process.env.FOIL_SESSION,
    seal: () => ledger.seal(),
    close: () => ledger.close(),
    ...(bufferLimit === undefined ? {} : { bufferLimit }),
  });
}

async function openOrCreate(place: Pick<Located, 'directory' | 'keyDirectory'>): Promise<Ledger> {
  if (!existsSync(join(place.directory, LOCK_FILE))) await (await createLedger(place)).close();
  return openLedger(place);
}
