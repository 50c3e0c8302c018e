// foil commit-proof: signs a commit of git into the run that made it, so that the run's bundle shows it. A commit that does not
// hold what the run made, or that does not go on from where the run began, is refused: nothing of the run is about it.

import {
  artifactsOfRun,
  commitObject,
  commitsSince,
  findSession,
  packOfRun,
  treesOf,
  withLedger,
} from '../../app/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { type CommitProof, encodeCommitProof, parseArtifacts } from '../../format/index.ts';
import { type Ledger, type Located, workspaceRoot } from '../../ledger/index.ts';
import type { Session } from '../../report/index.ts';
import { entriesFrom } from '../../report/index.ts';
import { whyNotHeld } from '../../verify/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const commitProof: Command = {
  name: 'commit-proof',
  summary: 'sign a git commit into the run that made it',
  usage: '[COMMIT] [--run RUN]',
  arguments: [0, 1],
  options: {
    run: { type: 'string', value: 'RUN', help: 'the run (default: the newest one of this project)' },
  },
  examples: [
    'foil commit-proof',
    'foil commit-proof v1.2.0 --run 4f1c',
    'foil bundle create 4f1c --artifacts',
  ],
  notes: [
    'COMMIT is anything git accepts as a commit: a hash, a branch or a tag. The default is HEAD.',
    'It must hold exactly the outputs of the run, as its pack names them, and descend from the commit where the run began.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const [named = 'HEAD'] = context.arguments;
  const root = workspaceRoot(context.cwd);
  const found = await commitObject(root, named);
  if (found === undefined)
    throw new StoreError(
      'NOT_FOUND',
      `git doesn't know the commit ${named} in ${root}. Name one that \`git log\` shows.`,
    );
  const located = place(context);
  return withLedger(located, async (ledger) => {
    const session = await findSession(ledger, context, context.values.text('run'), { newest: 'of all' });
    await assertMade(ledger, located, session, { root, ...found.proof });
    const { id } = session;
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
      text: `commit ${commit} is entry ${seq} of run ${id.slice(0, 12)}. The run's next bundle shows it; with --artifacts it also shows that the commit holds what the run made.\n`,
    };
  });
}

/** Throws UsageError that says why the commit is not of what the run made, and what to do. */
async function assertMade(
  ledger: Ledger,
  located: Located,
  session: Session,
  { root, commit, tree }: CommitProof & { readonly root: string },
): Promise<void> {
  const name = `run ${session.id.slice(0, 12)}`;
  const { base, artifactHash, commits } = await recordedIn(ledger, session);
  const pack = await packOfRun(ledger, located, session);
  if (pack === null || artifactHash === null)
    throw new UsageError(
      `${name} didn't record its outputs, so no commit can be shown to hold them. Start it with \`foil run --pack\`, and name pack.outputs in counterfoil.yaml.`,
    );
  if (commit === base)
    throw new UsageError(
      `commit ${commit} is the one that ${name} started from, so the run didn't make it. First commit what the run made.`,
    );
  if (commits.has(commit)) throw new UsageError(`commit ${commit} is already signed into ${name}.`);
  if (base === null)
    throw new UsageError(
      `${name} didn't start from a commit, so nobody can tell what it changed. Commit first, then run it again.`,
    );
  if (!(await commitsSince(root, base, commit)).has(commit))
    throw new UsageError(
      `commit ${commit} doesn't descend from ${base}, where ${name} started. Commit what the run made on top of that.`,
    );
  const { outputs } = pack.manifest;
  const artifacts = parseArtifacts(artifactsOfRun(located, artifactHash, pack), outputs);
  const trees = await treesOf(root, tree, outputs);
  const why = whyNotHeld(tree, { outputs, artifacts }, (each) => trees.get(each));
  if (why !== undefined)
    throw new UsageError(
      `commit ${commit} isn't what ${name} made: ${why}. Commit the files as the run left them, and no other files that pack.outputs names.`,
    );
}

async function recordedIn(
  { store }: Ledger,
  { id, first_seq }: Session,
): Promise<{
  readonly base: string | null;
  readonly artifactHash: string | null;
  readonly commits: ReadonlySet<string>;
}> {
  let [base, artifactHash]: [string | null, string | null] = [null, null];
  const commits = new Set<string>();
  for await (const { kind, session_id, payload } of entriesFrom(store, first_seq)) {
    if (session_id !== id) continue;
    const { commit, artifact_hash_b64u: hash } = payload;
    if (kind === 'run.base' && typeof commit === 'string') base = commit;
    if (kind === 'run.artifacts' && typeof hash === 'string') artifactHash = hash;
    if (kind === 'commit' && typeof commit === 'string') commits.add(commit);
  }
  return { base, artifactHash, commits };
}
