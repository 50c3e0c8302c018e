// The server behind `foil view`: a process of its own, which reads ledgers and never writes to them, so that nothing
// here can slow or change a recording. It answers this machine alone, and of that only who has the token.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StoreError } from '../core/index.ts';
import type { Environment, Located } from '../ledger/index.ts';
import { jsonReply, NO_STORE, type Reply, targetOf } from '../service/index.ts';
import { AllLedgers } from './all-ledgers.ts';
import {
  FIRST_ROWS,
  type HealthReport,
  type LedgerInfo,
  type Opening,
  type Pulse,
  type SessionRow,
  type Sessions,
} from './answers.ts';
import type { Download } from './downloads.ts';
import type { IndexOptions } from './ledger-index.ts';
import { SessionAnswers } from './session-answers.ts';
import type { CountedSession } from './session-rows.ts';
import { ViewedLedger } from './viewed-ledger.ts';

/** The files of the page, by the path that they are asked for. */
export type ViewPage = ReadonlyMap<string, { readonly type: string; readonly bytes: Uint8Array }>;

export interface LedgerToView {
  /** What people call it: the project's folder. */
  readonly name: string;
  readonly located: Located;
  /** Left out where there is to be none. */
  readonly index?: IndexOptions;
}

export interface ViewOptions {
  readonly port?: number;
  readonly now?: () => number;
  /** Where notes of what was not recorded are looked for. */
  readonly env?: Environment;
  /** One more in front of the ledgers, which is all of them together. */
  readonly together?: boolean;
  /** What makes long answers, in a thread of its own: `view-session.cjs` of this build. Null: the server does. */
  readonly thread?: string | null;
}

