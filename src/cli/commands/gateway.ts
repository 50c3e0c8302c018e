// foil gateway: the independent gateway, which passes model calls of other ledgers on and signs receipts for them, and what the
// local gateway must know to go through one.
import { randomBytes } from 'node:crypto';
import { openAccess, withLedger } from '../../app/index.ts';
import { encodeVerifierKey, makeVerifierKey, parseHex, UsageError } from '../../core/index.ts';
import { gatewayName, type Ledger, readSettings } from '../../ledger/index.ts';
import { harmless, suggest } from '../../report/index.ts';
import { nameOf, startService } from '../../service/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { gatewayUrl, knownGateway, useNoGateway } from '../known-gateways.ts';
import { place } from '../place.ts';
import { assertUnreadable, independentOptions } from '../serve-gateway.ts';

export const gateway: Command = {
  name: 'gateway',
  summary: 'run an independent gateway that vouches for model calls, or send calls through one',
  usage: 'serve [options] | use URL --token-file FILE | use none | show | key | token',
  arguments: [1, 2],
  options: {
    upstream: {
      type: 'string',
      value: 'URL',
      multiple: true,
      help: "serve: a provider it may call, and no other; NAME=URL if the URL doesn't show the name",
    },
    tokens: {
      type: 'string',
      value: 'FILE',
      help: 'serve: the tokens of those who may use it, one per line, mode 0600',
    },
    listen: {
      type: 'string',
      value: 'HOST:PORT',
      help: 'serve: where to listen (default 127.0.0.1:8443)',
    },
    cert: {
      type: 'string',
      value: 'FILE',
      help: 'serve: its certificates as PEM, needed if other machines connect',
    },
    'key-file': { type: 'string', value: 'FILE', help: "serve: the certificate's key as PEM, mode 0600" },
    socket: { type: 'string', value: 'PATH', help: 'serve: a Unix socket instead of a port' },
    'socket-group': {
      type: 'string',
      value: 'GROUP',
      help: 'serve: the group that may connect to the socket too',
    },
    'agent-user': {
      type: 'string',
      value: 'USER',
      help: "serve: refuse to start if the gateway's keys are this user's",
    },
    'plain-upstreams': { type: 'boolean', help: 'serve: allow upstreams without TLS, for tests' },
    'token-file': {
      type: 'string',
      value: 'FILE',
      help: 'use: the file with your token for the gateway, mode 0600',
    },
    ca: {
      type: 'string',
      value: 'FILE',
      help: "use: trust these certificates for it, instead of the system's",
    },
  },
  examples: [
    'foil gateway token > tokens && chmod 600 tokens',
    'foil gateway serve --upstream https://api.anthropic.com --tokens tokens --agent-user alice',
    'foil gateway serve --listen 0.0.0.0:8443 --cert gw.pem --key-file gw.key --tokens tokens --upstream https://api.openai.com',
    'foil gateway use https://gw.example:8443 --token-file ~/.config/counterfoil/gw.token',
  ],
  notes: [
    "If the agent's user can read the gateway's key, the gateway proves no more than the agent's own word. Run it as another",
    'user or on another machine, with its own ledger. See docs/gateway.md.',
  ],
  run,
};

const ACTIONS: Readonly<Record<string, (context: Context, given: string | undefined) => Promise<Outcome>>> = {
  serve,
  use,
  show,
  key,
  token,
};

async function run(context: Context): Promise<Outcome> {
  const [name = '', given] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand ${JSON.stringify(name)}. Use serve, use, show, key or token${suggest(name, Object.keys(ACTIONS))}`,
    );
  if (given !== undefined && action !== use) throw new UsageError(`foil gateway ${name} takes no arguments.`);
  return action(context, given);
}

async function serve(context: Context): Promise<Outcome> {
  const located = place(context);
  assertUnreadable(context, located);
  const { origin, vkey } = await withLedger(located, async (ledger) => ({
    ...(await ledger.identity()),
    vkey: await receiptKey(ledger),
  }));
  const options = independentOptions(context, located, origin);
  const service = await startService(options);
  const stop = (): void => service.stop('signal');
  const undo = context.onInterrupt(stop);
  process.on('SIGTERM', stop).on('SIGHUP', stop);
  const json = context.values.flag('json');
  async function* text(): AsyncGenerator<string> {
    const url = service.independent;
    yield json
      ? `${JSON.stringify({ event: 'ready', pid: process.pid, url, vkey })}\n`
      : `gateway on ${harmless(url ?? '')}\nreceipts are signed by ${vkey}\n`;
    try {
      const reason = await service.ended;
      yield json ? `${JSON.stringify({ event: 'left', reason })}\n` : `left: ${reason}\n`;
    } catch (error) {
      throw new Error(`the gateway failed: ${nameOf(error)}. Start it again.`);
    } finally {
      undo();
      process.off('SIGTERM', stop).off('SIGHUP', stop);
    }
  }
  return { text: text() };
}

async function use(context: Context, given: string | undefined): Promise<Outcome> {
  const { directory } = place(context);
  if (given === undefined)
    throw new UsageError('Which gateway? Use `foil gateway use URL`, or `foil gateway use none`.');
  if (given === 'none') {
    useNoGateway(directory, context);
    return {
      json: { through: null },
      text: 'Model calls go straight to their providers, unless a run asks for a gateway.\n',
    };
  }
  const { url } = knownGateway(directory, context, gatewayUrl(given, 'foil gateway use'), true);
  return {
    json: { through: url },
    text: `The local gateway sends model calls through ${harmless(url)} from now on. If it can't be reached, they fail.\n`,
  };
}

async function show(context: Context): Promise<Outcome> {
  const { directory } = place(context);
  const { gateways = [], through = null } = readSettings(directory, context.env);
  const known = gateways.map((each) => ({ ...each, problem: problemOf(() => openAccess(each)) }));
  const lines = known.map(
    ({ url, tokenFile, problem }) =>
      `${url === through ? 'in use' : 'known '}  ${url}  token in ${tokenFile}${problem === null ? '' : `\n        ${problem}`}`,
  );
  return {
    json: { through, gateways: known },
    text:
      lines.length === 0 ? 'No independent gateway is set up here.\n' : `${lines.map(harmless).join('\n')}\n`,
  };
}

/** For `gateways` in the trust.yaml of whoever verifies. */
async function key(context: Context): Promise<Outcome> {
  const vkey = await withLedger(place(context), receiptKey);
  return { json: { vkey }, text: `${vkey}\n` };
}

async function token(): Promise<Outcome> {
  const made = randomBytes(32).toString('base64url');
  return { json: { token: made }, text: `${made}\n` };
}

/** Made where there is none yet. */
async function receiptKey(ledger: Ledger): Promise<string> {
  const [{ origin }, { publicKey }] = [await ledger.identity(), await ledger.receiptSigner()];
  return encodeVerifierKey(makeVerifierKey(gatewayName(origin), parseHex(publicKey, 32)));
}

function problemOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
