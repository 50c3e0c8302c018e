// foil anchor git: brings the git repository to where the ledger is, and says what is in the way.
import { setTimeout } from 'node:timers/promises';
import { type CaughtUp, type GitProblem, gitDirectory, readRefs } from '../../anchor/git/index.ts';
import { anchorInForce, keepUp, withLedger } from '../../app/index.ts';
import { parseYaml, readConfig } from '../../config/index.ts';
import { type Ledger, workspaceRoot } from '../../ledger/index.ts';
import { columns, counted, harmless } from '../../report/index.ts';
import { type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';

/** So long another process that is at it is waited for. */
const PATIENCE = 30_000;
const PAUSE = 50;

export function gitNow(context: Context): Promise<Outcome> {
  return withLedger(place(context), async (ledger) => {
    const { directory } = place(context);
    const result = await keepUpByHand(context, ledger, context.values.flag('repair'));
    if ('problem' in result) return problemOutcome(result);
    const git = gitDirectory(directory);
    const refs = [...readRefs(git)].filter(([name]) => name.startsWith('refs/heads/')).sort();
    const table = columns(refs.map(([ref, id]): [string, string] => [ref.replace('refs/heads/', ''), id]));
    return {
      json: { directory: git, ...result, refs: Object.fromEntries(refs) },
      text: `${harmless(git)} is at entry ${result.position}, with ${counted(result.commits, 'new commit')}.
${refs.length === 0 ? 'No session has any commits yet.' : `${table}`}
`,
    };
  });
}

/** What the project says, or nothing, decides what a repository that is made now does with sessions that end. */
export async function keepUpByHand(
  context: Context,
  ledger: Ledger,
  rewrite = false,
): Promise<CaughtUp | GitProblem> {
  const { directory } = place(context);
  const project = () => readConfig(workspaceRoot(context.cwd), parseYaml).anchor;
  const end = anchorInForce(directory, project).git?.end ?? 'merge';
  await ledger.store.append(() => undefined); // what a crash left durable is part of the ledger
  for (const until = context.now() + PATIENCE; ; ) {
    const result = await keepUp(ledger, directory, { end, rewrite });
    if (!('problem' in result) || result.problem !== 'BUSY' || context.now() > until) return result;
    await setTimeout(PAUSE);
  }
}

export function problemOutcome({ problem, message, refs = [] }: GitProblem): Outcome {
  return {
    exit: EXIT.FAILED,
    json: { problem, message, refs },
    text: `${problem}: ${harmless(message)}\n`,
  };
}
