// The bundle of a run of this ledger: what goes into it, and the sum that says that nothing is left out.
import { isHash, StoreError } from '../core/index.ts';
import {
  asContentRef,
  type ContentRef,
  type Entry,
  encodeSessionSum,
  type HarnessPack,
  toolPolicyOf,
} from '../format/index.ts';
import { type BundleParts, keptArtifacts, keptPack } from '../harness/index.ts';
import { encodeBlock, type Ledger, type Located } from '../ledger/index.ts';
import { needsArguments } from '../policy/index.ts';
import type { Session } from '../report/index.ts';
import { readEntry, readSalt } from '../report/index.ts';
import { appendWithSum, SessionTally } from '../session/index.ts';
import { commitObject, commitsSince, treesOf } from './commit-object.ts';

/** What may be shown of a run. `needed`: arguments that a rule of the pack looks at, and nothing else. */
export const DISCLOSURES = ['needed', 'none', 'arguments', 'prompts', 'responses', 'results', 'all'] as const;
export type Disclosure = (typeof DISCLOSURES)[number];

const KINDS: Readonly<Partial<Record<Disclosure, string>>> = {
  arguments: 'tool.call',
  prompts: 'prompt',
  responses: 'response',
  results: 'tool.result',
};

/** The pack that the run began with, where it is kept here. */
export async function packOfRun(
  { store }: Ledger,
  { directory }: Located,
  session: Session,
): Promise<HarnessPack | null> {
  const start = await readEntry(store, session.first_seq);
  const root = start?.payload.pack;
  return typeof root === 'string' && isHash(root) ? (keptPack(directory, root) ?? null) : null;
}

/** Undefined where it is not here. */
export function keptArtifactsOf(
  { directory }: Located,
  hash: string | null,
  pack: HarnessPack | null,
): Uint8Array | undefined {
  if (pack === null || hash === null || pack.manifest.outputs.length === 0) return undefined;
  return keptArtifacts(directory, hash, pack.manifest.outputs);
}

/** What the run made, as it was kept. Throws StoreError where it is not here. */
export function artifactsOfRun(
  { directory }: Located,
  hash: string | null,
  pack: HarnessPack | null,
): Uint8Array {
  const missing = (why: string): StoreError => new StoreError('NOT_FOUND', why);
  if (pack === null)
    throw missing("the pack of the run isn't kept here. Only `foil run --pack` keeps the outputs of a run.");
  const { outputs } = pack.manifest;
  if (outputs.length === 0) throw missing('the pack of the run names no outputs, so none were kept.');
  if (hash === null)
    throw missing(
      "the run recorded no artifacts. foil couldn't read its outputs when it ended, for example because one was a link. `foil run` said why.",
    );
  const found = keptArtifacts(directory, hash, outputs);
  if (found === undefined) throw missing('the outputs of the run are no longer kept here.');
  return found;
}

export async function bundleParts(
  ledger: Ledger,
  session: Session,
  pack: HarnessPack | null,
  disclosed: readonly Disclosure[],
): Promise<Pick<BundleParts, 'ledger' | 'run' | 'pack' | 'disclose' | 'salt' | 'commitFiles'>> {
  return {
    ledger,
    run: session.id,
    pack,
    disclose: chosen(disclosed, pack),
    salt: (await readSalt(ledger, session.id)) ?? null,
    async commitFiles(commit, base) {
      const root = session.workspace_root;
      const found = root === null ? undefined : await commitObject(root, commit);
      if (root === null || found === undefined)
        throw new StoreError('NOT_FOUND', `commit ${commit}, which the run names, isn't in ${root}.`);
      const own = { path: `commits/${commit}`, bytes: found.object };
      if (base === null || pack === null) return [own];
      const between = await commitsSince(root, base, commit);
      const trees = await treesOf(root, found.proof.tree, pack.manifest.outputs);
      return [
        own,
        ...[...between].map(([name, bytes]) => ({ path: `commits/${name}`, bytes })),
        ...[...trees].map(([name, bytes]) => ({ path: `trees/${name}`, bytes })),
      ];
    },
  };
}

function chosen(
  disclosed: readonly Disclosure[],
  pack: HarnessPack | null,
): (entry: Entry, ref: ContentRef) => boolean {
  const policy = pack === null ? null : toolPolicyOf(pack);
  const isNeeded = ({ kind, payload }: Entry, ref: ContentRef): boolean =>
    policy !== null &&
    kind === 'tool.call' &&
    asContentRef(payload.args)?.hash === ref.hash &&
    needsArguments(policy, String(payload.tool));
  return (entry, ref) =>
    disclosed.some(
      (each) => each === 'all' || KINDS[each] === entry.kind || (each === 'needed' && isNeeded(entry, ref)),
    );
}

/** Says how many entries the run has, unless its last entry says so already; then seals. */
export async function sumUp(ledger: Ledger, session: Session): Promise<void> {
  const { store } = ledger;
  const last = await readEntry(store, session.last_seq);
  const isSummed =
    last !== undefined && (last.kind === 'session.sum' || Object.hasOwn(last.payload, 'entries_root'));
  if (!isSummed)
    await appendWithSum(
      store,
      {
        tally: () => new SessionTally(store, { session: session.id, first: session.first_seq }),
        required: true,
      },
      (head, _state, _shared, sum) => {
        const told = sum(new Uint8Array(0));
        if (told === null)
          throw new StoreError('IO', "foil couldn't count the entries of the run. Try again.");
        const payload = encodeSessionSum(told);
        return encodeBlock(
          [{ kind: 'session.sum', source: 'bundle', session_id: session.id, payload }],
          head,
          Date.now(),
        );
      },
    );
  await ledger.seal();
}
