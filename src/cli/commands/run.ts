// foil run -- CMD: one whole session of an agent. The session begins before the command does and ends after it; the
// command itself is a call in it, with its exit code. Hooks are put in for this run alone where the agent has a way, and
// the user's own files stay as they are. The summary goes to standard error: standard output is the command's.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { adapterOf, opencodePlugin } from '../../capture/hooks/index.ts';
import {
  type GatewaySettings,
  GEMINI_SYSTEM_SETTINGS,
  type GivenSettings,
  gatewaySettings,
  givenSettings,
  type RunSettings,
  runSettings,
} from '../../capture/settings/index.ts';
import { openRecorder, type Session, type SessionOptions, verifyDirectory } from '../../entry/index.ts';
import { type Entry, encodeGap, type Head, parseEntry, type SessionCounts } from '../../format/index.ts';
import { isFoilOff, type Ledger, type Located, readSettings, stateDirectory } from '../../ledger/index.ts';
import { makeRuntimeDirectory, runtimeDirectory } from '../../record/index.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { ensureLedger, replaceOldService, startedService } from '../hook-more.ts';
import { findInstalledHooks, localWiring } from '../installed.ts';
import { place, withLedger } from '../place.ts';
import { summarizeSession } from '../session-summary.ts';
import { counted, harmless } from '../text.ts';
import { readKeyFile } from './auth.ts';

