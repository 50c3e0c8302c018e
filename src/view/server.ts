// The server behind `foil view`: a process of its own, which reads ledgers and never writes to them, so that nothing
// here can slow or change a recording. It answers this machine alone, and of that only who has the token.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openToRead } from '../app/index.ts';
import { StoreError } from '../core/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { diskUse } from '../report/index.ts';
import { jsonReply, NO_STORE, type Reply, targetOf } from '../service/index.ts';
import type { Health, LedgerInfo } from './answers.ts';
import { downloadOf } from './downloads.ts';
import { runArchive } from './run-archive.ts';
import { search } from './search.ts';
import { SessionRows } from './session-rows.ts';
import { toolsUsed } from './tools-used.ts';

/** The files of the page, by the path that they are asked for. */
export type ViewPage = ReadonlyMap<string, { readonly type: string; readonly bytes: Uint8Array }>;

export interface ViewedLedger {
  /** What people call it: the project's folder. */
  readonly name: string;
  readonly located: Located;
}

export interface View {
  /** With the token behind `#`, which browsers don't send. */
  readonly url: string;
  close(): Promise<void>;
}

interface Opened extends ViewedLedger {
  readonly ledger: Ledger;
  readonly rows: SessionRows;
}

type BytesReply = Omit<Reply, 'body'> & { readonly body: string | Uint8Array };

const HEADERS = {
  ...NO_STORE,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types counterfoil",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
/** Among the files of the page: that of reports, for those who download one. */
const REPORT_PAGE = '/report.html';
const TAIL_WAIT = 20_000;
const TAIL_STEP = 300;
const MOST_QUERY = 512;

export async function startView(
  ledgers: readonly ViewedLedger[],
  page: ViewPage,
  { port = 0, now = Date.now }: { readonly port?: number; readonly now?: () => number } = {},
): Promise<View> {
  const token = randomBytes(32).toString('hex');
  const opened = ledgers.map((each): Opened => {
    const ledger = openToRead(each.located);
    return { ...each, ledger, rows: new SessionRows(ledger.store) };
  });
  let closing = false;
  let host = '';
  const server = createServer((incoming, outgoing) => {
    answer(incoming)
      .catch((error: unknown) => failure(error))
      .then((reply) => send(outgoing, reply));
  });

  async function answer(incoming: IncomingMessage): Promise<BytesReply> {
    const { method, path, query } = targetOf(incoming);
    const refused = refusal(incoming, method, host);
    if (refused !== undefined) return refused;
    const file = page.get(path);
    if (file !== undefined) return { status: 200, headers: { 'content-type': file.type }, body: file.bytes };
    if (!path.startsWith('/api/')) return problem(404, 'There is no such page.');
    if (!isToken(incoming, token)) return problem(401, 'Open the viewer with `foil view`.');
    if (path === '/api/ledgers') return jsonReply(await ledgersReply(opened), 200);
    const chosen = opened[Number(query.get('ledger') ?? '0')];
    if (chosen === undefined) return problem(404, 'There is no such ledger.');
    if (path === '/api/sessions') {
      await chosen.rows.refresh();
      return jsonReply({ head: chosen.rows.read, sessions: chosen.rows.rows() }, 200);
    }
    if (path === '/api/run') return runReply(chosen, query.get('session') ?? '', now());
    if (path === '/api/tools') return jsonReply(await toolsUsed(chosen.ledger.store), 200);
    if (path === '/api/download')
      return downloadReply(chosen, query.get('what') ?? '', query.get('session') ?? '', now(), page);
    if (path === '/api/search') {
      const text = (query.get('q') ?? '').slice(0, MOST_QUERY);
      const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY);
      return jsonReply(await search(chosen.ledger, chosen.located, text, before), 200);
    }
    if (path === '/api/tail') return tailReply(chosen, Number(query.get('after') ?? '0'), () => closing);
    if (path === '/api/health') return jsonReply(await healthReply(chosen), 200);
    return problem(404, 'There is no such question.');
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/#token=${token}`,
    async close() {
      closing = true;
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { ledger } of opened) await ledger.close();
    },
  };
}

/** Other machines can't come here; other pages of the same browser can, and a name of theirs may lead here. */
function refusal({ headers }: IncomingMessage, method: string, host: string): BytesReply | undefined {
  if (headers.host !== host) return problem(421, 'This is not the address that `foil view` gave you.');
  if (method !== 'GET') return problem(405, 'The viewer only reads.');
  const site = headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeign || (headers.origin !== undefined && headers.origin !== `http://${host}`))
    return problem(403, 'Another page may not ask the viewer.');
  return undefined;
}

function isToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function problem(status: number, message: string): BytesReply {
  return jsonReply({ error: message }, status);
}

function failure(error: unknown): BytesReply {
  return problem(500, error instanceof Error ? error.message : String(error));
}

function send(outgoing: ServerResponse, { status, headers, body }: BytesReply): void {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, { ...HEADERS, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function ledgersReply(opened: readonly Opened[]): Promise<{ ledgers: LedgerInfo[] }> {
  return {
    ledgers: await Promise.all(
      opened.map(async ({ name, located: { directory }, ledger }) => ({
        name,
        directory,
        head: (await ledger.store.head()).seq,
      })),
    ),
  };
}

async function runReply({ ledger, located, rows }: Opened, id: string, now: number): Promise<BytesReply> {
  await rows.refresh();
  const session = rows.rows().find((each) => each.id === id);
  if (session === undefined) return problem(404, 'The ledger has no such session.');
  const body = await runArchive(ledger, located, session, now);
  return { status: 200, headers: { 'content-type': 'application/x-tar' }, body };
}

async function downloadReply(
  { ledger, located, rows }: Opened,
  what: string,
  id: string,
  now: number,
  page: ViewPage,
): Promise<BytesReply> {
  await rows.refresh();
  const session = rows.rows().find((each) => each.id === id);
  if (session === undefined) return problem(404, 'The ledger has no such session.');
  try {
    const { type, body } = await downloadOf(
      what,
      ledger,
      located,
      session,
      now,
      page.get(REPORT_PAGE)?.bytes,
    );
    return { status: 200, headers: { 'content-type': type, 'content-disposition': 'attachment' }, body };
  } catch (error) {
    if (error instanceof StoreError) return problem(409, error.message);
    throw error;
  }
}

/** Waits until there is more than that, for a while. */
async function tailReply({ ledger }: Opened, after: number, isClosing: () => boolean): Promise<BytesReply> {
  const until = performance.now() + TAIL_WAIT;
  for (;;) {
    const { seq } = await ledger.store.head();
    if (seq !== after || performance.now() > until || isClosing()) return jsonReply({ head: seq }, 200);
    await new Promise((resolve) => setTimeout(resolve, TAIL_STEP));
  }
}

async function healthReply({ ledger, located, rows }: Opened): Promise<Health> {
  await rows.refresh();
  const { seq } = await ledger.store.head();
  const sealed = await ledger.sealed();
  const { origin } = await ledger.identity();
  return {
    directory: located.directory,
    origin,
    entries: seq,
    sealed: sealed?.checkpoint.size ?? 0,
    sessions: rows.rows().length,
    open: rows.rows().filter(({ state }) => state === 'open').length,
    ...diskUse(located.directory),
  };
}
