// Bundles with an attestation. The attester's key signed each of them, the wrong ones too.
import { sha256Hex } from '#platform';
import { canonicalize, encodeDidKey, encodeVerifierKey, type JsonObject } from '../../src/core/index.ts';
import {
  type Attestation,
  type AttestedRubric,
  artifactRoot,
  encodeAttestation,
} from '../../src/format/index.ts';
import {
  attesterKey,
  goodAttestation,
  goodRubric,
  judgedAttestation,
  signedText,
} from '../format/attestations.ts';
import { ARTIFACTS, type Loose, type Runs } from './bundle-maker.ts';
import {
  type BundleCase,
  ENCRYPTED,
  failing,
  JUDGED,
  made,
  PASS,
  RUBRIC,
  STRICT,
  type Story,
  setMember,
  type Trust,
  trusting,
  unknown,
} from './make-bundles.ts';

const SANDBOX: BundleCase['expect'] = { verdict: 'PASS', tier: 'sandbox', codes: [] };
const VKEY = encodeVerifierKey(attesterKey());
const stranger = attesterKey(8);

interface Told {
  readonly change?: Partial<Attestation>;
  /** Its payload, in whatever form. */
  readonly text?: (payload: JsonObject) => string;
  readonly by?: ReturnType<typeof attesterKey>;
  readonly trust?: Partial<Trust>;
  readonly story?: Story;
  /** The run as the attester had it: that many entries. */
  readonly had?: (runs: Runs) => string;
  readonly secret?: boolean;
}

function attested(name: string, done: string, expect: BundleCase['expect'], told: Told = {}): BundleCase {
  const pack = told.story?.pack ?? STRICT;
  const { packHash, root: packRoot } = pack.hashes;
  const attach = (loose: Loose, runs: Runs): void => {
    if (told.secret) hide(loose);
    const attestation = goodAttestation({
      runId: runs.session,
      origin: runs.origin,
      eventChainRoot: told.had?.(runs) ?? String(loose.payload.event_chain_root),
      packHash,
      packRoot,
      artifactHash: artifactRoot(ARTIFACTS),
      ...told.change,
    });
    const payload = encodeAttestation(attestation);
    loose.parts.set(
      'attestations/1.json',
      signedText(told.text?.(payload) ?? canonicalize(payload), told.by),
    );
  };
  const trust = { packs: [packRoot], attesters: [{ vkey: VKEY }], ...told.trust };
  return made(
    name,
    done,
    expect,
    { ...told.story, pack },
    { change: attach, trust: (runs) => trusting(runs, trust) },
  );
}

/** The pack as only its attester can read it. */
function hide(loose: Loose): void {
  loose.parts.delete('harness-pack.tar.gz');
  loose.parts.set('harness-pack.jwe.json', ENCRYPTED);
  setMember(loose, 'metadata.harness.pack_encryption_method', 'aes-gcm');
  setMember(loose, 'metadata.harness.id', null);
  setMember(loose, 'metadata.harness.config_hash_b64u', null);
}

const noted = (code: string): BundleCase['expect'] => ({ ...PASS, codes: [code] });

/** The root of the run's entries up to its end. */
function untilTheEnd(runs: Runs): string {
  const entries = runs.entries();
  const end = entries.findIndex(
    ({ entry }) => entry.kind === 'session.end' && entry.session_id === runs.session,
  );
  const behind = runs.lines.splice(end + 1);
  const { root } = runs.summed();
  runs.lines.push(...behind);
  return root;
}

const committed: Story = {
  after: (runs) => {
    runs.commit();
    runs.sum();
  },
};
const wentOn: Story = {
  after: (runs) => {
    runs.tool('WebFetch', { url: 'https://example.org' });
    runs.sum();
  },
};

/** By a model, with the rubric of its pack. */
function judged(
  name: string,
  done: string,
  expect: BundleCase['expect'],
  change: Partial<AttestedRubric> = {},
  more: Partial<Attestation> = {},
): BundleCase {
  const rubric = goodRubric({ rubricHash: sha256Hex(RUBRIC), ...change });
  return attested(name, done, expect, {
    change: { ...BY_RUBRIC, rubric, ...more },
    story: { pack: JUDGED },
  });
}

/** What an attestation by rubric says otherwise than one by tests. */
const BY_RUBRIC = (({ method, tests, sandbox, leftOut, reason }) => ({
  ...{ method, tests, sandbox, leftOut, reason },
}))(judgedAttestation());

const votes = (...scores: (number | null)[]): AttestedRubric['votes'] =>
  scores.map((score, i) => ({ seq: i + 1, entryHash: `${i}`.repeat(64), score }));
const OTHERWISE = noted('ATTESTATION_OTHER_VERIFICATION');