export const run: Command = {
  name: 'run',
  summary: 'run an agent, record its whole session, and say what happened',
  usage: '[--agent NAME] [--gateway] [--auth-key-file FILE] -- CMD [ARGUMENTS…]',
  arguments: [1, Number.POSITIVE_INFINITY],
  options: {
    agent: { type: 'string', value: 'NAME', help: 'which agent CMD is, where its name does not say so' },
    gateway: { type: 'boolean', help: 'point it at the gateway, which records its model calls, too' },
    'auth-key-file': {
      type: 'string',
      value: 'FILE',
      help: 'present the auth key in FILE, of mode 0600; the agent does not get to see it',
    },
  },
  examples: [
    'foil run -- claude',
    'foil run -- claude -p "fix the flaky test"',
    'foil run --gateway -- ./my-agent.sh',
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
/** A ledger longer than this is verified by who asks for it. */
const VERIFIED_UP_TO = 200_000;
/** Sent to us, they are meant for the agent. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function runAgent(context: Context): Promise<Outcome> {
  const [command = '', ...words] = context.arguments;
  const agent = agentOf(context, command);
  const located = place(context);
  const isOff = isFoilOff(context.env);
  if (isOff && readSettings(located.directory, context.env).mode === 'observe') {
    const ended = await start(context, command, words, {});
    return { exit: exitOf(ended) };
  }
  const keyFile = context.values.text('auth-key-file');
  await ensureLedger(located);
  await replaceOldService(located.directory, context.env);
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
    const isHooked = hooks !== null || (agent !== null && isInstalled(agent, located, context));
    const isGated = context.values.flag('gateway');
    const session = await recorder.session({ trigger: 'run', ...interactionOf(agent, isHooked, isGated) });
    const { first } = session;
    gateway = isGated ? await gatewayFor(agent, session.id, located, context) : null;
    const notes = [...(hooks?.notes ?? []), ...(gateway?.notes ?? [])];
    if (session.unauthenticated !== null) notes.push(`unauthenticated: ${session.unauthenticated}`);
    if (isOff) notes.push('FOIL=off is set, and counts in observe mode alone.');
    for (const name of namesWithKeys(context.env))
      notes.push(`${name} held an auth key, and was not handed on to ${command}.`);
    if (agent !== null && !isHooked)
      notes.push(`${agent} has no way to hook a single run: foil install ${agent} records what it does.`);
    const elsewhere = findInstalledHooks(context).find(
      (found) => found.agent === agent && found.ledger !== null && found.ledger !== located.directory,
    );
    if (elsewhere !== undefined)
      notes.push(`the hooks in ${elsewhere.path} write to another ledger as well, ${elsewhere.ledger}.`);
    const since = new Date(context.now()).toISOString();
    const handed = hooks !== null && given !== null ? given.rest : words;
    const ended = await recorded(session, context, command, words, { located, hooks, gateway, handed });
    const { hooked, ...counts } = await withLedger(located, (ledger) =>
      countEntries(ledger, session.id, first),
    );
    if (agent !== null && isHooked && !hooked) {
      await recordUnhooked(located, session.id, agent, since);
      notes.push(unhookedText(agent));
    }
    await session.end({ reason: reasonOf(ended), exitCode: exitOf(ended), counts });
    return await summary(context, located, session.id, first, ended, notes);
  } finally {
    hooks?.remove();
    gateway?.leave();
    await recorder.close();
  }
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
    throw new UsageError(
      `--agent: there is none called ${given}. There are ${Object.values(COMMANDS).join(', ')}.`,
    );
  return given;
}

interface RunHooks extends Omit<RunSettings, 'files'> {
  remove(): void;
}

function isInstalled(agent: string, { directory }: Located, { cwd, env }: Context): boolean {
  return findInstalledHooks({ cwd, env }).some(
    (found) => found.agent === agent && (found.ledger === null || found.ledger === directory),
  );
}

/** Null where there are none for this agent, or none are needed: hooks that are installed find the session by themselves. */
async function hooksFor(
  agent: string | null,
  located: Located,
  context: Context,
  given: GivenSettings | null,
): Promise<RunHooks | null> {
  if (agent === null || isInstalled(agent, located, context)) return null;
  const { directory } = located;
  const { mode } = readSettings(directory, context.env);
  // Tool hooks over HTTP are quicker; where there is no service they are commands.
  const service = agent === 'claude-code' ? await startedService(directory) : null;
  const base = folderFor(agent, directory, context.env);
  const folder = mkdtempSync(join(base, 'run-'));
  const settings = runSettings(agent, {
    wiring: { ...localWiring(mode, directory, context.env), service },
    folder,
    env: context.env,
    plugin: opencodePlugin,
    givenSettings: given === null ? null : textOf(given.value, context.cwd),
    systemSettings: readText(context.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH ?? GEMINI_SYSTEM_SETTINGS),
  });
  for (const { path, text } of settings?.files ?? []) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (settings !== null) return { ...settings, remove };
  remove();
  return null;
}

/** Gemini CLI takes no settings from below a directory that others can write, as the place for notes often is. */
function folderFor(agent: string, directory: string, env: Context['env']): string {
  if (agent !== 'gemini') {
    const base = runtimeDirectory(directory, env);
    makeRuntimeDirectory(base);
    return base;
  }
  const base = join(stateDirectory(env), 'runs');
  mkdirSync(base, { recursive: true, mode: 0o700 });
  return base;
}

interface RunGateway extends GatewaySettings {
  leave(): void;
}

/** The service leaves when nobody asks it anything; a person may think for longer than that. */
const KEEP_ALIVE = 60_000;

async function gatewayFor(
  agent: string | null,
  session: string,
  { directory }: Located,
  { env }: Context,
): Promise<RunGateway> {
  const service = await startedService(directory);
  if (service === null)
    throw new Error('the gateway is part of the service, which has no port here. See foil status.');
  const settings = gatewaySettings(agent, {
    base: `http://127.0.0.1:${service.port}/session/${session}`,
    env,
  });
  if (typeof settings === 'string') throw new UsageError(`--gateway: ${settings}`);
  const timer = setInterval(() => void startedService(directory).catch(() => undefined), KEEP_ALIVE);
  timer.unref();
  return { ...settings, leave: () => clearInterval(timer) };
}

/** Of --settings, which takes a path or JSON. */
function textOf(value: string, cwd: string): string {
  if (value.trimStart().startsWith('{')) return value;
  const text = readText(resolve(cwd, value));
  if (text === null) throw new UsageError(`--settings: ${value} can't be read.`);
  return text;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
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
    () => start(context, command, all, env),
    { exitCode: (ended) => exitOf(ended as Ended) },
  );
}

function start(
  { cwd, env: own }: Context,
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const handedOn = { ...own, ...env };
    for (const name of namesWithKeys(own)) delete handedOn[name];
    const child = spawn(command, words, { cwd, env: handedOn, stdio: 'inherit' });
    const handlers = PASSED_ON.map((signal) => ({ signal, pass: () => void child.kill(signal) }));
    // Ctrl-C reaches everybody at the terminal; sent to us alone, it is meant for the agent.
    const interrupt = (): void => void (process.stdin.isTTY || child.kill('SIGINT'));
    for (const { signal, pass } of handlers) process.on(signal, pass);
    process.on('SIGINT', interrupt);
    const done = (): void => {
      for (const { signal, pass } of handlers) process.off(signal, pass);
      process.off('SIGINT', interrupt);
    };
    child.on('error', (cause) => {
      done();
      reject(new Error(`${command} could not be started: ${cause.message}`, { cause }));
    });
    child.on('exit', (code, signal) => {
      done();
      resolve({ code, signal });
    });
  });
}

/** Auth keys are presented by people, not by agents: what is in an agent's environment is in its hands. */
function namesWithKeys(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(env).filter((name) => /foilkey_[\w-]{43}/.test(env[name] ?? ''));
}

/** As a shell tells it. */
function exitOf({ code, signal }: Ended): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function reasonOf({ signal }: Ended): string {
  return signal === null ? 'exit' : signal;
}

