// Who signs what the gate validates.
import type { JsonObject } from '../core/index.ts';
import type { Validation } from '../format/index.ts';

/** Signs what the gate validates. */
export interface ValidationSigner {
  readonly version: number;
  /** A payload with its version and signature. Synchronous: the claim's place is known only inside the exclusive section. */
  sign(validation: Validation, session: string): JsonObject;
}
