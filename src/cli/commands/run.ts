// foil run -- CMD: one whole session of an agent. The session begins before the command does and ends after it; the
// command itself is a call in it, with its exit code. Hooks are put in for this run alone where the agent has a way, and
// the user's own files stay as they are. The summary goes to standard error: standard output is the command's.
import { basename, resolve } from 'node:path';
import {
  closeRun,
  findInstalledHooks,
  isInsideRun,
  modeInForce,
  startProblem,
  wholeLedger,
  withLedger,
} from '../../app/index.ts';
import { adapterOf } from '../../capture/hooks/index.ts';
import { givenSettings } from '../../capture/settings/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { openRecorder } from '../../entry/index.ts';
import { PackError } from '../../format/index.ts';
import { isFoilOff, type Located, readSettings, workspaceRoot } from '../../ledger/index.ts';
import type { Session, SessionOptions } from '../../record/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { ensureLedger, replaceOldService } from '../hook-more.ts';
import { keepStart } from '../keep-start.ts';
import { place } from '../place.ts';
import {
  countEntries,
  MOST_RESUMED,
  NESTED,
  recordElsewhere,
  recordUnhooked,
  TRIGGER,
} from '../run-entries.ts';
import { gatewayFor, gatewayInForce, gatewayOf, gatewayService, type RunGateway } from '../run-gateway.ts';
import { hooksFor, installedFor, type RunHooks, whyUnhooked } from '../run-hooks.ts';
import { type RunPack, runPack } from '../run-pack.ts';
import { type Ended, exitOf, namesWithKeys, reasonOf, startCommand } from '../run-process.ts';
import { recordArtifacts, recordBase } from '../run-record.ts';
import { summarizeRun } from '../run-summary.ts';
import { readKeyFile } from './auth.ts';

export const run: Command = {
  name: 'run',
  summary: 'run an agent, record its whole session, and report what happened',
  usage:
    '[--agent NAME] [--gateway | --through URL] [--pack FILE] [--auth-key-file FILE] -- CMD [ARGUMENTS…]',
  arguments: [1, Number.POSITIVE_INFINITY],
  options: {
    agent: { type: 'string', value: 'NAME', help: "which agent CMD is, if its name doesn't show it" },
    gateway: {
      type: 'boolean',
      help: 'send its model calls through the local gateway, which records them too',
    },
    through: {
      type: 'string',
      value: 'URL',
      help: 'like --gateway, but also through this independent gateway, which vouches for the calls',
    },
    'token-file': {
      type: 'string',
      value: 'FILE',
      help: "with --through: the file with its token, if foil doesn't know it yet",
    },
    ca: { type: 'string', value: 'FILE', help: 'with --through: trust these certificates for it' },
    pack: {
      type: 'string',
      value: 'FILE',
      help: 'bind the session to this harness pack, or to the pack of a folder; the project must match it',
    },
    'env-key': {
      type: 'string',
      value: 'FILE',
      help: 'with --pack: the key from `foil pack create --env-key`, to compare the values of environment variables too',
    },
    'allow-secrets': { type: 'boolean', help: 'with --pack: go on even if a file seems to hold a secret' },
    'auth-key-file': {
      type: 'string',
      value: 'FILE',
      help: 'present the auth key in FILE (mode 0600); the agent never sees it',
    },
  },
  examples: [
    'foil run -- claude',
    'foil run -- claude -p "fix the flaky test"',
    'foil run --gateway -- ./my-agent.sh',
    'foil run --through https://gw.example:8443 -- claude',
    'foil run --pack . -- claude -p "fix the flaky test"',
  ],
  run: runAgent,
};

/** What the agents' commands are called. */
const COMMANDS: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  codex: 'codex',
  gemini: 'gemini',
  copilot: 'copilot',
  'cursor-agent': 'cursor',
  opencode: 'opencode',
};

