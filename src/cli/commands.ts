// What reads command lines: commands.script, which the gate loads for a command that may be a check, for a test
// configuration that changed, tests that became weaker, code that may defeat them, a final block and its references, tests that expect something else or code on the line, and at the
// end of a turn where a claim is open, for what excuses it, what is said of it and the command that would settle it. See
// scripts/read-commands-later.mjs.
import { findWeakening, hasReferences, objectProblem, referenceProblem } from '../gate/index.ts';
import {
  asRunOfLoaded,
  changedExpectations,
  commandOf,
  completeChecks,
  defeated,
  excuseOf,
  findOverrides,
  gateMessage,
  gateWarning,
  loadedIn,
  noMarks,
  parseFoilFinal,
  readCommand,
  readConfig,
  readMarks,
  suggest,
  toldExpectations,
  triedBy,
  turnedAway,
  wayOut,
} from '../rules/index.ts';

export {
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
  loadedIn,
  noMarks,
  objectProblem,
  parseFoilFinal,
  readCommand,
  readConfig,
  readMarks,
  referenceProblem,
  suggest,
  toldExpectations,
  triedBy,
  turnedAway,
  wayOut,
};
