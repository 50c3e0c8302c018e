// What `foil attest` tells: the attestation that was made, or why there is none.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { encodePublicKeyPem, encodeVerifierKey } from '../core/index.ts';
import { type Attestation, encodeAttestation, parseSignedAttestation } from '../format/index.ts';
import { AttestError } from '../harness/index.ts';
import { counted, harmless } from '../report/index.ts';
import type { AttesterKeys } from '../service/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';

export const USUAL_FILE = 'attestation.json';
/** Options that name files for other tools. */
export const OTHERS = ['in-toto', 'vsa'] as const;

/** `keys` are those that signed, where that was here. */
export function written({ cwd, values }: Context, envelope: Uint8Array, keys?: AttesterKeys): Outcome {
  const { attestation } = parseSignedAttestation(envelope);
  const exit = attestation.result === 'PASS' ? EXIT.FINE : EXIT.BROKEN;
  const file = values.text('out') ?? USUAL_FILE;
  if (file === '-') return { exit, text: envelope };
  writeFileSync(resolve(cwd, file), envelope);
  const vkey = keys === undefined ? undefined : encodeVerifierKey(keys.signer);
  const [inToto, vsa] = OTHERS.map((name) => values.text(name));
  const lines = [
    ...told(attestation),
    ...(vkey === undefined ? [] : [`key        ${vkey}`]),
    `written    ${[file, inToto, vsa].filter((each) => each !== undefined).join(', ')}`,
  ];
  return {
    exit,
    json: {
      file,
      ...(inToto === undefined ? {} : { in_toto_file: inToto }),
      ...(vsa === undefined ? {} : { vsa_file: vsa }),
      ...(keys === undefined ? {} : { vkey, pem: encodePublicKeyPem(keys.signer.publicKey) }),
      ...encodeAttestation(attestation),
    },
    text: `${lines.map(harmless).join('\n')}\n`,
  };
}

function told(attestation: Attestation): string[] {
  const { result, reason, artifacts, leftOut, rubric, sandbox, attempt, attester, expires } = attestation;
  const left = leftOut === 0 ? '' : `, ${leftOut} left out`;
  const open = sandbox?.limits.filter(({ value }) => value === null).map(({ name }) => name) ?? [];
  return [
    `${result}  ${reason}`,
    `run        ${attestation.runId}`,
    `pack       ${attestation.packRoot}`,
    `artifacts  ${attestation.artifactHash} (${counted(artifacts, 'file')}${left})`,
    ...(sandbox === null
      ? []
      : [`sandbox    ${sandbox.name}${open.length === 0 ? '' : `, unbounded here: ${open.join(', ')}`}`]),
    ...(rubric === undefined
      ? []
      : [
          `judge      ${rubric.model}: ${rubric.votes.map(({ score }) => score ?? 'no vote').join(', ')}`,
          `votes      in ${rubric.ledger.origin}, session ${rubric.ledger.sessionId}`,
        ]),
    `attempt    ${attempt}`,
    `attester   ${attester}, until ${expires}`,
  ];
}

/** A refusal by the attester, here or there, has a code of its own. */
export function refused(error: unknown): Outcome {
  const isRefusal =
    error instanceof AttestError || (error instanceof Error && error.name === 'AttesterError');
  if (!isRefusal) throw error;
  const { code, message } = error as AttestError;
  return {
    exit: EXIT.FAILED,
    json: { error: { code, message } },
    text: `${harmless(`NOT ATTESTED (${code}): ${message}`)}\n`,
  };
}
