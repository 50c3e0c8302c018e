// What an attester signed for other tools in the same step as its attestation, as it is kept with a result and given on
// request; or why there is nothing of that kind. spec/attestation.md, "For other tools".
import { utf8Decode } from '#platform';
import { isObject, type JsonObject } from '../../core/index.ts';
import { AttestError, type ForOthers } from '../../harness/index.ts';
import type { Refused } from './refusal.ts';

export const OTHERS_NAMES = ['in-toto', 'vsa'] as const;
export type OthersName = (typeof OTHERS_NAMES)[number];
export type Others = Readonly<Record<OthersName, JsonObject>> | { readonly error: Refused };

export function othersOf(documents: ForOthers | AttestError): Others {
  if (documents instanceof AttestError) {
    const { code, message } = documents;
    return { error: { code, message } };
  }
  const parsed = (bytes: Uint8Array): JsonObject => JSON.parse(utf8Decode(bytes)) as JsonObject;
  return { 'in-toto': parsed(documents.inToto), vsa: parsed(documents.vsa) };
}

/** From a result on the disk. Undefined for those of a time when none were signed. */
export function readOthers(value: unknown): Others | undefined {
  if (!isObject(value)) return undefined;
  const { 'in-toto': inToto, vsa, error } = value;
  if (isObject(inToto) && isObject(vsa)) return { 'in-toto': inToto, vsa };
  const refused = readRefused(error);
  return refused === undefined ? undefined : { error: refused };
}

export function readRefused(value: unknown): Refused | undefined {
  const { code, message } = isObject(value) ? value : {};
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}
