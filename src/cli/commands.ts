// What reads command lines: commands.script, which the gate loads for a command that may be a check, for a test
// configuration that changed, code that may defeat tests, a final block and its references, tests that expect something else or code on the line, and at the
// end of a turn where a claim is open, for what excuses it, what is said of it and the command that would settle it. See
// scripts/read-commands-later.mjs.
import { hasReferences, objectProblem, referenceProblem } from '../gate/index.ts';
import {
  asRunOfLoaded,
  changedExpectations,
  commandOf,
  completeChecks,
  defeated,
  excuseOf,
  gateMessage,
  gateWarning,
  loadedIn,
  parseFoilFinal,
  readCommand,
  readConfig,
  suggest,
  toldExpectations,
  triedBy,
  wayOut,
} from '../rules/index.ts';

export {
  asRunOfLoaded,
  changedExpectations,
  commandOf,
  completeChecks,
  defeated,
  excuseOf,
  gateMessage,
  gateWarning,
  hasReferences,
  loadedIn,
  objectProblem,
  parseFoilFinal,
  readCommand,
  readConfig,
  referenceProblem,
  suggest,
  toldExpectations,
  triedBy,
  wayOut,
};
