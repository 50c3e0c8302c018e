// foil view: the ledger in a browser. A process of its own that only reads, and ends with Ctrl-C.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ownProgram } from '../../app/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { locate } from '../../ledger/index.ts';
import {
  type IndexOptions,
  indexPath,
  type LedgerToView,
  startView,
  type ViewPage,
} from '../../view/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { readPages, reportPage } from '../pages.ts';
import { placeToRead } from '../project-ledgers.ts';
import { userLedgers } from '../user-ledgers.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const FILES: readonly [name: string, type: string][] = [
  ['view.js', SCRIPT],
  ['style.css', 'text/css; charset=utf-8'],
  ['verify-worker.js', SCRIPT],
  ['verify-ledger.js', SCRIPT],
  ['verify-more.js', SCRIPT],
];

export const view: Command = {
  name: 'view',
  summary: 'look at sessions, claims and evidence in a browser',
  usage: '[options]',
  arguments: [0, 0],
  options: {
    all: { type: 'boolean', help: 'all of your ledgers, in one page' },
    port: { type: 'string', value: 'N', help: 'listen on this port of 127.0.0.1 (default: any free one)' },
    'no-open': { type: 'boolean', help: "print the address, and don't start a browser" },
  },
  examples: ['foil view', 'foil view --all', 'foil view --no-open', 'foil view --ledger /backup/ledger'],
  notes: [
    'Only this machine can open it, and only with the address that is printed. It reads the ledger and never writes to it.',
    'Search uses an index, which is kept in your cache directory and can be deleted at any time.',
    'The page checks each session itself, with the same code as `foil verify`.',
    'End it with Ctrl-C or SIGTERM. Either way, its exit code is 0.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values } = context;
  const together = values.flag('all');
  const json = values.flag('json');
  const served = await startView(together ? allLedgers(context) : [ledgerHere(context)], pageFiles(), {
    port: portOf(values.text('port')),
    together,
    env: context.env,
    thread: join(ownProgram(), 'view-session.cjs'),
  });
  const ended = new Promise<void>((resolve) => {
    context.onInterrupt(resolve);
    process.once('SIGTERM', () => resolve());
  });
  async function* text(): AsyncGenerator<string> {
    const url = served.address();
    yield json
      ? `${JSON.stringify({ event: 'ready', url, token: served.token })}\n`
      : `${url}\nPress Ctrl-C to end it.\n`;
    if (!json && !values.flag('no-open')) openBrowser(url);
    await ended;
    await served.close();
  }
  return { text: text() };
}

function ledgerHere(context: Context): LedgerToView {
  const { located } = placeToRead(context);
  return { name: located.directory, located, index: indexOf(located.directory, context) };
}

function allLedgers(context: Context): LedgerToView[] {
  const { cwd, env, values } = context;
  if (values.text('ledger') !== undefined)
    throw new UsageError('--all shows all of your ledgers, and --ledger names one. Use one of the two.');
  const found = userLedgers({ cwd, env });
  if (found.length === 0) throw new StoreError('NOT_FOUND', 'you have no ledgers yet. Run `foil init`.');
  return found.map(({ name, directory }) => ({
    name,
    located: locate({ ledger: directory, cwd, env }),
    index: indexOf(directory, context),
  }));
}

function indexOf(directory: string, { env }: Context): IndexOptions {
  return { path: indexPath(directory, env), program: join(ownProgram(), 'view-index.cjs') };
}

function pageFiles(): ViewPage {
  const pages = readPages();
  const file = (name: string, type: string) => ({
    type,
    bytes: pages.get(`view/${name}`) ?? new Uint8Array(),
  });
  let report: Uint8Array | undefined;
  return new Map([
    ['/', file('index.html', 'text/html; charset=utf-8')],
    ...FILES.map(([name, type]) => [`/${name}`, file(name, type)] as const),
    [
      '/report.html',
      {
        type: 'application/octet-stream',
        // Takes a moment, and few ask for it.
        get bytes() {
          report ??= new TextEncoder().encode(reportPage(pages));
          return report;
        },
      },
    ],
  ]);
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError(`--port: ${JSON.stringify(text)} isn't a port. Use a number from 0 to 65535.`);
  return port;
}

/** Whether it comes up, nobody can tell: the address is printed in any case. */
function openBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
