// A check run again in a sandbox. Put together from the rooms: the claim from the ledger, the project's own policy and
// redaction, the sandbox that works.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256Hex } from '#platform';
import { type Config, DEFAULT_CONFIG, parseYaml, readConfig } from '../../config/index.ts';
import { STATE_DIR } from '../../format/index.ts';
import {
  DEFAULT_TIMEOUT_MS,
  execute,
  type RefusedRun,
  readSessionOf,
  refuse,
  type Sandbox,
  settledPolicy,
} from '../../gate/index.ts';
import { configDirectory, type Located, readIdentity, type Store } from '../../ledger/index.ts';
import { settles, validatorId } from '../../policy/index.ts';
import { type Cipher, Intake, noteDirectories, openCipher, parseState } from '../../record/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import { makeBubblewrap } from '../../sandbox/bubblewrap/index.ts';
import { makeUnprivileged } from '../../sandbox/unprivileged/index.ts';
import type { ValidateAnswer, ValidateRequest } from '../../service/index.ts';
import { after, OsLock, openFileStore, openKeyring, SECTION } from '../../store/files/index.ts';
import { openSigner } from '../hook/open-signer.ts';
import { wholeLedger } from '../hook/whole-ledger.ts';

export interface ExecuteHere {
  readonly located: Located;
  readonly source: 'foil' | 'service';
  /** The agent is another user than we. */
  readonly locked: boolean;
  /** Those to choose from, the best first. */
  readonly sandboxes?: readonly Sandbox[];
  readonly env?: NodeJS.ProcessEnv;
}

export async function executeHere(
  here: ExecuteHere,
  request: ValidateRequest,
  signal?: AbortSignal,
): Promise<ValidateAnswer> {
  const { located, source, locked, env = process.env } = here;
  const validator = request.validator === null ? null : validatorId(request.validator);
  if (request.validator !== null && validator === null)
    return refuse('unknown-validator', `Unknown validator ${JSON.stringify(request.validator)}.`);
  const hidden = hiddenPaths(located, env);
  const chosen = await firstAvailable(here.sandboxes ?? [makeBubblewrap({ hidden }), makeUnprivileged()]);
  if ('outcome' in chosen) return chosen;
  const lock = await oneAtATime(located);
  if (lock === undefined) return refuse('busy', 'Another check of this ledger is running. Try again later.');
  const store = openFileStore(located.directory);
  try {
    const recorded = await readSessionOf(store, {
      session: request.session,
      claim: typeof request.claim === 'number' ? request.claim : null,
      isWanted: ({ type }) =>
        typeof request.claim === 'string'
          ? type === request.claim
          : type !== 'shipped' && REPEATABLE.some((id) => settles(id, type)),
    });
    if (recorded === null)
      return refuse('no-claim', 'No such claim is on record that another run could settle.');
    const config = configOf(recorded.root, locked);
    const { command, network, timeoutMs } = request;
    const policy = await settledPolicy({
      store,
      file: config.gate,
      records: {
        standing: () => wholeLedger.policyStanding(located, env),
        recordFirst: (first) => wholeLedger.recordFirstPolicy(located, first, env),
      },
    });
    return await execute(
      {
        store,
        intake: await intakeOf(located, store, config),
        policy,
        sandbox: chosen,
        source,
        signer: () => openSigner(located, { notes: store, whole: wholeLedger }),
        trees: `${located.directory}/trees`,
        temporary: tmpdir(),
        stateOf: (session) => stateOf(join(located.directory, STATE_DIR), session),
        hidden,
        notOwnedBy: locked ? (process.getuid?.() ?? null) : null,
      },
      recorded,
      { validator, command, network, timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS, signal },
    );
  } finally {
    await store.close();
    lock.close();
  }
}

const REPEATABLE = ['test_pass', 'command_zero_exit'] as const;

async function firstAvailable(sandboxes: readonly Sandbox[]): Promise<Sandbox | RefusedRun> {
  const reasons: string[] = [];
  for (const sandbox of sandboxes) {
    const reason = await sandbox.available();
    if (reason === null) return sandbox;
    reasons.push(reason);
  }
  return refuse(
    'no-sandbox',
    `There is no sandbox to run it in: ${reasons.join('; ')}. See docs/re-execution.md.`,
  );
}

/** Of this ledger and of those beside it: what must not be seen by what is run. */
function hiddenPaths({ directory, keyDirectory }: Located, env: NodeJS.ProcessEnv): string[] {
  const state = env.XDG_STATE_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, '.local/state'));
  return [
    directory,
    keyDirectory,
    ...(state === undefined ? [] : [join(state, 'counterfoil')]),
    configDirectory(env),
    ...noteDirectories(directory, env).map((path) => dirname(path)),
  ];
}

/** In locked it is the service's user who reads; a configuration that can't be read keeps nothing. */
function configOf(root: string | null, locked: boolean): Config {
  if (root === null) return DEFAULT_CONFIG;
  try {
    return readConfig(root, parseYaml, { links: !locked });
  } catch (error) {
    return { ...DEFAULT_CONFIG, content: 'none', hash: sha256Hex(String(error)) };
  }
}

async function intakeOf(located: Located, store: Store, config: Config): Promise<Intake> {
  let cipher: Cipher | undefined;
  if (config.content === 'encrypt') {
    cipher = await openCipher(openKeyring(located.keyDirectory), (await readIdentity(store)).origin);
  }
  return new Intake({ store, redactor: makeRedactor(config.redact), policy: config, cipher });
}

/** How long another run of this ledger, by another process, is waited for. */
const TURN_MS = 10_000;

async function oneAtATime({ directory }: Located): Promise<OsLock | undefined> {
  const lock = new OsLock(join(directory, 'execute.lock'));
  try {
    await lock.wait(SECTION, after(TURN_MS));
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}

/** The state whose session it is. */
function stateOf(directory: string, session: string): string | null {
  try {
    const names = readdirSync(directory);
    return names.find((name) => parseState(readFileSync(join(directory, name)))?.session === session) ?? null;
  } catch {
    return null;
  }
}