async function runAgent(context: Context): Promise<Outcome> {
  const [command = '', ...words] = context.arguments;
  const agent = agentOf(context, command);
  const problem = startProblem(command, context);
  if (problem !== null) {
    const { exit, message } = problem;
    return { exit, json: { error: { code: 'NOT_STARTED', message } }, aside: `foil: ${message}\n` };
  }
  const located = place(context);
  const { directory } = located;
  const isOff = isFoilOff(context.env);
  if (isOff && readSettings(directory, context.env).mode === 'observe') {
    const ended = await startCommand(context, command, words, {});
    return { exit: exitOf(ended) };
  }
  // Whatever keeps the agent from being started is said before anything of it is on record.
  const asked = context.values.text('through');
  if (asked === undefined && ['token-file', 'ca'].some((name) => context.values.flag(name)))
    throw new UsageError('--token-file and --ca need --through URL.');
  const isGated = context.values.flag('gateway') || asked !== undefined;
  if (isGated) gatewayOf(agent, 'http://127.0.0.1', context);
  const unhooked = agent === null ? null : whyUnhooked(agent, words, located, context);
  if (agent !== null && unhooked !== null && modeInForce(directory, context).mode !== 'observe')
    throw new StoreError('DENIED', `\`foil run\` can't record ${agent}. ${unhooked}.`);
  const keyFile = context.values.text('auth-key-file');
  await ensureLedger(located, context.env, context.env);
  const pack = runPack(context, located);
  const through = isGated ? gatewayInForce(directory, context, asked) : undefined;
  await replaceOldService(directory, context.env);
  const recorder = await openRecorder({
    place: located,
    cwd: context.cwd,
    agent: agent ?? basename(command),
    source: 'run',
    ...(keyFile === undefined ? {} : { authKey: readKeyFile(resolve(context.cwd, keyFile)) }),
  });
  let hooks: RunHooks | null = null;
  let gateway: RunGateway | null = null;
  try {
    const given = agent === 'claude-code' ? givenSettings(words) : null;
    hooks = await hooksFor(agent, located, context, given);
    const service = isGated ? await gatewayService(directory) : null;
    const isHooked =
      hooks !== null || (agent !== null && installedFor(agent, located, context) !== undefined);
    const grants = await wholeLedger.grantsInForce(located, context.env);
    const session = await recorder.session({
      trigger: isInsideRun() ? NESTED : TRIGGER,
      ...(grants === null ? {} : { capabilities: grants.grantsHash }),
      ...(pack === null ? {} : { pack: pack.root }),
      ...(through === undefined ? {} : { gateway: through }),
      ...interactionOf(agent, isHooked, isGated),
    });
    const { first } = session;
    gateway = service === null ? null : gatewayFor(agent, session.id, service, located, context);
    const notes = [...(gateway?.notes ?? []), ...notesOf(context, { agent, command, directory, isOff })];
    if (session.unauthenticated !== null) notes.push(`unauthenticated: ${session.unauthenticated}`);
    const since = new Date(context.now()).toISOString();
    const handed = hooks !== null && given !== null ? given.rest : words;
    if (pack !== null) await recordBase(located, session.id, workspaceRoot(context.cwd));
    if (isGated)
      notes.push(...(await keepStart(context, located, session.id, { argv: context.arguments, agent })));
    const watch = pack?.watch(session.id);
    const ended = await recorded(session, context, command, words, { located, hooks, gateway, handed });
    const changed = (await watch?.stop()) ?? [];
    if (changed.length > 0)
      notes.push(`the harness changed while the agent ran: ${changed.slice(0, 5).join(', ')}`);
    if (pack !== null) notes.push(...(await artifactsOf(context, located, session.id, pack)));
    const { hooked, resumed, ...counts } = await withLedger(located, (ledger) =>
      countEntries(ledger, session.id, first, agent),
    );
    const isRecorded = agent === null || hooked || resumed.length > 0;
    if (!hooked)
      for (const id of resumed.slice(0, MOST_RESUMED))
        notes.push(`${agent} continued in its own session: foil session show ${id.slice(0, 12)}`);
    // What the agent did stands elsewhere: this run shows it to nobody.
    if (resumed.length > 0 && (!hooked || pack !== null))
      await recordElsewhere(located, session.id, resumed, since);
    if (agent !== null && !isRecorded) {
      await recordUnhooked(located, session.id, agent, since);
      notes.push(unhookedText(agent, unhooked));
    }
    await session.end({ reason: reasonOf(ended), exitCode: exitOf(ended), counts });
    if (through !== undefined) {
      const run = { id: session.id, first, source: 'run' };
      const unclosed = await withLedger(located, (ledger) => closeRun(ledger, directory, run));
      if (unclosed !== undefined)
        notes.push(`${unclosed.why}${unclosed.mayYet ? ' `foil bundle create` asks again.' : ''}`);
    }
    return await summarizeRun(context, located, {
      ...{ session: session.id, first, ...ended, exit: exitOf(ended) },
      recorded: isRecorded,
      notes,
    });
  } finally {
    hooks?.remove();
    gateway?.leave();
    await recorder.close();
  }
}

