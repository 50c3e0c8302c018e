// foil mcp install: the servers in MCP clients' configuration, each started through `foil mcp wrap`; and back.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { placesOf } from '../app/index.ts';
import {
  applyMcpPlan,
  MCP_CLIENTS,
  type McpFile,
  type McpPlan,
  mcpFiles,
  planUnwrap,
  planWrap,
} from '../capture/settings/index.ts';
import { ParseError, StoreError, UsageError } from '../core/index.ts';
import { locate } from '../ledger/index.ts';
import { harmless, unifiedDiff } from '../report/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';

const TRIES = 3;

export async function installWrap(context: Context): Promise<Outcome> {
  const words = wordsOf(context);
  return change(context, 'install', (file) => planWrap(file, words(file)));
}

export async function uninstallWrap(context: Context): Promise<Outcome> {
  return change(context, 'uninstall', planUnwrap);
}

/** Ours for a server of a file, up to the `--`. */
function wordsOf({ values, cwd, env }: Context): (file: McpFile) => (name: string) => readonly string[] {
  const program = values.flag('portable')
    ? ['foil']
    : [process.execPath, join(dirname(__filename), 'foil.cjs')];
  const given = values.text('ledger');
  const pinned = given === undefined ? undefined : resolve(cwd, given);
  const socket = values.text('socket');
  return ({ inProject }) => {
    if (socket !== undefined)
      return (name) => [...program, 'mcp', 'wrap', '--socket', resolve(cwd, socket), `--name=${name}`];
    // Started from nowhere in particular, it would find nobody's ledger.
    const ledger = pinned ?? (inProject ? undefined : locate({ cwd: env.HOME ?? homedir(), env }).directory);
    const place = ledger === undefined ? [] : ['--ledger', ledger];
    return (name) => [...program, 'mcp', 'wrap', ...place, `--name=${name}`];
  };
}

async function change(
  context: Context,
  action: 'install' | 'uninstall',
  planOf: (file: McpFile) => McpPlan,
): Promise<Outcome> {
  const dry = context.values.flag('dry-run');
  const problems: string[] = [];
  const plans = filesOf(context).flatMap((file): McpPlan[] => {
    try {
      return [planOf(file)];
    } catch (error) {
      if (!(error instanceof ParseError || error instanceof StoreError)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  const there = plans.filter(({ servers, left }) => servers.length + left.length > 0);
  if (!dry) for (const plan of there) apply(plan, planOf);
  const changed = there.filter(({ before, after }) => before !== after);
  return {
    exit: problems.length > 0 ? EXIT.FAILED : EXIT.FINE,
    json: {
      dry_run: dry,
      files: there.map(({ file, servers, left, before, after }) => ({
        client: file.client,
        path: file.path,
        changed: before !== after,
        servers,
        left,
      })),
      problems,
    },
    text: `${render(there, action, dry)}${
      changed.length > 0 && !dry ? 'Restart running clients: they keep their servers until then.\n' : ''
    }${problems.map((problem) => `not changed: ${harmless(problem)}\n`).join('')}`,
  };
}

function apply(first: McpPlan, planOf: (file: McpFile) => McpPlan): void {
  for (let plan = first, tries = 0; !applyMcpPlan(plan); plan = planOf(first.file))
    if (++tries === TRIES)
      throw new StoreError(
        'IO',
        `${plan.file.path} keeps being changed by another program. Try again later.`,
      );
}

/** By the name of a client, or by path; without either, all that are there. */
function filesOf(context: Context): readonly McpFile[] {
  const known = mcpFiles(placesOf(context));
  const given = context.arguments;
  if (given.length === 0) return known.filter(({ path }) => existsSync(path));
  return given.flatMap((word) => {
    if (MCP_CLIENTS.includes(word)) return known.filter(({ client }) => client === word);
    if (!/[./\\]/.test(word))
      throw new UsageError(`Unknown client "${word}". Use one of ${MCP_CLIENTS.join(', ')}, or name a file.`);
    const path = isAbsolute(word) ? word : resolve(context.cwd, word);
    if (!existsSync(path)) throw new StoreError('NOT_FOUND', `there is no file ${path}.`);
    const own = known.find((file) => file.path === path);
    return [own ?? { client: 'file', title: 'a file', path, inProject: true, shared: false }];
  });
}

function render(plans: readonly McpPlan[], action: 'install' | 'uninstall', dry: boolean): string {
  if (plans.every(({ servers }) => servers.length === 0))
    return `There is no MCP server to ${action === 'install' ? 'wrap' : 'unwrap'} here.\n${leftOf(plans)}`;
  const done = action === 'install' ? 'wrapped' : 'unwrapped';
  const lines = plans.flatMap(({ file, servers, before, after }) => {
    if (servers.length === 0) return [];
    const state = before === after ? `${done} already` : dry ? `would be ${done}` : done;
    const line = `${harmless(`${file.title}: ${file.path}: ${servers.join(', ')} ${state}`)}\n`;
    const portable =
      action === 'install' && file.shared && before !== after
        ? '  It now names paths of this machine. Don’t commit it, or use --portable.\n'
        : '';
    const diff = dry ? unifiedDiff(file.path, before, after).replace(/[^\n]+/g, harmless) : '';
    return [`${line}${after?.includes(process.execPath) ? portable : ''}${diff}`];
  });
  return `${lines.join('')}${leftOf(plans)}`;
}

function leftOf(plans: readonly McpPlan[]): string {
  return plans
    .flatMap(({ left }) => left.map(({ name, why }) => `${harmless(`${name} was not changed: ${why}`)}\n`))
    .join('');
}
