// Loads every command and runs the small ones, for compile-start.ts: in a process of its own, whose output nobody reads,
// on a ledger that is thrown away.
import { loadCommands, main } from './main.ts';

/** They only read. What a command uses besides is compiled when it is used. */
const LINES = [
  'status',
  'log',
  'show 1',
  'verify',
  'mode',
  'key list',
  'session list',
  'auth list',
  'prove 1',
  'checkpoint',
  'evidence',
  'contract show',
  'policy explain',
  'overrides',
  'crashes',
];

export async function runCommands(): Promise<void> {
  await loadCommands();
  for (const line of LINES) await main(line.split(' '));
  process.exit(0);
}
