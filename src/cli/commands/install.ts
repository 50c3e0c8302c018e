// foil install: hooks for the agents that are here. Everything is planned before anything is written, so that a problem
// with one file leaves all as they are; the service's token is never printed.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  AGENTS,
  agentsOf,
  askService,
  askServiceAt,
  assertNotLedAway,
  freePort,
  gitState,
  type HostOverride,
  hostOverrides,
  makeLedger,
  otherBuildText,
  placesOf,
  SCOPE_HELP,
  scopeOf,
  titleOf,
  withLedger,
  withPlaces,
} from '../../app/index.ts';
import { opencodePlugin } from '../../capture/hooks/index.ts';
import {
  applyPlan,
  detectAgents,
  findRunning,
  HOSTS,
  type Places,
  type Plan,
  planInstall,
  type Scope,
  type Wiring,
} from '../../capture/settings/index.ts';
import { ANCHOR_NOT_ACCEPTED, isAnchorAccepted, parseYaml, readConfig } from '../../config/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { SEGMENT_DIR } from '../../format/index.ts';
import {
  DEFAULT_SETTINGS,
  isMode,
  type Located,
  MODES,
  type Mode,
  readSettings,
  type Settings,
  stateToPin,
  strictest,
  writeSettings,
} from '../../ledger/index.ts';
import { harmless, unifiedDiff } from '../../report/index.ts';
import { makeToken, readToken } from '../../service/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { compiledStart, compileStart } from '../compile-start.ts';
import { replaceOldService } from '../hook-more.ts';
import { place } from '../place.ts';
import { recordHooks } from '../record-hooks.ts';

export const install: Command = {
  name: 'install',
  summary: 'record your agents, by adding hooks to their settings',
  usage: '[AGENT…] [--scope SCOPE] [--dry-run]',
  arguments: [0, AGENTS.length],
  options: {
    scope: { type: 'string', value: 'SCOPE', help: SCOPE_HELP },
    mode: {
      type: 'string',
      value: 'MODE',
      help: `the least strict mode: ${MODES.join(', ')}; change it later with foil mode`,
    },
    socket: {
      type: 'string',
      value: 'PATH',
      help: 'for locked: the socket of the service that runs as another user',
    },
    'dry-run': { type: 'boolean', help: 'show what would change, without changing it' },
  },
  examples: [
    'foil install',
    'foil install claude-code --dry-run',
    'foil install codex gemini --scope project',
  ],
  run,
};

/** Stands in a plan for one that is not made yet. It is not shown either. */
const NO_TOKEN = '0'.repeat(64);

interface Setup {
  readonly scope: Scope;
  readonly places: Places;
  readonly located: Located;
  readonly mode: Mode;
  /** What is pinned, whether kept yet or not. */
  readonly service: Wiring['service'];
  /** No port is kept yet: the one in the plan is only free now. */
  readonly anyPort: boolean;
  readonly socket: string | null;
  readonly newLedger: boolean;
}

async function run(context: Context): Promise<Outcome> {
  const places = placesOf(context);
  const named = agentsOf(context.arguments);
  const agents = context.arguments.length > 0 ? named : detectAgents(places).map(({ agent }) => agent);
  if (agents.length === 0) throw new StoreError('NOT_FOUND', nothingFound());
  const wanted = await prepare(context, places, agents);
  const planWith = (setup: Setup) => (agent: string) =>
    planInstall({ agent, places, wiring: wiringOf(setup, context), plugin: opencodePlugin });
  const dry = context.values.flag('dry-run');
  const first = agents.map(planWith(wanted));
  for (const { path } of wanted.scope === 'user' ? [] : first) assertNotLedAway(path, places.project);
  const found = [...first.flatMap((each) => each.warnings), ...warningsOf(wanted, first, context)];
  // Of our own hooks once they are written: what was wrong with them before is nothing to warn of.
  const warnings = (): string[] => [...changedHooks(wanted, first, context), ...found];
  if (dry) return report(wanted, first, warnings(), dry);
  const changed = new Map<string, Plan>();
  for (let service = await keep(wanted, context); ; ) {
    const setup = { ...wanted, service };
    const plans = agents.map(planWith(setup));
    for (const plan of plans) {
      apply(plan, planWith(setup));
      if (plan.change !== 'none') changed.set(plan.path, plan);
    }
    if (!existsSync(compiledStart())) await compileStart();
    // Of two installs at once, the one that keeps its port last decides for both.
    const port = service === null ? null : readSettings(wanted.located.directory, context.env).port;
    if (service === null || port === null || port === service.port) {
      const { replaced, warning } = await upgradeService(setup, context);
      // A locked ledger is another user's, who can't be told from here.
      const told = wanted.mode === 'locked' ? [] : [...changed.values()];
      const unrecorded = await recordHooks('install', told, context);
      return report(setup, plans, [...warnings(), ...warning, ...unrecorded], dry, replaced);
    }
    service = { ...service, port };
  }
}