function judgedBundles(): BundleCase[] {
  return [
    judged('judged', 'A trusted attester says that a model judged the run well: no sandbox.', PASS),
    judged(
      'judged-failure',
      'A trusted attester says that a model judged the run, and it fails.',
      failing('ATTESTATION_FAIL'),
      { votes: votes(90, 60, 65), score: 65 },
      { result: 'FAIL', reason: 'The median of 3 votes is 65 of 100, and the pack asks for 70.' },
    ),
    judged('judged-other-rubric', "The rubric is not the pack's.", OTHERWISE, { rubricHash: '6'.repeat(64) }),
    judged('judged-other-model', 'Another model judged than the pack names.', OTHERWISE, {
      model: 'judge-2',
    }),
    judged('judged-lower-threshold', 'The threshold is lower than in the pack.', OTHERWISE, {
      threshold: 60,
    }),
    judged('judged-fewer-votes', 'Fewer votes were asked for than the pack says.', OTHERWISE, {
      votes: votes(85),
    }),
    judged(
      'judged-by-the-mean',
      'The score is the mean of the votes, which is higher than their median.',
      noted('ATTESTATION_MALFORMED'),
      { votes: votes(60, 60, 100), score: 73 },
    ),
    judged('judged-by-one', 'One vote of three counts.', noted('ATTESTATION_MALFORMED'), {
      votes: votes(85, null, null),
    }),
    attested('tested-for-a-rubric', 'Tests passed, and the pack asks for a judge.', OTHERWISE, {
      story: { pack: JUDGED },
    }),
    attested('judged-without-a-rubric', 'A model judged by a rubric, and the pack has none.', OTHERWISE, {
      change: { ...BY_RUBRIC, rubric: goodRubric() },
    }),
  ];
}

export function attestedBundles(): BundleCase[] {
  return [
    ...judgedBundles(),
    attested('attested', 'A trusted attester attests the run.', SANDBOX),
    attested('attested-secret', 'A trusted attester attests the run; its pack is encrypted.', SANDBOX, {
      secret: true,
    }),
    attested('attested-then-committed', 'Behind the attestation a commit was signed into the run.', SANDBOX, {
      story: committed,
      had: untilTheEnd,
    }),
    attested(
      'attested-then-went-on',
      'Behind the attestation the run called a tool that its encrypted pack denies.',
      unknown('ATTESTATION_OTHER_RUN', 'PACK_MISSING'),
      {
        story: wentOn,
        had: untilTheEnd,
        secret: true,
      },
    ),
    attested(
      'attested-other-entries',
      'The attestation is about other entries.',
      noted('ATTESTATION_OTHER_RUN'),
      {
        change: { eventChainRoot: '3'.repeat(64) },
      },
    ),
    attested('attested-other-run', 'The attestation is about another run.', noted('ATTESTATION_OTHER_RUN'), {
      change: { runId: '7'.repeat(64) },
    }),
    attested(
      'attested-other-ledger',
      'The attestation is about a run of another ledger.',
      noted('ATTESTATION_OTHER_RUN'),
      {
        change: { origin: 'counterfoil/other' },
      },
    ),
    attested(
      'attested-other-pack',
      'The attestation is about another pack.',
      noted('ATTESTATION_OTHER_PACK'),
      {
        change: { packRoot: '7'.repeat(64) },
      },
    ),
    attested(
      'attested-other-artifacts',
      'The attestation is about other artifacts.',
      noted('ATTESTATION_OTHER_ARTIFACTS'),
      {
        change: { artifactHash: 'A'.repeat(43) },
      },
    ),
    attested('attested-failure', 'A trusted attester says FAIL.', failing('ATTESTATION_FAIL'), {
      change: {
        result: 'FAIL',
        tests: { listed: 2, passed: 1, failed: 1, missing: 0 },
        reason: 'One of 2 failed.',
      },
    }),
    attested('attested-expired', 'The attestation has expired.', noted('ATTESTATION_EXPIRED'), {
      change: { expires: '2026-11-16T11:00:00.000Z' },
    }),
    attested(
      'attested-too-early',
      'The attestation was issued in the future.',
      noted('ATTESTATION_NOT_YET_VALID'),
      {
        change: { issued: '2026-12-16T10:00:00.000Z' },
      },
    ),
    attested('attester-not-trusted', 'Nobody trusts the attester.', noted('ATTESTER_NOT_TRUSTED'), {
      trust: { attesters: [] },
    }),
    attested(
      'attester-unknown',
      'The attestation names another attester than signed it.',
      noted('ATTESTATION_UNSIGNED'),
      { by: stranger },
    ),
    attested(
      'attester-under-another-name',
      'A trusted key signed under a name that is not its own.',
      noted('ATTESTER_NOT_TRUSTED'),
      {
        change: { attester: encodeDidKey(stranger.publicKey) },
      },
    ),
    attested(
      'attester-no-more',
      'The attester was not trusted any more when it attested.',
      noted('ATTESTER_DATES'),
      {
        trust: {
          attesters: [{ vkey: VKEY, from: '2026-01-01T00:00:00.000Z', until: '2026-11-01T00:00:00.000Z' }],
        },
      },
    ),
    attested(
      'attestation-with-more',
      'The attestation has one member more.',
      noted('ATTESTATION_MALFORMED'),
      {
        text: (payload) => canonicalize({ ...payload, more: 1 }),
      },
    ),
    attested(
      'attestation-nested',
      'The attestation is nested a thousand deep.',
      noted('ATTESTATION_MALFORMED'),
      {
        text: () => `${'['.repeat(1000)}${']'.repeat(1000)}`,
      },
    ),
    attested(
      'attestation-of-another-schema',
      'The attestation is of a later version.',
      noted('ATTESTATION_OTHER_SCHEMA'),
      {
        text: (payload) => canonicalize({ ...payload, schema: 'verification_attestation.v2' }),
      },
    ),
  ];
}
