// An attester's life: takes the lock of its state directory, opens its keys, token and jobs, listens, and takes up what an
// earlier process left. It leaves in order when it is told to: takes nothing more, lets jobs that run end, and answers
// whoever waits. However else it ends, accepted jobs are on the disk.
import { didDocument, didWebUrl, encodeDidKey, isLoopback, StoreError } from '../../core/index.ts';
import type { Attest } from '../../harness/index.ts';
import { OsLock, SECTION } from '../../store/files/index.ts';
import type { Log } from '../service-log.ts';
import {
  type AttesterKeys,
  attesterFiles,
  keepDid,
  makeAttesterDirectory,
  makeKeys,
  makeToken,
  publicEncryptionKey,
} from './attester-files.ts';
import type { QueueLimits } from './job-queue.ts';
import type { ListenOptions } from './listen.ts';

export interface AttesterOptions {
  /** The state directory; made where it is not there. */
  readonly state: string;
  /** Instead of the one in the state directory. */
  readonly tokenFile?: string | undefined;
  /** `did:web:…`; without one the attester is known by the did:key of its key. */
  readonly did?: string | undefined;
  readonly listen: ListenOptions;
  readonly maxBytes?: number | undefined;
  readonly limits?: Partial<QueueLimits>;
  /** For jobs that run when it is told to leave. */
  readonly drainMs?: number;
  readonly log: Log;
  /** What the work is, made once the keys are there. */
  attest(identity: AttesterIdentity): Attest | Promise<Attest>;
}

export interface AttesterIdentity extends AttesterKeys {
  readonly did: string;
}

export interface RunningAttester {
  readonly url: string;
  readonly identity: AttesterIdentity;
  readonly tokenFile: string;
  /** Leaves in order; the second time at once, with jobs cut off. */
  stop(): void;
  readonly ended: Promise<void>;
}

export const MOST_BYTES = 64 * 1024 * 1024;
const DRAIN = 30_000;
const LAST_BYTES = 1000;
const PRUNE_EVERY = 3_600_000;

/**
 * Resolves once it listens. Throws StoreError where others could listen in, another attester has the state directory, or a
 * key can't be used.
 */
export async function startAttester(options: AttesterOptions): Promise<RunningAttester> {
  assertNotInClear(options.listen);
  const files = attesterFiles(options.state);
  makeAttesterDirectory(files);
  const lock = new OsLock(files.lock);
  try {
    if (!lock.tryLock(SECTION))
      throw new StoreError(
        'LOCK_TIMEOUT',
        `another attester already uses ${options.state}. Stop it, or choose another directory with --state.`,
      );
    return await run(options, () => lock.close());
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Before anything is made. Loopback, by an address that can't be anything else, is this machine alone. */
function assertNotInClear({ host, tls }: ListenOptions): void {
  if (tls !== null || isLoopback(host)) return;
  throw new StoreError(
    'DENIED',
    `other machines can reach ${host}, and without TLS they could read the token. Give --cert and --key-file, or listen on 127.0.0.1.`,
  );
}

async function run(options: AttesterOptions, release: () => void): Promise<RunningAttester> {
  const { log, drainMs = DRAIN, maxBytes = MOST_BYTES } = options;
  const files = attesterFiles(options.state);
  const tokenFile = options.tokenFile ?? files.token;
  const keys = await makeKeys(files);
  const token = await makeToken(tokenFile);
  await keepDid(files, options.did);
  const identity = { ...keys, did: options.did ?? encodeDidKey(keys.signer.publicKey) };
  // What needs HTTP is loaded here, so that nothing else that comes through the room's door pays for it.
  const [{ JobStore }, { JobQueue, QUEUE_LIMITS }, { listen }] = await Promise.all([
    import('./job-store.ts'),
    import('./job-queue.ts'),
    import('./listen.ts'),
  ]);
  const attest = await options.attest(identity);
  const queue = new JobQueue(new JobStore(files), attest, { ...QUEUE_LIMITS, ...options.limits }, log);
  let leaving = false;
  const listener = await listen(
    {
      queue,
      token,
      identity: identityOf(options.did, keys),
      maxBytes,
      log,
      isLeaving: () => leaving,
    },
    options.listen,
  );
  await queue.prune(Date.now());
  queue.start();
  const prune = (): void => void queue.prune(Date.now()).catch(() => log('old results could not be removed'));
  const timer = setInterval(prune, PRUNE_EVERY);

  let hurry = (): void => undefined;
  const leave = async (): Promise<void> => {
    clearInterval(timer);
    const drained = Promise.race([
      queue.drain(drainMs),
      new Promise<void>((resolve) => {
        hurry = () => resolve(queue.drain(0));
      }),
    ]);
    // At once, so that nobody new connects; those who wait were answered by the drain.
    const closed = listener.close();
    await drained;
    const cut = setTimeout(listener.cut, LAST_BYTES);
    await closed;
    clearTimeout(cut);
    release();
    log('left');
  };
  let ended: (value: Promise<void>) => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  log(`listening at ${listener.url}`);
  return {
    url: listener.url,
    identity,
    tokenFile,
    ended: end,
    stop() {
      if (leaving) return hurry();
      leaving = true;
      ended(leave());
    },
  };
}

function identityOf(did: string | undefined, keys: AttesterKeys) {
  if (did === undefined) return null;
  const encryption = publicEncryptionKey(keys).bytes;
  return {
    path: new URL(didWebUrl(did)).pathname,
    document: didDocument(did, { signing: keys.signer.publicKey, encryption }),
  };
}