async function prepare(context: Context, places: Places, agents: readonly string[]): Promise<Setup> {
  const { values } = context;
  const scope = scopeOf(values.text('scope') ?? 'local');
  const asked = values.text('mode') ?? 'observe';
  if (!isMode(asked)) throw new UsageError(`Unknown mode "${asked}". Use one of ${MODES.join(', ')}.`);
  const located = place(context);
  const given = values.text('socket');
  const socket = given === undefined ? null : resolve(context.cwd, given);
  // In locked the ledger is another user's, and whoever installs the hooks can't even look.
  const settings = asked === 'locked' ? DEFAULT_SETTINGS : settingsOf(located.directory, context.env);
  // The ledger's own mode binds only this machine, so what a team commits does not repeat it.
  const mode = scope === 'local' ? strictest(asked, settings.mode) : asked;
  const overHttp = scope === 'local' && mode !== 'locked' && agents.includes('claude-code');
  const service = overHttp
    ? {
        port: settings.port ?? (await freePort()),
        token: readToken(located.directory) ?? NO_TOKEN,
      }
    : null;
  if (mode === 'locked' && socket === null)
    throw new UsageError(
      'locked needs --socket PATH, with the path that you gave to the service. See docs/locked.md.',
    );
  const newLedger =
    mode !== 'locked' && scope !== 'user' && !existsSync(join(located.directory, SEGMENT_DIR));
  const anyPort = service !== null && settings.port === null;
  return { scope, places, located, mode, service, anyPort, socket, newLedger };
}

function settingsOf(directory: string, env: Context['env']): Settings {
  try {
    return readSettings(directory, env);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EACCES') throw error;
    const advice = `${directory} belongs to another user. Install with --mode locked --socket PATH. See docs/locked.md.`;
    throw new StoreError('DENIED', advice, { cause: error });
  }
}

function wiringOf({ scope, mode, located, service, socket }: Setup, { env }: Context): Wiring {
  const foil = join(dirname(__filename), 'foil.cjs');
  const ledger = scope === 'local' ? located.directory : null;
  const state = ledger === null ? null : stateToPin(ledger, env);
  return { scope, mode, node: process.execPath, foil, ledger, state, service, socket };
}

/** The ledger, its settings and the token, before any hook names them. Gives what another install kept meanwhile. */
async function keep(
  { located, mode, service, scope, newLedger }: Setup,
  { env }: Context,
): Promise<Wiring['service']> {
  const { directory } = located;
  if (newLedger) {
    try {
      await makeLedger(located, env, { alone: located.how === 'here' });
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'EXISTS')) throw error;
    }
  }
  if (scope !== 'local' || mode === 'locked') return null;
  const before = readSettings(directory, env);
  const port = before.port ?? service?.port ?? null;
  // As `foil mode` does: a verifier holds sessions against the newest mode on record.
  if (before.mode !== mode && !newLedger)
    await withLedger(located, (ledger) =>
      ledger.append({
        kind: 'config.change',
        payload: { what: 'mode', from: before.mode, to: mode },
        source: 'cli',
      }),
    );
  const after = withPlaces({ ...before, mode, port }, located, env);
  if (!isDeepStrictEqual(before, after)) writeSettings(directory, after, env);
  return service === null || port === null ? null : { port, token: makeToken(directory) };
}

/** A service that was started before an upgrade still runs what it was started with. */
async function upgradeService(
  { located, mode, socket }: Setup,
  { env }: Context,
): Promise<{ replaced: boolean; warning: string[] }> {
  const replaced = mode !== 'locked' && (await replaceOldService(located.directory, env));
  const service =
    mode === 'locked'
      ? socket === null
        ? null
        : await askServiceAt(socket)
      : (await askService(located.directory)).service;
  const other = service === null ? null : otherBuildText(service, mode);
  return { replaced, warning: other === null ? [] : [`${other}.`] };
}

/** Many may install at once, and each writes once or twice. */
const TRIES = 25;

function apply(first: Plan, again: (agent: string) => Plan): void {
  for (let plan = first, tries = 0; !applyPlan(plan); plan = again(first.agent)) {
    if (++tries === TRIES)
      throw new StoreError('IO', `${plan.path} keeps being changed by another program. Try again later.`);
  }
}

/** Hooks with our name that say something else than we write. */
function isOfHooks({ name, value }: HostOverride): boolean {
  return name === 'hooks' && value === null;
}

function changedHooks({ mode }: Setup, plans: readonly Plan[], { cwd, env }: Context): string[] {
  return hostOverrides({ cwd, env }, mode)
    .filter((each) => isOfHooks(each) && plans.some(({ agent }) => agent === each.agent))
    .map(({ text }) => `${text}.`);
}

