// foil certify: one run made with counterfoil/runtime as a proof bundle that can be checked by public keys alone: its event log,
// final state hash, patches, capabilities, and a replay that was really done. Nothing is certified that an audit finds wrong.
import { utf8Encode } from '#platform';
import { bundleParts, findSession, packOfRun, sumUp, withLedger } from '../../app/index.ts';
import { canonicalize, encodeHex, StoreError } from '../../core/index.ts';
import { type Determinism, encodeCertificate, RUN_EVENT, type RunCertificate } from '../../format/index.ts';
import { gatherBundle, gzip, signBundle } from '../../harness/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import type { Session } from '../../report/index.ts';
import { counted, harmless } from '../../report/index.ts';
import { RunError, readReplays, recordReplay } from '../../runtime/index.ts';
import { auditPoints, certificateOf, type RunAudit, readRunKey } from '../../verify/index.ts';
import { readAudit } from '../audit-run.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { giveOut } from '../custody.ts';
import { place } from '../place.ts';
import { TIMEOUT_OPTION } from '../run-place.ts';
import { replayHere } from '../run-replay.ts';
import { chosenTrust } from '../verifier-options.ts';

export const certify: Command = {
  name: 'certify',
  summary: 'put a run, its final state and its replay into one signed file that anyone can verify',
  usage: 'RUN [--output FILE] [options]',
  arguments: [1, 1],
  options: {
    output: {
      type: 'string',
      value: 'FILE',
      help: 'where to write (default run-ID.tar.gz); - is standard output',
    },
    'without-replay': { type: 'boolean', help: 'certify without a replay, so its verdict is UNKNOWN' },
    'hide-content': {
      type: 'boolean',
      help: 'leave out payloads that are kept as content, so their hashes are UNKNOWN',
    },
    for: { type: 'string', value: 'NAME', help: 'who gets the file, for the record' },
    ...TIMEOUT_OPTION,
  },
  examples: [
    'foil certify 9d5e --output bundle.tar.gz',
    'foil certify 9d5e --output bundle.tar.gz --for "Auditors Ltd"',
    'foil verify bundle.tar.gz',
  ],
  notes: [
    "The bundle discloses the key of the run's hashes, so that others can recompute them. Anyone who has it can also guess",
    'short payloads of this run that were erased. If the name ends in .gz, the bundle is gzipped.',
  ],
  run,
};

/** Why nothing is certified: something is wrong (5), or can't be told here (1). */
class Refusal extends Error {
  readonly exit: number;

  constructor(message: string, exit: number = EXIT.VIOLATION) {
    super(message);
    this.exit = exit;
  }
}

async function run(context: Context): Promise<Outcome> {
  const { values, cwd } = context;
  const located = place(context);
  return withLedger(located, async (ledger) => {
    const session = await findSession(ledger, context, context.arguments[0], { newest: 'that ended' });
    if (session.state === 'open')
      throw new StoreError(
        'NOT_FOUND',
        `run ${session.id.slice(0, 12)} hasn't ended. Only a whole run can be certified.`,
      );
    try {
      const certificate = await certificateFor(context, ledger, located, session);
      await keepCertified(context, ledger, certificate);
      const bytes = await bundled(context, ledger, located, session, certificate);
      const file = values.text('output') ?? `run-${session.id.slice(0, 12)}.tar.gz`;
      const written = file === '-' || file.endsWith('.gz') ? gzip(bytes) : bytes;
      const given = { run: session.id, form: 'proof_bundle.v1', bytes: written, file } as const;
      const custody = await giveOut(ledger, { ...given, recipient: values.text('for') ?? null }, cwd);
      await ledger.seal();
      if (file === '-') return { text: written };
      return outcome(certificate, file, written.length, custody);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return {
        exit: error.exit,
        json: { certified: false, reason: error.message },
        text: `✗ Not certified: ${harmless(error.message)}\n`,
      };
    }
  });
}

function outcome(certificate: RunCertificate, file: string, bytes: number, custody: number | null): Outcome {
  const { determinism, finalStateHash, events, runId } = certificate;
  const replay =
    determinism.result === 'matches'
      ? '✓ Replayed to the same state'
      : `? Not replayed: ${determinism.reason}`;
  return {
    json: {
      certified: true,
      run: runId,
      file,
      bytes,
      custody,
      certificate: encodeCertificate(certificate),
    },
    text: `${file}: ${counted(events, 'event')}, ${bytes} bytes\n✓ Final state hash: ${finalStateHash}\n${harmless(replay)}\nEntry ${custody} records that it was given out.\n`,
  };
}

