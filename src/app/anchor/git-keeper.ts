// Keeps the git repository up with the ledger, where counterfoil.yaml asks for one and the service runs: after each seal,
// which comes at the end of turns and sessions and once a minute. In the background, and never in the way of an append:
// nothing waits for it, and what could not be done is done the next time. `foil anchor git` tells what is in the way.
import { type CatchUpOptions, type CaughtUp, catchUp, type GitProblem } from '../../anchor/git/index.ts';
import type { LastingLedger, Ledger } from '../../ledger/index.ts';
import type { AnchorConfig } from '../../session/index.ts';
import { gitLock } from '../../store/files/index.ts';

export interface GitKeeperOptions {
  readonly directory: string;
  readonly ledger: Pick<LastingLedger, 'use'>;
  /** What the project says by now; may throw where that can't be understood. */
  config(): AnchorConfig;
}

export interface GitKeeper {
  /** Many asks are one. Resolves when it is done, and never rejects. */
  keepSoon(): Promise<void>;
  /** Once more, for what came last. */
  close(): Promise<void>;
}

export function openGitKeeper({ directory, ledger, config }: GitKeeperOptions): GitKeeper {
  let running: Promise<void> | undefined;
  let again = false;
  const work = async (): Promise<void> => {
    do {
      again = false;
      const { git } = config();
      if (git !== null) await ledger.use((opened) => keepUp(opened, directory, { ...git, gentle: true }));
    } while (again);
  };
  const keepSoon = (): Promise<void> => {
    again = true;
    running ??= work()
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return { keepSoon, close: keepSoon };
}

/** Once. Never rejects for what is wrong with the repository. */
export function keepUp(
  { store }: Pick<Ledger, 'store'>,
  directory: string,
  options: Pick<CatchUpOptions, 'end' | 'gentle' | 'rewrite'>,
): Promise<CaughtUp | GitProblem> {
  const settle = (): Promise<unknown> => store.append(() => undefined);
  return catchUp({ directory, store, lock: gitLock(directory), settle, ...options });
}
