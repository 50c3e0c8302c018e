// Every validator by its id. Written by scripts/validators.mjs from the files beside it: do not edit.
import type { ValidatorId } from '../../policy/index.ts';
import { commandZeroExit } from './command-zero-exit.ts';
import { fetchAttemptProof } from './fetch-attempt-proof.ts';
import { fileDiffPresent } from './file-diff-present.ts';
import { http2xx } from './http-2xx.ts';
import { ladderExhaustionProof } from './ladder-exhaustion-proof.ts';
import { testPass } from './test-pass.ts';
import type { Validator } from './validator.ts';

export const VALIDATORS: Readonly<Record<ValidatorId, Validator>> = {
  command_zero_exit: commandZeroExit,
  fetch_attempt_proof: fetchAttemptProof,
  file_diff_present: fileDiffPresent,
  http_2xx: http2xx,
  ladder_exhaustion_proof: ladderExhaustionProof,
  test_pass: testPass,
};
