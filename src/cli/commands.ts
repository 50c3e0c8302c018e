// What reads command lines: commands.script, which the gate loads for a command that may be a check, for a test
// configuration that changed, and at the end of a turn where it looks for a command that would settle a claim. See scripts/read-commands-later.mjs.
import { completeChecks, readCommand, readConfig, suggest } from '../rules/index.ts';

export { completeChecks, readCommand, readConfig, suggest };
