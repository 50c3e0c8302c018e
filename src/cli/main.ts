// The table of commands, and who runs what. A command is loaded when it is asked for, with what it needs and nothing
// else: most of what a short command takes is loading.
import manifest from '../../package.json' with { type: 'json' };
import { UsageError } from '../core/index.ts';
import { suggest } from '../report/index.ts';
import { OWN_COMMANDS, tellsWayPast, withoutAdvice } from '../rules/index.ts';
import { type Bytes, type Command, EXIT } from './command.ts';
import { commandHelp, generalHelp } from './help.ts';
import { type Cleared, fail, print, runCommand } from './rim.ts';

type Load = () => Promise<Command>;

/** In the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'every day': {
    scan: async () => (await import('./commands/scan.ts')).scan,
    install: async () => (await import('./commands/install.ts')).install,
    uninstall: async () => (await import('./commands/uninstall.ts')).uninstall,
    run: async () => (await import('./commands/run.ts')).run,
    mode: async () => (await import('./commands/mode.ts')).mode,
    pause: async () => (await import('./commands/pause.ts')).pause,
    status: async () => (await import('./commands/status.ts')).status,
    log: async () => (await import('./commands/log.ts')).log,
    show: async () => (await import('./commands/show.ts')).show,
    verify: async () => (await import('./commands/verify.ts')).verify,
  },
  ledger: {
    init: async () => (await import('./commands/init.ts')).init,
    append: async () => (await import('./commands/append-more.ts')).append,
    prove: async () => (await import('./commands/prove.ts')).prove,
    checkpoint: async () => (await import('./commands/checkpoint.ts')).checkpoint,
    anchor: async () => (await import('./commands/anchor.ts')).anchor,
    key: async () => (await import('./commands/key.ts')).key,
    archive: async () => (await import('./commands/archive.ts')).archive,
    recover: async () => (await import('./commands/recover.ts')).recover,
    doctor: async () => (await import('./commands/doctor.ts')).doctor,
    demo: async () => (await import('./commands/demo.ts')).demo,
    completions: async () => (await import('./commands/completions.ts')).makeCompletions(loadCommands),
  },
  evidence: {
    why: async () => (await import('./commands/why.ts')).why,
    evidence: async () => (await import('./commands/evidence.ts')).evidence,
    contract: async () => (await import('./commands/contract.ts')).contract,
    validate: async () => (await import('./commands/validate.ts')).validate,
    gate: async () => (await import('./commands/gate.ts')).gate,
    policy: async () => (await import('./commands/policy.ts')).policy,
    grants: async () => (await import('./commands/grants.ts')).grants,
    plan: async () => (await import('./commands/plan.ts')).plan,
    operator: async () => (await import('./commands/operator.ts')).operator,
    overrides: async () => (await import('./commands/overrides.ts')).overrides,
    crashes: async () => (await import('./commands/crashes.ts')).crashes,
  },
  wires: {
    mcp: async () => (await import('./commands/mcp.ts')).mcp,
    hook: async () => (await import('./commands/hook.ts')).hook,
    serve: async () => (await import('./commands/serve.ts')).serve,
    gateway: async () => (await import('./commands/gateway.ts')).gateway,
    receipt: async () => (await import('./commands/receipt.ts')).receipt,
  },
  sessions: {
    session: async () => (await import('./commands/session.ts')).session,
    view: async () => (await import('./commands/view.ts')).view,
    auth: async () => (await import('./commands/auth.ts')).auth,
    audit: async () => (await import('./commands/audit.ts')).audit,
    replay: async () => (await import('./commands/replay.ts')).replay,
    report: async () => (await import('./commands/report.ts')).report,
    patch: async () => (await import('./commands/patch.ts')).patch,
    keep: async () => (await import('./commands/keep.ts')).keep,
    diff: async () => (await import('./commands/diff.ts')).diff,
    fork: async () => (await import('./commands/fork.ts')).fork,
  },
  proof: {
    pack: async () => (await import('./commands/pack.ts')).pack,
    attest: async () => (await import('./commands/attest.ts')).attest,
    attester: async () => (await import('./commands/attester.ts')).attester,
    bundle: async () => (await import('./commands/bundle.ts')).bundle,
    certify: async () => (await import('./commands/certify.ts')).certify,
    release: async () => (await import('./commands/release.ts')).release,
    export: async () => (await import('./commands/export.ts')).exportRun,
    'commit-proof': async () => (await import('./commands/commit-proof.ts')).commitProof,
  },
};

const COMMANDS = new Map(Object.values(GROUPS).flatMap((loads) => Object.entries(loads)));

/** Every command, loaded. */
export function loadCommands(): Promise<Command[]> {
  return Promise.all([...COMMANDS.values()].map((load) => load()));
}