/** `hooked`: did a hook of the agent's tell anything? */
async function countEntries(
  { store }: Ledger,
  session: string,
  first: number,
): Promise<SessionCounts & { readonly hooked: boolean }> {
  const kinds: Record<string, number> = {};
  let redacted = 0;
  let hooked = false;
  for await (const entry of entriesOf(store, session, first)) {
    kinds[entry.kind] = (kinds[entry.kind] ?? 0) + 1;
    hooked ||= entry.source.startsWith('hook:');
    for (const count of Object.values(entry.payload.redacted ?? {})) redacted += Number(count) || 0;
  }
  return {
    prompts: kinds.prompt ?? 0,
    responses: kinds.response ?? 0,
    calls: kinds['tool.call'] ?? 0,
    results: kinds['tool.result'] ?? 0,
    denied: kinds['tool.denied'] ?? 0,
    redacted,
    hooked,
  };
}

/** That the agent ran and no hook told of it is on record, so that nobody takes the session for a quiet one. */
async function recordUnhooked(
  located: Located,
  session: string,
  agent: string,
  since: string,
): Promise<void> {
  const until = new Date().toISOString();
  const why = `${agent} ran, and none of its hooks told of anything`;
  const payload = encodeGap({ reason: 'unrecorded', since, until, events: null, why, calls: [] });
  await withLedger(located, (ledger) =>
    ledger.append({ kind: 'gap', source: 'run', session_id: session, payload }),
  );
}

const WHY_UNHOOKED: Readonly<Record<string, string>> = {
  codex: 'Codex skips hooks that nobody trusts: type /hooks in it and trust them, then run this again.',
  gemini:
    'Gemini CLI takes no settings from below a directory that others can write, such as /tmp: run foil install gemini.',
};

function unhookedText(agent: string): string {
  const why = WHY_UNHOOKED[agent] ?? `Run foil install ${agent}, then look at foil status.`;
  return `Nothing was recorded of what ${agent} was told, said or did: none of its hooks ran. ${why}`;
}

/** The head as it is, not as it was last published: who wrote an entry may not have left the section yet. */
async function settledHead(store: Ledger['store']): Promise<Head> {
  let head: Head | undefined;
  await store.append((now) => {
    head = now;
    return undefined;
  });
  return head ?? store.head();
}

async function* entriesOf(store: Ledger['store'], session: string, first: number): AsyncGenerator<Entry> {
  const { seq: last } = await settledHead(store);
  for await (const piece of store.read(first, last)) {
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf(0x0a, at);
      const entry = parseEntry(piece.subarray(at, end));
      if (entry.session_id === session) yield entry;
      at = end + 1;
    }
  }
}

async function summary(
  context: Context,
  located: Located,
  session: string,
  first: number,
  ended: Ended,
  notes: readonly string[],
): Promise<Outcome> {
  const { seen, head, sealed } = await withLedger(located, async (ledger) => {
    const summarized = summarizeSession();
    for await (const entry of entriesOf(ledger.store, session, first)) summarized.add(entry);
    return {
      seen: summarized.done(),
      head: await settledHead(ledger.store),
      sealed: (await ledger.sealed())?.checkpoint.size ?? 0,
    };
  });
  const report =
    head.seq <= VERIFIED_UP_TO ? await verifyDirectory(located.directory, { content: false }) : undefined;
  const verdict = report?.verdict ?? 'not verified here: the ledger is long. Run foil verify';
  const entries = Object.values(seen.kinds).reduce((sum, count) => sum + count, 0);
  const tools = Object.entries(seen.tools).filter(([name]) => name !== 'run');
  const exit = exitOf(ended);
  const lines = [
    `session   ${session.slice(0, 16)} · ${counted(entries, 'entry', 'entries')} in ${first}–${head.seq}`,
    `command   exit ${exit}${ended.signal === null ? '' : ` (${ended.signal})`}`,
    `tools     ${tools.length === 0 ? 'none were recorded' : tools.map(([name, { calls, failed }]) => `${name} ${calls}${failed > 0 ? ` (${failed} failed)` : ''}`).join(', ')}`,
    ...(seen.kinds['model.call'] === undefined
      ? []
      : [
          `models    ${counted(seen.kinds['model.call'], 'call')}, ${counted(seen.kinds.receipt ?? 0, 'receipt')}`,
        ]),
    `denied    ${seen.kinds['tool.denied'] ?? 0}`,
    `verdict   ${verdict}, sealed up to entry ${sealed}`,
    `proof     ${located.directory}: foil session show ${session.slice(0, 12)}, foil verify`,
    ...notes.map((note) => `note      ${note}`),
  ];
  return {
    exit,
    json: {
      session,
      exit_code: ended.code,
      signal: ended.signal,
      entries,
      first_seq: first,
      last_seq: head.seq,
      sealed,
      kinds: seen.kinds,
      tools: seen.tools,
      verdict: report?.verdict ?? null,
      ledger: located.directory,
      notes,
    },
    aside: `\n${context.paint.bold('recorded by foil')}\n${lines.map((line) => `  ${harmless(line)}\n`).join('')}`,
  };
}