export interface View {
  /** What every question must show. */
  readonly token: string;
  /** The origin of its addresses. */
  readonly origin: string;
  /** One to open the page with, once: what browsers keep of it in their history is of no use to anybody. */
  address(): string;
  close(): Promise<void>;
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
/** So many bytes are written at a time. */
const AT_ONCE = 1 << 18;
const TAIL_WAIT = 20_000;
const TAIL_STEP = 300;
const MOST_QUERY = 512;
const MOST_PROMPTS = 100;

export async function startView(
  ledgers: readonly LedgerToView[],
  page: ViewPage,
  { port = 0, now = Date.now, together = false, env = process.env, thread = null }: ViewOptions = {},
): Promise<View> {
  const token = randomBytes(32).toString('hex');
  /** Each is good for the token, once. They stand behind `#`, which browsers don't send. */
  const codes = new Set<string>();
  const answers = new SessionAnswers(thread);
  const single = ledgers.map(
    ({ name, located, index }) => new ViewedLedger(name, located, index, env, answers),
  );
  const viewed = together ? [new AllLedgers(single), ...single] : single;
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
    if (path === '/api/open') return openReply(incoming);
    if (!isToken(incoming, token)) return problem(401, 'Open the viewer with `foil view`.');
    if (path === '/api/ledgers') return jsonReply({ ledgers: await Promise.all(viewed.map(infoOf)) }, 200);
    const chosen = viewed[Number(query.get('ledger') ?? '0')];
    if (chosen === undefined) return problem(404, 'There is no such ledger.');
    if (path === '/api/sessions')
      return query.has('most')
        ? jsonReply(await newestRows(chosen, Number(query.get('most'))), 200)
        : sessionsReply(chosen);
    if (path === '/api/run') return runReply(await chosen.run(query.get('session') ?? '', now()));
    if (path === '/api/beginning')
      return runReply(
        await chosen.beginning(query.get('session') ?? '', now(), Number(query.get('entry') ?? '0')),
      );
    if (path === '/api/changes') return runReply(await chosen.changes(query.get('session') ?? '', now()));
    if (path === '/api/prompts')
      return jsonReply(await chosen.prompts(query.getAll('session').slice(0, MOST_PROMPTS)), 200);
    if (path === '/api/tools') return jsonReply(await chosen.tools(), 200);
    if (path === '/api/download')
      return downloadReply(chosen, query.get('what') ?? '', query.get('session') ?? '', now(), page);
    if (path === '/api/search') {
      const text = (query.get('q') ?? '').slice(0, MOST_QUERY);
      const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY);
      return jsonReply(await chosen.search(text, before), 200);
    }
    if (path === '/api/tail') return tailReply(chosen, knownPulse(query), () => closing);
    if (path === '/api/whole') return runReply(await chosen.whole());
    if (path === '/api/health') return jsonReply(await healthReply(chosen), 200);
    return problem(404, 'The viewer has no such address.');
  }

  async function openReply(incoming: IncomingMessage): Promise<BytesReply> {
    const code = [...codes].find((each) => isToken(incoming, each));
    if (code === undefined)
      return problem(
        401,
        'This address was used already: each opens one tab. Go back to that tab, or run `foil view` again.',
      );
    codes.delete(code);
    const first = await rowsToBegin();
    return jsonReply({ token, first } satisfies Opening, 200);
  }

  /** If it fails, a page is told why when it asks for them. */
  async function rowsToBegin(): Promise<Sessions | null> {
    const [begun] = viewed;
    return begun === undefined ? null : newestRows(begun, FIRST_ROWS).catch(() => null);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Whoever asked for the viewer will ask for this as soon as a browser is up.
  void rowsToBegin().then(() => closing || answers.start());
  return {
    token,
    origin: `http://${host}`,
    address() {
      const code = randomBytes(32).toString('hex');
      codes.add(code);
      return `http://${host}/#open=${code}`;
    },
    async close() {
      closing = true;
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await answers.close();
      await Promise.all(single.map((each) => each.close()));
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
    return problem(403, 'Other pages may not use the viewer.');
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
  const isGone = error instanceof StoreError && error.code === 'NOT_FOUND';
  return problem(isGone ? 410 : 500, wordsFor(error));
}

function wordsFor(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function send(outgoing: ServerResponse, { status, headers, body }: BytesReply): void {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, { ...HEADERS, ...headers, 'content-length': Buffer.byteLength(body) });
  if (body.length <= AT_ONCE) outgoing.end(body);
  else void sendInPieces(outgoing, typeof body === 'string' ? Buffer.from(body) : body);
}

/** The system copies what is written, and nobody else is answered meanwhile. */
async function sendInPieces(outgoing: ServerResponse, body: Uint8Array): Promise<void> {
  for (let at = 0; at < body.length && !outgoing.destroyed; at += AT_ONCE)
    await new Promise((resolve) => {
      outgoing.once('close', resolve);
      outgoing.write(body.subarray(at, at + AT_ONCE), () => {
        outgoing.off('close', resolve);
        resolve(undefined);
      });
    });
  outgoing.end();
}

type Viewed = ViewedLedger | AllLedgers;

async function infoOf(viewed: Viewed): Promise<LedgerInfo> {
  const { name } = viewed;
  const directory = viewed instanceof AllLedgers ? '' : viewed.located.directory;
  try {
    return { name, directory, head: await viewed.head(), problem: null };
  } catch (error) {
    return { name, directory, head: 0, problem: wordsFor(error) };
  }
}

/** Thousands of sessions are megabytes, which are the same until something is appended. */
const encoded = new WeakMap<Sessions, BytesReply>();

async function sessionsReply(viewed: Viewed): Promise<BytesReply> {
  const sessions = await viewed.sessions();
  const known = encoded.get(sessions);
  if (known !== undefined) return known;
  const reply = jsonReply({ ...sessions, sessions: sessions.sessions.map(forPage) }, 200);
  const bytes = { ...reply, body: Buffer.from(reply.body) };
  encoded.set(sessions, bytes);
  return bytes;
}

/** A row has more than a page asks about: where its entries are, for the server. */
function forPage(row: SessionRow): SessionRow {
  const { agent_session, end, first_seq, last_seq, first_prompt, ...shown } = row as SessionRow &
    Partial<CountedSession>;
  return shown;
}

const first = new WeakMap<Sessions['sessions'], Pick<Sessions, 'sessions' | 'prompts'>>();

/** The first rows with their prompts, for whoever waits to see something. Those that follow are asked for without a number. */
async function newestRows(viewed: Viewed, most: number): Promise<Sessions> {
  const { sessions, ...rest } = await viewed.sessions();
  const count = Math.min(sessions.length, MOST_PROMPTS, Math.max(1, Math.floor(most) || 1));
  const more = sessions.length - count;
  const known = most === FIRST_ROWS ? first.get(sessions) : undefined;
  if (known !== undefined) return { ...rest, ...known, more };
  const newest = sessions.slice(0, count);
  const { prompts } = await viewed.prompts(newest.map(({ id }) => id));
  const rows = { sessions: newest.map(forPage), prompts };
  if (most === FIRST_ROWS) first.set(sessions, rows);
  return { ...rest, ...rows, more };
}

function runReply(run: Download | undefined): BytesReply {
  if (run === undefined) return problem(404, 'The ledger has no such session.');
  return { status: 200, headers: { 'content-type': run.type }, body: run.body };
}

async function downloadReply(
  viewed: Viewed,
  what: string,
  id: string,
  now: number,
  page: ViewPage,
): Promise<BytesReply> {
  try {
    const made = await viewed.download(
      what,
      id,
      now,
      what === 'report' ? page.get(REPORT_PAGE)?.bytes : undefined,
    );
    if (made === undefined) return problem(404, 'The ledger has no such session.');
    const headers = { 'content-type': made.type, 'content-disposition': 'attachment' };
    return { status: 200, headers, body: made.body };
  } catch (error) {
    if (error instanceof StoreError) return problem(409, error.message);
    throw error;
  }
}

/** Whoever doesn't say what they know of seals is not told of seals alone. */
type KnownPulse = Omit<Pulse, 'sealed'> & { readonly sealed: number | null };

function knownPulse(query: URLSearchParams): KnownPulse {
  const number = (name: string): number => Number(query.get(name) ?? '0');
  return {
    head: number('after'),
    notices: number('notices'),
    sealed: query.has('sealed') ? number('sealed') : null,
  };
}

/** Waits until there is something else than that, for a while. */
async function tailReply(viewed: Viewed, known: KnownPulse, isClosing: () => boolean): Promise<BytesReply> {
  const until = performance.now() + TAIL_WAIT;
  for (;;) {
    const pulse = await viewed.pulse();
    const isSame =
      pulse.head === known.head &&
      pulse.notices === known.notices &&
      pulse.sealed === (known.sealed ?? pulse.sealed);
    if (!isSame || performance.now() > until || isClosing()) return jsonReply(pulse, 200);
    await new Promise((resolve) => setTimeout(resolve, TAIL_STEP));
  }
}

/** One that can't be read says so, and the others are there all the same. */
async function healthReply(viewed: Viewed): Promise<HealthReport> {
  const each = viewed instanceof AllLedgers ? viewed.ledgers : [viewed];
  return {
    ledgers: await Promise.all(
      each.map(async (ledger) => {
        try {
          return await ledger.health();
        } catch (error) {
          return { name: ledger.name, directory: ledger.located.directory, problem: wordsFor(error) };
        }
      }),
    ),
  };
}
