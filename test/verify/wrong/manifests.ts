// What the payload says of the run, and the entries do not.
import type { Json, JsonObject } from '../../../src/core/index.ts';
import { encodePack } from '../../../src/harness/index.ts';
import { looseBundle, type Runs } from '../bundle-maker.ts';
import { type BundleCase, ENCRYPTED, failing, made, PASS, STRICT, setMember, told } from '../make-bundles.ts';
import { seqOf } from './edits.ts';

/** What the payload says of the run. */
export function manifests(): BundleCase[] {
  const wrong = (name: string, path: string, value: Json, story = {}): BundleCase =>
    made(`manifest-${name}`, `${path} is not what the entries say.`, failing('MANIFEST_WRONG'), story, {
      change: (loose) => setMember(loose, path, value),
    });
  const zeros = '0'.repeat(64);
  const many = {
    tell: (runs: Runs): void => {
      for (let i = 2; i <= 4; i++) runs.of('prompt', { prompt_hash: `${i}`.repeat(64) });
    },
  };
  const withPack = { pack: STRICT };
  return [
    wrong('entries', 'entries', 3),
    wrong('event-chain-root', 'event_chain_root', zeros),
    wrong('receipts', 'receipts', 2),
    wrong('receipts-root', 'receipts_root', zeros),
    wrong('prompts', 'inputs.prompt_hashes', [zeros]),
    wrong('more-prompts', 'inputs.more_prompts', true),
    made(
      'manifest-fewer-prompts',
      'Of four prompts one is listed, and more_prompts is true.',
      failing('MANIFEST_WRONG'),
      many,
      {
        change: (loose) => {
          const { prompt_hashes: hashes } = loose.payload.inputs as JsonObject;
          setMember(loose, 'inputs.prompt_hashes', [(hashes as string[])[0] ?? '']);
          setMember(loose, 'inputs.more_prompts', true);
        },
      },
    ),
    made(
      'date-ahead',
      'The bundle says that it was made ten years from now.',
      { ...PASS, codes: ['BUNDLE_DATE_AHEAD'] },
      {},
      { change: (loose) => setMember(loose, 'created', '2036-11-17T00:00:00.000Z') },
    ),
    wrong('commit', 'inputs.commit', 'c'.repeat(40)),
    wrong('tree', 'inputs.tree', null),
    wrong('artifacts', 'outputs.artifact_hash_b64u', 'A'.repeat(43)),
    made(
      'artifacts-chosen',
      'Two entries name artifacts, and the bundle names those of one.',
      failing('MANIFEST_WRONG'),
      {
        tell: (runs) => void runs.artifacts([]),
      },
      {
        change: (loose, runs) => {
          const { artifact_hash_b64u: hash = null } =
            runs.entries()[seqOf(runs, 'run.artifacts') - 1]?.entry.payload ?? {};
          setMember(loose, 'outputs.artifact_hash_b64u', hash);
        },
      },
    ),
    made(
      'artifacts-behind-the-end',
      'Artifacts were named behind the end of the run.',
      failing('MANIFEST_WRONG'),
      {
        close: (runs) => void runs.end(),
        after: (runs) => {
          runs.artifacts();
          runs.sum();
        },
      },
    ),
    wrong('pack-left-unnamed', 'metadata.harness.pack_root', null, withPack),
    wrong('date-before-the-run', 'created', '2026-11-15T09:00:00.000Z'),
    made(
      'harness-without-a-pack',
      'The run has no pack, and the bundle gives the harness a name and hashes.',
      failing('MANIFEST_WRONG'),
      {},
      {
        change: (loose) => {
          const { harness } = looseBundle(told(withPack), withPack).payload.metadata as {
            harness: JsonObject;
          };
          setMember(loose, 'metadata.harness', { ...harness, pack_root: null });
        },
      },
    ),
    made(
      'pack-without-a-name',
      'The run has no pack, and one is in the bundle.',
      failing('MANIFEST_WRONG'),
      {},
      {
        change: ({ parts }) => void parts.set('harness-pack.tar.gz', encodePack(STRICT)),
      },
    ),
    made(
      'open-pack-called-secret',
      'The pack is there, and is said to be encrypted.',
      failing('MANIFEST_WRONG'),
      withPack,
      {
        change: (loose) => setMember(loose, 'metadata.harness.pack_encryption_method', 'aes-gcm'),
      },
    ),
    made('two-packs', 'Beside the pack there is an encrypted one.', failing('MANIFEST_WRONG'), withPack, {
      change: ({ parts }) => void parts.set('harness-pack.jwe.json', ENCRYPTED),
    }),
  ];
}