function warningsOf(
  { scope, places, mode, located }: Setup,
  plans: readonly Plan[],
  { cwd, env }: Context,
): string[] {
  // That a file switches hooks off is for the plan to see: it may keep them on.
  const warnings = hostOverrides({ cwd, env }, mode)
    .filter((each) => {
      const { agent, value, silences, unsure } = each;
      const isAny = unsure || (silences && value !== null);
      return plans.some((plan) => plan.agent === agent) && isAny && !isOfHooks(each);
    })
    .map(({ text }) => `${text}.`);
  if (scope !== 'user' && mode !== 'locked' && !isAccepted(places.project, located.directory, env))
    warnings.push(`${ANCHOR_NOT_ACCEPTED}.`);
  const open: string[] = [];
  for (const { path } of scope === 'local' ? plans : []) {
    const state = gitState(path, places.project);
    const name = relative(places.project, path);
    if (state === 'tracked')
      warnings.push(
        `git tracks ${name}, which now holds paths of this machine. Don't commit it, or use --scope project.`,
      );
    if (state === 'open') open.push(name);
  }
  const [these, them] = open.length === 1 ? ['which is', 'it'] : ['which are', 'them'];
  if (open.length > 0)
    warnings.push(
      `git doesn't ignore ${open.join(', ')}, ${these} only for this machine. Add ${them} to .gitignore.`,
    );
  for (const { agent, scope: other, path } of findRunning(places)) {
    const plan = plans.find((each) => each.agent === agent);
    if (plan !== undefined && plan.path !== path)
      warnings.push(
        `${titleOf(agent)} also has foil's hooks in ${path}, so everything is recorded twice. To remove those: foil uninstall ${agent} --scope ${other}`,
      );
  }
  if (scope !== 'project' && /[\\/]_npx[\\/]/.test(__filename))
    warnings.push(
      'npx runs foil from a temporary folder. Run `npm install -g counterfoil`, then `foil install` again.',
    );
  return warnings;
}

function isAccepted(project: string, ledger: string, env: Context['env']): boolean {
  try {
    return isAnchorAccepted(readConfig(project, parseYaml).anchor, ledger, env);
  } catch {
    return true; // `foil policy check` and the first hook say what is wrong with the file
  }
}

const DONE = { none: 'already has them', create: 'made', update: 'changed', remove: 'removed' } as const;
const WOULD = {
  none: 'already has them',
  create: 'would be made',
  update: 'would change',
  remove: '',
} as const;

function report(
  setup: Setup,
  plans: readonly Plan[],
  warnings: readonly string[],
  dry: boolean,
  replaced = false,
): Outcome {
  const { scope, located, mode, service, newLedger } = setup;
  // Another port may be free by the time that one is kept.
  const port = setup.anyPort && dry ? null : (service?.port ?? null);
  const hidden = (text: string | null) =>
    text === null || service === null
      ? text
      : text
          .replaceAll(service.token, '(the token)')
          .replaceAll(`127.0.0.1:${service.port}`, `127.0.0.1:${port ?? '(a free port)'}`);
  const diffs = plans.map((plan) => unifiedDiff(plan.path, hidden(plan.before), hidden(plan.after)));
  const hosts = HOSTS.filter(({ agent }) => plans.some((plan) => plan.agent === agent));
  const unseen = hosts.filter(({ seen }) => !seen).map(({ agent }) => agent);
  const files = plans.map(({ path, change }, index) => {
    const line = `${hosts[index]?.title}: ${path} ${dry ? WOULD[change] : DONE[change]}`;
    return dry && diffs[index] !== ''
      ? `${harmless(line)}\n${printable(diffs[index] ?? '')}`
      : `${harmless(line)}\n`;
  });
  const ledgerLine = newLedger ? ` (${dry ? 'would be made' : 'new'})` : '';
  return {
    json: {
      scope,
      mode,
      ledger: scope === 'user' ? null : located.directory,
      port,
      dry_run: dry,
      service_replaced: replaced,
      agents: plans.map(({ agent, path, change }, index) => ({
        agent,
        path,
        change,
        seen: !unseen.includes(agent),
        next: hosts[index]?.next ?? [],
        ...(dry ? { diff: diffs[index] } : {}),
      })),
      warnings,
    },
    text: `${files.join('')}${scope === 'user' ? '' : `Ledger: ${harmless(located.directory)}${ledgerLine}, mode ${mode}\n`}${replaced ? 'Service: replaced, because it ran an older build of foil\n' : ''}${
      warnings.length === 0 ? '' : `\nwarnings\n${warnings.map((line) => `  ${harmless(line)}\n`).join('')}`
    }
next
${hosts.flatMap(({ next }) => next.map((line) => `  ${line}\n`)).join('')}${
  unseen.length === 0
    ? ''
    : `  The hooks for ${unseen.join(', ')} follow the agents' documentation, but haven't been tested with them. Check \`foil log\`.\n`
}`,
  };
}

/** A diff keeps its lines; nothing in them may act on the terminal. */
function printable(diff: string): string {
  return diff.replace(/[^\n]+/g, harmless);
}

function nothingFound(): string {
  const looked = HOSTS.map(
    ({ title, signs }) => `${title} (${[...signs.programs, ...signs.folders].join(', ')})`,
  );
  return `found no agent on PATH, in the project or in your home. foil looked for ${looked.join('; ')}. To install for an agent anyway, name it: foil install claude-code`;
}
