// What reads command lines: commands.script, which the gate loads for a command that may be a check, for a test
// configuration that changed, a message that may tell of acts, code that may defeat tests, a final block and its references, tests that expect something else or code on the line, and at the
// end of a turn where a claim is open, for what excuses it, what is said of it and the command that would settle it. See
// scripts/read-commands-later.mjs.
import { hasReferences, objectProblem, referenceProblem } from '../gate/index.ts';
import {
  actsIn,
  asRunOfLoaded,
  changedExpectations,
  commandOf,
  completeChecks,
  defeated,
  excuseOf,
  gateMessage,
  gateWarning,
  heldAct,
  loadedIn,
  missingAct,
  parseFoilFinal,
  readCommand,
  readConfig,
  suggest,
  toldActs,
  toldExpectations,
  triedBy,
  wayOut,
} from '../rules/index.ts';

export {
  actsIn,
  asRunOfLoaded,
  changedExpectations,
  commandOf,
  completeChecks,
  defeated,
  excuseOf,
  gateMessage,
  gateWarning,
  hasReferences,
  heldAct,
  loadedIn,
  missingAct,
  objectProblem,
  parseFoilFinal,
  readCommand,
  readConfig,
  referenceProblem,
  suggest,
  toldActs,
  toldExpectations,
  triedBy,
  wayOut,
};
