// foil attest --server: an attester elsewhere does the work, and nothing is run here. What it answers must be about the bundle
// that was sent; whether its signer is trusted is for `foil verify` to say.
import { resolve } from 'node:path';
import { sha256Hex, utf8Decode } from '#platform';
import { readFile } from '../app/index.ts';
import { type Json, type JsonObject, ParseError, parseBase64, UsageError } from '../core/index.ts';
import {
  type Attestation,
  IN_TOTO_TYPE,
  parseSignedAttestation,
  TEST_RESULT,
  VERIFICATION_SUMMARY,
} from '../format/index.ts';
import { AttestError, type AttestJob } from '../harness/index.ts';
import { parseDuration } from './arguments.ts';
import { OTHERS } from './attest-outcome.ts';
import type { Context } from './command.ts';

/** What an attester signs for other tools, by the options that ask for it. */
export type OtherDocuments = Readonly<Partial<Record<(typeof OTHERS)[number], Uint8Array>>>;

export interface Answer {
  readonly attestation: Uint8Array;
  /** Those that were asked for. */
  readonly others: OtherDocuments;
}

export async function attestElsewhere(context: Context, job: AttestJob, server: string): Promise<Answer> {
  const { cwd, values, onInterrupt, progress } = context;
  const tokenFile = values.text('token-file');
  if (tokenFile === undefined) throw new UsageError('--server needs --token-file, a file with its token.');
  const token = utf8Decode(readFile(resolve(cwd, tokenFile), 4096, '--token-file')).trim();
  const { requestAttestation, requestDocument } = await import('../app/attest/attester-client.ts');
  const controller = new AbortController();
  const undo = onInterrupt(() => controller.abort());
  const request = {
    ...job,
    server,
    token,
    timeoutMs: parseDuration(values.text('timeout') ?? '30m', '--timeout'),
    signal: controller.signal,
    progress: (status: string) => progress(`${status} …`),
  };
  try {
    const attestation = await requestAttestation(request);
    const about = assertAnswer(attestation, job.bundle);
    const others: Record<string, Uint8Array> = {};
    for (const name of OTHERS.filter((each) => values.flag(each))) {
      others[name] = await requestDocument(request, name);
      assertDocument(name, others[name], about);
    }
    return { attestation, others };
  } finally {
    progress('');
    undo();
  }
}

function assertAnswer(answer: Uint8Array, bundle: Uint8Array): Attestation {
  let about: Attestation;
  try {
    about = parseSignedAttestation(answer).attestation;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new AttestError('BAD_ANSWER', `the attester's answer can't be read: ${error.message}`);
  }
  if (about.bundleHash !== sha256Hex(bundle))
    throw new AttestError('BAD_ANSWER', "the attester's answer is about a different bundle.");
  return about;
}

/** Of the right kind, and about the same run: whoever mixes them up would hand out a wrong one. */
function assertDocument(name: (typeof OTHERS)[number], bytes: Uint8Array, about: Attestation): void {
  const refuse = (why: string): never => {
    throw new AttestError('BAD_ANSWER', `the attester's document for --${name} ${why}.`);
  };
  let payloadType: Json | undefined;
  let statement: JsonObject;
  try {
    const value = JSON.parse(utf8Decode(bytes)) as JsonObject;
    const envelope = (name === 'vsa' ? value : value.dsseEnvelope) as JsonObject;
    payloadType = envelope.payloadType;
    statement = JSON.parse(utf8Decode(parseBase64(String(envelope.payload)))) as JsonObject;
  } catch {
    refuse("can't be read");
    return;
  }
  const { predicateType, predicate } = statement ?? {};
  if (payloadType !== IN_TOTO_TYPE || predicateType !== (name === 'vsa' ? VERIFICATION_SUMMARY : TEST_RESULT))
    refuse('is a different kind of document');
  const { url, inputAttestations } = (predicate ?? {}) as JsonObject;
  const isAbout =
    name === 'vsa'
      ? JSON.stringify(inputAttestations) === JSON.stringify([{ digest: { sha256: about.bundleHash } }])
      : url === `urn:counterfoil:run:${about.runId}`;
  if (!isAbout) refuse('is about a different run');
}