/** The text of the help of each command, by its name, and of the general help, by none. */
export type HelpTexts = Readonly<Record<string, string>>;

/** What the commands say of themselves. All of them are loaded for it, so the build writes it down. */
export async function writeHelp(): Promise<HelpTexts> {
  const groups: Record<string, Command[]> = {};
  const texts: Record<string, string> = {};
  for (const [title, loads] of Object.entries(GROUPS)) {
    groups[title] = await Promise.all(Object.values(loads).map((load) => load()));
    for (const command of groups[title]) texts[command.name] = commandHelp(command);
  }
  return { ...texts, '': generalHelp(groups) };
}

/** Runs what the words say and gives the exit code. `help` has the texts that were written down, where there are any. */
export async function main(
  words: readonly string[],
  help: () => HelpTexts | Promise<HelpTexts> = writeHelp,
): Promise<number> {
  const [name, ...rest] = words;
  const json = words.includes('--json');
  try {
    if (name === '--version' || name === '-V') {
      await print(json ? `${JSON.stringify({ version: manifest.version })}\n` : `${manifest.version}\n`);
      return EXIT.FINE;
    }
    const asked = helpAsked(words);
    if (asked !== undefined) {
      await print((await help())[asked] ?? '');
      return EXIT.FINE;
    }
    const load = COMMANDS.get(name ?? '');
    if (load !== undefined) {
      const command = await load();
      if (Object.hasOwn(OWN_COMMANDS, command.name)) {
        const { assertOutside } = await import('./own-commands.ts');
        await assertOutside(words, { cwd: process.cwd(), env: process.env });
      }
      return await runCommand(command, rest, () => commandHelp(command), forReader(words), paged);
    }
    throw new UsageError(
      name?.startsWith('-')
        ? `Write the command before its options: foil COMMAND ${name}. See foil --help.`
        : `Unknown command "${name}"${suggest(name ?? '', [...COMMANDS.keys()], 'foil ')}`,
    );
  } catch (error) {
    return fail(error, json, forReader(words));
  }
}

async function paged(pieces: AsyncIterable<Bytes>): Promise<boolean> {
  const { page } = await import('./pager.ts');
  return page(pieces, process.env);
}

/** A model that runs a command of ours in guard reads what it prints: advice on how to change the recording is left out. */
function forReader(words: readonly string[]): Cleared {
  let hides: boolean | undefined;
  return async (text) => {
    if (!tellsWayPast(text)) return text;
    if (hides === undefined) {
      const { isReadByModel } = await import('./own-commands.ts');
      hides = isReadByModel(words, { cwd: process.cwd(), env: process.env });
    }
    return hides ? withoutAdvice(text) : text;
  };
}

/** Whose help the words ask for and nothing else, '' for the general one. */
function helpAsked([name, second, ...more]: readonly string[]): string | undefined {
  if (name === undefined) return '';
  if (isHelp(name) || name === 'help') return COMMANDS.has(second ?? '') ? second : '';
  return COMMANDS.has(name) && isHelp(second) && more.length === 0 ? name : undefined;
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}
