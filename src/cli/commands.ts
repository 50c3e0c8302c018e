// What reads command lines: commands.script, which the gate loads for a command that may be a check, and at the end of a
// turn where it looks for a command that would settle a claim. See scripts/read-commands-later.mjs.
import { completeChecks, readCommand, suggest } from '../rules/index.ts';

export { completeChecks, readCommand, suggest };
