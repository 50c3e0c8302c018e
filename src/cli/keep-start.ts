// `replay: keep` in a run: what the session begins with is kept before its command starts, and from then on the gateway
// keeps the answers of its models.
import { tmpdir } from 'node:os';
import { startingTree, withLedger } from '../app/index.ts';
import { parseYaml, readConfig } from '../config/index.ts';
import { type KeptCommand, PackError } from '../format/index.ts';
import { isReplayKept, type Located, workspaceRoot } from '../ledger/index.ts';
import { openCipher, ReplayKeeping } from '../record/index.ts';
import { openKeyring } from '../store/files/index.ts';
import type { Context } from './command.ts';

/** What is to be said of it, where the project asks for it and it can't be had. */
export async function keepStart(
  { cwd, env }: Context,
  located: Located,
  session: string,
  command: Omit<KeptCommand, 'cwd'>,
): Promise<readonly string[]> {
  const root = workspaceRoot(cwd);
  const { replay } = readConfig(root, parseYaml);
  if (replay !== 'keep') return [];
  return withLedger(located, async (ledger) => {
    const { store } = ledger;
    if (!(await isReplayKept(store, replay)))
      return ["this session isn't kept for replay until an operator accepts that: run `foil keep accept`"];
    try {
      const files = await startingTree(root, env);
      const { origin } = await ledger.identity();
      const cipher = await openCipher(openKeyring(located.keyDirectory), origin);
      const places = { root, home: env.HOME ?? null, temporary: env.TMPDIR ?? tmpdir() };
      await new ReplayKeeping({ store, cipher, source: 'run' }).start(session, { ...command, cwd }, files, {
        ...places,
        terminal: process.stdin.isTTY === true,
      });
      return [];
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
      return [`this session can't be replayed: ${error.message}`];
    }
  });
}
