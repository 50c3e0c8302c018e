// The key that signs validations: certified-key.ts for that one role.
import { type JsonObject, validationMessage, validatorKeyMessage } from '../core/index.ts';
import { encodeValidation, type Validation } from '../format/index.ts';
import {
  type CertifiedEpoch,
  type CertifiedKeyOptions,
  type CertifiedRotated,
  type CertifiedSigner,
  type NotedKeyOptions,
  openCertified,
  openNoted,
  type Role,
  readCertified,
  roleName,
  rotateCertified,
} from './certified-key.ts';
import type { LogReader } from './ports.ts';

export type ValidatorOptions = CertifiedKeyOptions;
export type ValidatorEpoch = CertifiedEpoch;
export type ValidatorRotated = CertifiedRotated;

/** What speaks for the validators of a ledger. */
export interface ValidatorSigner {
  readonly version: number;
  /** 64 hex digits. */
  readonly publicKey: string;
  /**
   * The payload of a `validation` entry, signed. Synchronous: call it inside `build`, and take its result into the block
   * that `build` gives. Throws StoreError KEY when the key was rotated meanwhile: open the validator again.
   */
  sign(validation: Validation, sessionId: string): JsonObject;
}

const VALIDATOR: Role = {
  name: 'validator',
  kind: 'validator.key',
  state: 'foil.validator',
  certificate: validatorKeyMessage,
  signs: 'validations',
  rotate: 'foil key rotate --validator',
};

/** The name that a ledger's validator keys are kept under. */
export function validatorName(origin: string): string {
  return roleName(origin, VALIDATOR);
}

/** The current one; made where there is none yet. Throws StoreError KEY where it is not here and can't be made. */
export async function openValidator(options: ValidatorOptions): Promise<ValidatorSigner> {
  return validatorOf(await openCertified(VALIDATOR, options));
}

/** The one that is noted to be the newest, found without reading the log; undefined where it is not noted, or not here. */
export async function openNotedValidator(options: NotedKeyOptions): Promise<ValidatorSigner | undefined> {
  const noted = await openNoted(VALIDATOR, options);
  return noted && validatorOf(noted);
}

function validatorOf({ origin, version, publicKey, sign }: CertifiedSigner): ValidatorSigner {
  return {
    version,
    publicKey,
    sign(validation, sessionId) {
      const payload = encodeValidation(validation, version);
      return { ...payload, signature: sign(validationMessage({ origin, sessionId, payload })) };
    },
  };
}

export function rotateValidator(options: ValidatorOptions): Promise<ValidatorRotated> {
  return rotateCertified(VALIDATOR, options);
}

export function readValidatorKeys(store: LogReader): Promise<ValidatorEpoch[]> {
  return readCertified(VALIDATOR, store);
}
