// The hook command's own function, called in this process: everything that `foil hook` does but to start. For events
// whose subject is what is recorded and answered; where it is the process, or the service that takes the end of a turn
// from it, a test starts one.
import { type ChildProcess, spawn } from 'node:child_process';
import * as authority from '../../src/app/hook/authority.ts';
import * as defence from '../../src/app/hook/defence.ts';
import * as hooksSeen from '../../src/app/hook/hooks-seen.ts';
import * as gate from '../../src/app/hook/judge-maker.ts';
import { runHook } from '../../src/cli/hook.ts';
import {
  ensureLedger,
  openLedgerCipher,
  openTally,
  sealQuietly,
  wholeLedger,
} from '../../src/cli/hook-more.ts';
import * as project from '../../src/cli/project.ts';
import type { Answer } from '../../src/record/index.ts';
import { openFileStore, type RecordStore } from '../../src/store/files/index.ts';
import type { Result } from '../cli/foil.ts';

export interface Here {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The host's process, instead of one that stands in for all. */
  readonly ppid?: number | undefined;
  /** What it would start in a process of its own. */
  readonly started?: (words: readonly string[]) => void;
}

let host: ChildProcess | undefined;

/** A process that stands in for the host: what the test itself runs is a person's, in another terminal. */
function hostPid(): number {
  if (host === undefined) {
    host = spawn('sleep', ['86400'], { stdio: 'ignore' });
    host.unref();
    process.once('exit', () => host?.kill());
  }
  return host.pid ?? process.pid;
}

/** `words` as behind `foil hook`. */
export async function hookHere(
  words: readonly string[],
  input: Uint8Array,
  { env, cwd, ppid = hostPid(), started }: Here,
): Promise<Result> {
  const stores: RecordStore[] = [];
  let said: Answer = { exit: -1, stdout: '', stderr: '' };
  const code = await runHook(
    words,
    {
      openRecord(directory) {
        const store = openFileStore(directory);
        stores.push(store);
        return store;
      },
      gate: () => gate,
      hooksSeen: () => hooksSeen,
      defence: () => defence,
      authority: () => authority,
      project: () => project,
      more: () => ({
        ...{ ensureLedger, openLedgerCipher, openTally, sealQuietly, wholeLedger },
        reviveService: async () => undefined,
        replaceOldService: async () => false,
      }),
    },
    { pieces: [input], failure: null },
    {
      env,
      ppid,
      cwd: () => cwd,
      readInput: async () => input,
      say(answer) {
        said = answer;
        return answer.exit;
      },
      // Then the hook seals the end of a turn itself, before it answers.
      startApart(words) {
        started?.(words);
        return false;
      },
    },
  );
  for (const store of stores) await store.close();
  return { code, stdout: said.stdout, stderr: said.stderr };
}
