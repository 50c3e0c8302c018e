// What reads command lines: commands.script, which the gate loads for a command that may be a check, for a test
// configuration that changed, and at the end of a turn where a claim is open, for what is said of it and the command that
// would settle it. See scripts/read-commands-later.mjs.
import {
  commandOf,
  completeChecks,
  gateMessage,
  gateWarning,
  readCommand,
  readConfig,
  suggest,
  wayOut,
} from '../rules/index.ts';

export { commandOf, completeChecks, gateMessage, gateWarning, readCommand, readConfig, suggest, wayOut };
