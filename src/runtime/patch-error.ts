// What keeps a step of a patch from being taken, with the code that a verifier has for it where it has one.
import type { PatchStepCode } from '../policy/index.ts';

export type PatchErrorCode = PatchStepCode | 'RUN_PATCH' | 'BUSY';

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
