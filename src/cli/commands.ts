// What reads command lines: commands.script, which the gate loads for a command that may be a check, for a test
// configuration that changed, tests that became weaker or that a prompt wants left out, a message that may tell of acts, code that may defeat tests, a final
// block and its references, tests that expect something else or code on the line, and at the
// end of a turn where a claim is open, for what excuses it, what is said of it and the command that would settle it. See
// scripts/read-commands-later.mjs.

import { parseFoilFinal } from '../claims/index.ts';
import { findWeakening, hasReferences, objectProblem, referenceProblem } from '../gate/index.ts';
import {
  absentNames,
  actsIn,
  changedExpectations,
  commandOf,
  defeated,
  excuseOf,
  findOverrides,
  gateMessage,
  gateWarning,
  heldAct,
  jointClaims,
  missingAct,
  noMarks,
  readConfig,
  readMarks,
  suggest,
  testsToLeaveOut,
  toldActs,
  toldExpectations,
  turnedAway,
  undoneForPrompt,
  unmadeDeed,
  untoldStubs,
  untriedHindrance,
  wayOut,
} from '../rules/index.ts';
import { asRunOfLoaded, completeChecks, loadedIn, readCommand, triedBy } from '../shell/index.ts';

export {
  absentNames,
  actsIn,
  asRunOfLoaded,
  changedExpectations,
  commandOf,
  completeChecks,
  defeated,
  excuseOf,
  findOverrides,
  findWeakening,
  gateMessage,
  gateWarning,
  hasReferences,
  heldAct,
  jointClaims,
  loadedIn,
  missingAct,
  noMarks,
  objectProblem,
  parseFoilFinal,
  readCommand,
  readConfig,
  readMarks,
  referenceProblem,
  suggest,
  testsToLeaveOut,
  toldActs,
  toldExpectations,
  triedBy,
  turnedAway,
  undoneForPrompt,
  unmadeDeed,
  untoldStubs,
  untriedHindrance,
  wayOut,
};
