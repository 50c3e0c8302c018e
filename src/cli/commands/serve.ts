// foil serve: the local service, in the foreground until it is told to leave or nobody needs it. Hooks start it by
// themselves; by hand it is for looking on, and for systemd in locked mode.

import { freePort, ownAnchor, ownBuild, recordingOf, withLedger } from '../../app/index.ts';
import { ParseError, UsageError } from '../../core/index.ts';
import { readSettings, writeSettings } from '../../ledger/index.ts';
import { harmless } from '../../report/index.ts';
import {
  assertPrivate,
  assertSocketDirectory,
  DEFAULT_IDLE,
  groupId,
  nameOf,
  parseUpstreams,
  type Service,
  type ServiceOptions,
  ServiceRunning,
  startService,
  type Upstreams,
} from '../../service/index.ts';
import { parseCount, parseDuration } from '../arguments.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';

export const serve: Command = {
  name: 'serve',
  summary: "run the service for this ledger's hooks, until nobody needs it",
  usage: '[--port N] [--upstream NAME=URL…] [--idle 15m] [--if-needed]',
  arguments: [0, 0],
  options: {
    port: {
      type: 'string',
      value: 'N',
      help: 'the port on 127.0.0.1, instead of the one that install chose; 0 for any',
    },
    upstream: {
      type: 'string',
      value: 'NAME=URL',
      multiple: true,
      help: 'where the gateway sends /proxy/NAME; you can replace anthropic, openai and gemini',
    },
    save: { type: 'boolean', help: "save these upstreams in the ledger's settings" },
    idle: {
      type: 'string',
      value: '15m',
      help: 'stop after this long without a request or an open session, or never',
    },
    'if-needed': { type: 'boolean', help: 'succeed if another service already serves this ledger' },
    wait: { type: 'string', value: '30s', help: 'wait this long for another service to stop' },
    socket: { type: 'string', value: 'PATH', help: "use this Unix socket instead of the ledger's own" },
    'socket-group': {
      type: 'string',
      value: 'GROUP',
      help: 'the group that may connect to the socket, only to report events',
    },
  },
  examples: [
    'foil serve --idle never',
    'foil serve --port 7000 --upstream local=http://127.0.0.1:11434',
    'foil serve --socket /run/counterfoil/project/socket --socket-group counterfoil',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values } = context;
  const options = await optionsOf(context);
  const failed = untilUncaught();
  let service: Service;
  try {
    service = await startService(options);
  } catch (error) {
    if (!(error instanceof ServiceRunning)) throw error;
    const { pid, port, socket, version } = error.state ?? {};
    const who = error.state === undefined ? null : { pid, port, socket, version };
    const asked = [values.text('port'), ...values.all('upstream')].some((each) => each !== undefined);
    const hint = asked
      ? `It doesn't use the options that you gave here${pid === undefined ? '' : `. Run \`kill ${pid}\`, then start it again`}.`
      : '';
    return {
      // Fine only if nothing was asked for that the other may not do.
      exit: values.flag('if-needed') && !asked ? EXIT.FINE : EXIT.FAILED,
      json: { running: who },
      text: `${harmless(error.message)}${hint === '' ? '' : ` ${hint}`}\n`,
    };
  }
  const stop = (): void => service.stop('signal');
  const undo = context.onInterrupt(stop);
  // Not `once`: a second signal, sent by another who wants it replaced, would end it in the middle of its work.
  process.on('SIGTERM', stop).on('SIGHUP', stop);
  const json = values.flag('json');
  async function* text(): AsyncGenerator<string> {
    const { pid, port, socket, problem } = service.state;
    yield json
      ? `${JSON.stringify({ event: 'ready', pid, port, socket, problem })}\n`
      : `serving on ${harmless(socket)}${port === null ? '' : ` and 127.0.0.1:${port}`}${problem === null ? '' : `; ${problem}`}\n`;
    try {
      const reason = await Promise.race([service.ended, failed]);
      yield json ? `${JSON.stringify({ event: 'left', reason })}\n` : `left: ${reason}\n`;
    } catch (error) {
      // Into the log with it, and a message could hold what a host sent.
      throw new Error(`the service failed: ${nameOf(error)}. The next hook starts it again.`);
    } finally {
      undo();
      process.off('SIGTERM', stop).off('SIGHUP', stop);
    }
  }
  return { text: text() };
}

async function optionsOf(context: Context): Promise<ServiceOptions> {
  const { values } = context;
  const located = place(context);
  const { directory: ledger, keyDirectory } = located;
  const { origin } = await withLedger(located, (opened) => opened.identity());
  let settings = readSettings(ledger, context.env);
  const port = values.text('port');
  // By hand it is for clients of the gateway, too, who must find it again at the same place.
  if (
    settings.mode !== 'locked' &&
    settings.port === null &&
    port === undefined &&
    !values.flag('if-needed')
  ) {
    settings = { ...settings, port: await freePort() };
    writeSettings(ledger, settings, context.env);
  }
  const [idle, wait] = [values.text('idle'), values.text('wait')];
  const [socket, group] = [values.text('socket'), values.text('socket-group')];
  const socketGroup = group === undefined ? null : groupId(group);
  if (socketGroup === undefined) throw new UsageError(`--socket-group: there is no group ${group}.`);
  if (socketGroup !== null && socket === undefined)
    throw new UsageError(
      "--socket-group needs --socket PATH, because no other user can reach the ledger's own socket.",
    );
  if (settings.mode === 'locked') {
    if (socket === undefined)
      throw new UsageError(
        "locked needs --socket PATH, in a place where the agent's user can connect. See docs/locked.md.",
      );
    if (port !== undefined) throw new UsageError('locked only uses its socket. Leave out --port.');
    ownAnchor(ledger); // throws where it can't be understood
    assertPrivate(ledger);
    assertPrivate(keyDirectory);
  }
  if (socket !== undefined) assertSocketDirectory(socket);
  const given = values.all('upstream');
  const upstreams = upstreamsOf([...(settings.upstreams ?? []), ...given]);
  if (values.flag('save')) {
    if (given.length === 0) throw new UsageError('--save needs --upstream NAME=URL.');
    writeSettings(ledger, { ...settings, upstreams: merged(settings.upstreams ?? [], given) }, context.env);
  }
  return {
    ledger,
    ledgerId: origin.slice(origin.lastIndexOf('/') + 1),
    ...ownBuild(),
    mode: () => modeOf(ledger, context.env),
    open: recordingOf(located, { upstreams, cwd: context.cwd, socket }),
    port: settings.mode === 'locked' ? null : port === undefined ? settings.port : parsePort(port),
    socket,
    socketGroup,
    idleMs: idle === undefined ? DEFAULT_IDLE : idle === 'never' ? Infinity : parseDuration(idle, '--idle'),
    waitMs: wait === undefined ? 0 : parseDuration(wait, '--wait'),
  };
}

/** The newer ones instead of older ones of the same name. */
function merged(before: readonly string[], given: readonly string[]): string[] {
  const nameOfUpstream = (text: string): string => text.slice(0, text.indexOf('='));
  const names = given.map(nameOfUpstream);
  return [...before.filter((text) => !names.includes(nameOfUpstream(text))), ...given];
}

function upstreamsOf(given: readonly string[]): Upstreams {
  try {
    return parseUpstreams(given);
  } catch (error) {
    if (error instanceof ParseError) throw new UsageError(`--upstream: ${error.message}.`);
    throw error;
  }
}

function parsePort(text: string): number {
  const port = parseCount(text, '--port');
  if (port > 65_535) throw new UsageError(`--port: ${port} isn't a port. Use a number from 0 to 65535.`);
  return port;
}

/** Whoever asks for health gets an answer although somebody is writing the file just now. */
function modeOf(ledger: string, env: Context['env']): string {
  try {
    return readSettings(ledger, env).mode;
  } catch {
    return 'unknown';
  }
}

/** What nobody caught ends the service: everything acknowledged is durable, and the next hook starts another. */
function untilUncaught(): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    process.once('uncaughtException', reject).once('unhandledRejection', reject);
  });
  failed.catch(() => undefined);
  return failed;
}
