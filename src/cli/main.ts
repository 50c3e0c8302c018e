// Everything the command does besides a plain append: the table of commands, help, and who runs what.
import manifest from '../../package.json' with { type: 'json' };
import { openFileStore } from '../store/files/index.ts';
import { suggest } from './arguments.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { anchor } from './commands/anchor.ts';
import { makeAppend } from './commands/append.ts';
import { more } from './commands/append-more.ts';
import { archive } from './commands/archive.ts';
import { audit } from './commands/audit.ts';
import { auth } from './commands/auth.ts';
import { checkpoint } from './commands/checkpoint.ts';
import { contract } from './commands/contract.ts';
import { crashes } from './commands/crashes.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { evidence } from './commands/evidence.ts';
import { gate } from './commands/gate.ts';
import { hook } from './commands/hook.ts';
import { init } from './commands/init.ts';
import { install } from './commands/install.ts';
import { key } from './commands/key.ts';
import { log } from './commands/log.ts';
import { mcp } from './commands/mcp.ts';
import { mode } from './commands/mode.ts';
import { operator } from './commands/operator.ts';
import { overrides } from './commands/overrides.ts';
import { pause } from './commands/pause.ts';
import { plan } from './commands/plan.ts';
import { policy } from './commands/policy.ts';
import { prove } from './commands/prove.ts';
import { receipt } from './commands/receipt.ts';
import { recover } from './commands/recover.ts';
import { run } from './commands/run.ts';
import { scan } from './commands/scan.ts';
import { serve } from './commands/serve.ts';
import { session } from './commands/session.ts';
import { show } from './commands/show.ts';
import { status } from './commands/status.ts';
import { uninstall } from './commands/uninstall.ts';
import { validate } from './commands/validate.ts';
import { verify } from './commands/verify.ts';
import { why } from './commands/why.ts';
import { commandHelp, generalHelp } from './help.ts';
import { assertOutside } from './own-commands.ts';
import { fail, print, runCommand } from './rim.ts';

export { compileStart } from './compile-start.ts';
export { ensureLedger, openLedgerCipher, reviveService, sealQuietly } from './hook-more.ts';
export { openFileStore };

/** In the order of the help. */
export const GROUPS: Readonly<Record<string, readonly Command[]>> = {
  'every day': [scan, install, uninstall, run, mode, pause, status, log, show, verify],
  ledger: [
    init,
    makeAppend(openFileStore, more),
    prove,
    checkpoint,
    anchor,
    key,
    archive,
    recover,
    doctor,
    demo,
  ],
  evidence: [why, evidence, contract, validate, gate, policy, plan, operator, overrides, crashes],
  wires: [mcp, hook, serve, receipt],
  sessions: [session, auth, audit],
};

export const COMMANDS: readonly Command[] = Object.values(GROUPS).flat();

/** Runs what the words say and gives the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  const json = words.includes('--json');
  try {
    if (name === '--version' || name === '-V') {
      await print(json ? `${JSON.stringify({ version: manifest.version })}\n` : `${manifest.version}\n`);
      return EXIT.FINE;
    }
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await help(rest);
    const command = COMMANDS.find((candidate) => candidate.name === name);
    if (command !== undefined) {
      await assertOutside(words, { cwd: process.cwd(), env: process.env });
      return await runCommand(command, rest, () => commandHelp(command));
    }
    if (name.startsWith('-'))
      throw new UsageError(
        `the command comes first, then its options: foil COMMAND ${name}. See foil --help.`,
      );
    throw new UsageError(
      `there is no command ${name}${suggest(
        name,
        COMMANDS.map((candidate) => candidate.name),
        'foil ',
      )}`,
    );
  } catch (error) {
    return fail(error, json);
  }
}

async function help([name]: readonly string[]): Promise<number> {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  await print(command === undefined ? generalHelp(GROUPS) : commandHelp(command));
  return EXIT.FINE;
}
