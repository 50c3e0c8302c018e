// foil commit-proof: signs a commit of git into the run that made it, so that the run's bundle shows it.
import { StoreError } from '../../core/index.ts';
import { encodeCommitProof } from '../../format/index.ts';
import { workspaceRoot } from '../../ledger/index.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { commitObject } from '../commit-object.ts';
import { place, withLedger } from '../place.ts';
import { entriesFrom } from '../run-summary.ts';
import { findSession } from '../session-evidence.ts';

export const commitProof: Command = {
  name: 'commit-proof',
  summary: 'sign a git commit into the run that made it',
  usage: '[COMMIT] [--run RUN]',
  arguments: [0, 1],
  options: {
    run: { type: 'string', value: 'RUN', help: 'the run; the newest one of this project unless given' },
  },
  examples: ['foil commit-proof', 'foil commit-proof v1.2.0 --run 4f1c', 'foil bundle create 4f1c'],
  notes: ['COMMIT is what git takes for one: a hash, a branch, a tag. It is HEAD unless given.'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const [named = 'HEAD'] = context.arguments;
  const root = workspaceRoot(context.cwd);
  const found = await commitObject(root, named);
  if (found === undefined)
    throw new StoreError(
      'NOT_FOUND',
      `git knows no commit ${named} in ${root}. Name one that git log shows.`,
    );
  return withLedger(place(context), async (ledger) => {
    const { id, first_seq } = await findSession(ledger, context, context.values.text('run'), {
      newest: 'of all',
    });
    for await (const { kind, session_id, payload } of entriesFrom(ledger.store, first_seq))
      if (kind === 'run.base' && session_id === id && payload.commit === found.proof.commit)
        throw new UsageError(
          `commit ${found.proof.commit} is the one that run ${id.slice(0, 12)} started from, so the run did not make it. Commit what it made first.`,
        );
    const payload = encodeCommitProof(found.proof);
    const { first: seq } = await ledger.append({
      kind: 'commit',
      source: 'commit-proof',
      session_id: id,
      payload,
    });
    await ledger.seal();
    const { commit, tree } = found.proof;
    return {
      json: { run: id, seq, commit, tree },
      text: `commit ${commit} is entry ${seq} of run ${id.slice(0, 12)}. The run's next bundle shows it.\n`,
    };
  });
}
