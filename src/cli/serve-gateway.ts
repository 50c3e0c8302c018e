// foil gateway serve: what it needs before it may start. A gateway is independent of an agent only where the agent's user can't
// read its keys, so it does not start where that is plainly not so.
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ownBuild, readPrivate, recordingOf } from '../app/index.ts';
import { isLoopback, ParseError, StoreError, UsageError } from '../core/index.ts';
import { type Located, readSettings } from '../ledger/index.ts';
import {
  assertSocketDirectory,
  groupId,
  type IndependentPlace,
  parseFixedUpstreams,
  type ServiceOptions,
  Tokens,
  userId,
} from '../service/index.ts';
import { parseCount } from './arguments.ts';
import type { Context } from './command.ts';

const DEFAULT_LISTEN = '127.0.0.1:8443';
const MOST_KEY_FILES = 10_000;

export function independentOptions(context: Context, located: Located, origin: string): ServiceOptions {
  const { values } = context;
  const { directory: ledger } = located;
  const upstreams = usage('--upstream', () =>
    parseFixedUpstreams(values.all('upstream'), values.flag('plain-upstreams')),
  );
  const tokenFile = values.text('tokens');
  if (tokenFile === undefined)
    throw new UsageError('name the file with its tokens: --tokens FILE. `foil gateway token` makes a token.');
  const path = resolve(context.cwd, tokenFile);
  const tokens = usage('--tokens', () => Tokens.parse(readPrivate(path), path));
  return {
    ledger,
    ledgerId: origin.slice(origin.lastIndexOf('/') + 1),
    ...ownBuild(),
    mode: () => readSettings(ledger, context.env).mode,
    open: recordingOf(located, { upstreams, cwd: ledger, root: ledger, isIndependent: true }),
    port: null,
    idleMs: Number.POSITIVE_INFINITY,
    independent: { tokens, place: placeOf(context) },
  };
}

function placeOf({ values, cwd }: Context): IndependentPlace {
  const [socket, group, listen] = ['socket', 'socket-group', 'listen'].map((name) => values.text(name));
  const [cert, key] = [values.text('cert'), values.text('key-file')];
  if (socket !== undefined) {
    if (listen !== undefined || cert !== undefined)
      throw new UsageError("--socket can't be combined with --listen or --cert.");
    assertSocketDirectory(socket);
    const id = group === undefined ? null : groupId(group);
    if (id === undefined) throw new UsageError(`--socket-group: there is no group ${group}.`);
    return { path: socket, group: id };
  }
  const [, bracketed, plain, port = ''] =
    /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(listen ?? DEFAULT_LISTEN) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new UsageError('--listen: not HOST:PORT.');
  if (parseCount(port, '--listen') > 65_535) throw new UsageError(`--listen: ${port} isn't a port.`);
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--cert and --key-file need each other. Give both or neither.');
  if (cert === undefined || key === undefined) {
    if (!isLoopback(host))
      throw new UsageError(
        `--listen ${host}: give --cert and --key-file, or listen on 127.0.0.1 or a --socket.`,
      );
    return { host, port: Number(port), tls: null };
  }
  const tls = {
    cert: readFileSync(resolve(cwd, cert), 'utf8'),
    key: usage('--key-file', () => readPrivate(resolve(cwd, key))),
  };
  return { host, port: Number(port), tls };
}

/** Keys, salts and tokens are for this user alone, and this user is not the agent's. */
export function assertUnreadable({ values }: Context, { directory, keyDirectory }: Located): void {
  const named = values.text('agent-user');
  const agent = named === undefined ? null : userId(named);
  if (agent === undefined) throw new UsageError(`--agent-user: there is no user ${named}.`);
  if (agent !== null && agent === process.getuid?.())
    throw new StoreError(
      'DENIED',
      `this gateway runs as ${named}, so its receipts would prove nothing. Run it as another user.`,
    );
  const keys = readdirSync(keyDirectory).slice(0, MOST_KEY_FILES);
  for (const path of [directory, keyDirectory, ...keys.map((name) => join(keyDirectory, name))]) {
    const { uid, mode } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new StoreError(
        'DENIED',
        `other users can read ${path}. Run \`chmod go= ${path}\`, and rotate its keys.`,
      );
    if (agent !== null && uid === agent)
      throw new StoreError(
        'DENIED',
        `${path} belongs to ${named}, the agent's user. Make the gateway's ledger as another user.`,
      );
  }
  if (agent === null) return;
  // Who owns a directory on the way can put another in its place.
  for (const path of [directory, keyDirectory]) {
    for (let at = dirname(path); ; at = dirname(at)) {
      if (lstatSync(at).uid === agent)
        throw new StoreError('DENIED', `${path} is in ${at}, which belongs to ${named}, the agent's user.`);
      if (at === dirname(at)) break;
    }
  }
}

function usage<T>(option: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ParseError) throw new UsageError(`${option}: ${error.message}.`);
    throw error;
  }
}