async function certificateFor(
  context: Context,
  ledger: Ledger,
  located: Located,
  session: Session,
): Promise<RunCertificate> {
  const { trust } = await chosenTrust(context);
  const { seq: to } = await ledger.store.head();
  const { audit } = await readAudit(ledger, located, session.id, to, trust.operators ?? []);
  const failed = auditPoints(audit, { broken: null, policy: [], replay: null }).find(
    ({ status }) => status === 'fail',
  );
  if (failed !== undefined)
    throw new Refusal(`point ${failed.point} of the audit fails: ${failed.reason}. See \`foil audit run\`.`);
  const key = await readRunKey(ledger.store.files, session.id);
  const determinism = await determinismOf(context, ledger, located, session, audit);
  const certificate = certificateOf(audit, key === null ? null : encodeHex(key), determinism);
  if (certificate === null)
    throw new StoreError(
      'NOT_FOUND',
      `session ${session.id.slice(0, 12)} isn't a finished run of an agent made with counterfoil/runtime. Use \`foil bundle create\` for other sessions.`,
    );
  if (certificate.hashes !== 'blake3' && certificate.hashKey === null)
    throw new StoreError(
      'NOT_FOUND',
      "the salt of the session is gone, so nobody can recompute its hashes. The run can't be certified.",
    );
  return certificate;
}

async function determinismOf(
  context: Context,
  ledger: Ledger,
  located: Located,
  { id: run, first_seq: first }: Session,
  { init }: RunAudit,
): Promise<Omit<Determinism, 'replayId'>> {
  const code = init?.code.root ?? '0'.repeat(64);
  const nothing = { node: null, sandbox: null, from: null, events: null, finalStateHash: null };
  if (init === null || context.values.flag('without-replay'))
    return { result: 'unknown', code, ...nothing, reason: 'nobody replayed it' };
  try {
    const report = await replayHere(context, ledger, located, { run, first });
    const {
      outcome: came,
      divergence,
      flaw,
      unknownAt,
      broke,
      node,
      sandbox,
      from,
      events,
      finalStateHash,
    } = report;
    if (divergence !== null)
      throw new Refusal(`the replay diverges at event ${divergence.event}. See \`foil replay\`.`);
    if (flaw !== null) throw new Refusal(flaw);
    if (came !== 'matches')
      throw new Refusal(
        `the replay is unknown: ${broke ?? `the payload of event ${unknownAt} is missing`}. Use --without-replay to certify the rest.`,
        EXIT.FAILED,
      );
    return {
      result: 'matches',
      code: report.code,
      node,
      sandbox,
      from,
      events,
      finalStateHash,
      reason: null,
    };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    if (error.code === 'DIVERGED') throw new Refusal(error.message);
    throw new Refusal(`${error.message} Use --without-replay to certify the rest.`, EXIT.FAILED);
  }
}

/** The replay that is certified, on record under the certificate's id for it, once. */
async function keepCertified(
  { now }: Context,
  { store }: Ledger,
  { runId, determinism }: RunCertificate,
): Promise<void> {
  const { result: outcome, replayId: id, code, node, sandbox, from, events, finalStateHash } = determinism;
  if (outcome !== 'matches' || node === null || sandbox === null || events === null) return;
  for await (const replay of readReplays(store)) if (replay.id === id) return;
  const asked = { run: runId, replay: 'forensic', from, to: null, execute: false } as const;
  const came = { outcome, events, finalStateHash, divergence: null, flaw: null, impure: [] };
  await recordReplay({ store, now }, { id, ...asked, code, node, sandbox, ...came });
}

async function bundled(
  context: Context,
  ledger: Ledger,
  located: Located,
  session: Session,
  certificate: RunCertificate,
): Promise<Uint8Array> {
  const pack = await packOfRun(ledger, located, session);
  await sumUp(ledger, session);
  const isShown = !context.values.flag('hide-content');
  const parts = await bundleParts(ledger, session, pack, ['needed']);
  const made = await gatherBundle({
    ...parts,
    disclose: (entry, ref) => (isShown && entry.kind === RUN_EVENT) || parts.disclose(entry, ref),
    packAs: 'shown',
    packUri: null,
    artifacts: null,
    certificate: utf8Encode(canonicalize(encodeCertificate(certificate))),
    attestations: [],
    created: new Date(context.now()).toISOString(),
  });
  return signBundle(ledger, made);
}