/** What is to be said where they can't be taken: the run is on record all the same, and nobody can attest it. */
async function artifactsOf(
  { cwd }: Context,
  located: Located,
  session: string,
  { outputs }: RunPack,
): Promise<readonly string[]> {
  try {
    await recordArtifacts(located, session, { root: workspaceRoot(cwd), outputs });
    return [];
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    return [`nobody can attest this run, because its outputs can't be read: ${error.message}`];
  }
}

function notesOf(
  context: Context,
  {
    agent,
    command,
    directory,
    isOff,
  }: {
    readonly agent: string | null;
    readonly command: string;
    readonly directory: string;
    readonly isOff: boolean;
  },
): string[] {
  const elsewhere = findInstalledHooks(context).find(
    (found) => found.agent === agent && found.ledger !== null && found.ledger !== directory,
  );
  return [
    ...(isOff ? ['FOIL=off is set, but it only works in observe mode.'] : []),
    ...namesWithKeys(context.env).map(
      (name) => `${name} held an auth key, so foil didn't pass it on to ${command}.`,
    ),
    ...(elsewhere === undefined
      ? []
      : [`the hooks in ${elsewhere.path} also write to another ledger, ${elsewhere.ledger}.`]),
  ];
}

/** Whose turns are the interactions: the hooks' where there are hooks, else the gateway's, else the program's own. */
function interactionOf(
  agent: string | null,
  isHooked: boolean,
  isGated: boolean,
): Pick<SessionOptions, 'interaction' | 'interactionKind'> {
  const adapter = agent === null || !isHooked ? undefined : adapterOf(agent);
  if (adapter !== undefined) return { interaction: adapter.source };
  return isGated ? { interaction: 'gateway', interactionKind: 'model.result' } : { interaction: 'sdk' };
}

function agentOf({ values }: Context, command: string): string | null {
  const given = values.text('agent');
  if (given === undefined) return COMMANDS[basename(command)] ?? null;
  if (adapterOf(given) === undefined)
    throw new UsageError(`Unknown agent "${given}". Use one of ${Object.values(COMMANDS).join(', ')}.`);
  return given;
}

/** The command as a call of its session: on record before it starts, and again when it has ended. */
async function recorded(
  session: Session,
  context: Context,
  command: string,
  words: readonly string[],
  {
    located,
    hooks,
    gateway,
    handed,
  }: {
    located: Located;
    hooks: RunHooks | null;
    gateway: RunGateway | null;
    handed: readonly string[];
  },
): Promise<Ended> {
  const env = {
    ...hooks?.env,
    ...gateway?.env,
    FOIL_SESSION: session.id,
    FOIL_LEDGER: located.directory,
  };
  const all = [...(hooks?.args ?? []), ...(gateway?.args ?? []), ...handed];
  return session.tool(
    'run',
    { command, arguments: words, cwd: context.cwd },
    () => startCommand(context, command, all, env),
    { exitCode: (ended) => exitOf(ended as Ended) },
  );
}

/** What to do where it was not known beforehand that no hook would run. */
const LIKELY: Readonly<Record<string, string>> = {
  codex:
    "Codex skips hooks that you haven't trusted. Type /hooks in Codex and trust them, then run this again",
};

/** `why` is what was known beforehand. */
function unhookedText(agent: string, why: string | null): string {
  const then = why ?? LIKELY[agent] ?? `Run \`foil install ${agent}\`, then check \`foil status\``;
  return `foil recorded nothing that ${agent} was told, said or did, because none of its hooks ran. ${then}.`;
}
