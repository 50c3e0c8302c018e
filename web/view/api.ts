// Questions to the server behind `foil view`. The address holds a code behind its `#`, which is good for one tab. The page
// changes it for the token, and keeps that in the tab. The first rows of the list come with it, or are asked for at once: all that
// a reader waits for at first.

import type { Changes } from '../../src/format/index.ts';
import {
  FIRST_ROWS,
  type Found,
  type HealthReport,
  type LedgerInfo,
  type Opening,
  type Prompts,
  type Pulse,
  type Sessions,
  type ToolsUsed,
} from '../../src/view/answers.ts';
import { fetchAnswer, type Place } from '../fetch-bytes.ts';
import { whenIdle } from '../when-idle.ts';
import { parseRoute } from './route.ts';

const TOKEN = 'counterfoil-token';

interface Opened {
  /** The token is another one than before. */
  readonly isOther: boolean;
  readonly first: Sessions | null;
}

const NOTHING_NEW: Opened = { isOther: false, first: null };

/** Takes the code out of the address and changes it for the token. Null where there is none. */
function takeCode(): Promise<Opened> | null {
  const [, code] = /^#open=([0-9a-f]{64})$/.exec(location.hash) ?? [];
  return code === undefined ? null : changeCode(code);
}

async function changeCode(code: string): Promise<Opened> {
  const before = sessionStorage.getItem(TOKEN);
  history.replaceState(null, '', '#/');
  try {
    const answer = await fetchAnswer({ address: '/api/open', token: code });
    const { token, first } = (await answer.json()) as Opening;
    sessionStorage.setItem(TOKEN, token);
    return { isOther: before !== token, first };
  } catch (error) {
    // A tab that is open already stays so.
    if (before === null) throw error;
    return NOTHING_NEW;
  }
}

/** Every question waits for it. */
let opened: Promise<Opened> | null = null;
/** Until they are taken. */
let first: { readonly ledger: number; readonly rows: Promise<Sessions> } | null = null;

/** Before anything is drawn, and whenever the address changes: then everything is asked anew. Resolves after the first rows. */
export async function followCode(): Promise<void> {
  addEventListener('hashchange', () => {
    // A tab that has no token, and gets none now, says so when it is drawn again.
    takeCode()?.then(
      ({ isOther }) => isOther && location.reload(),
      () => location.reload(),
    );
  });
  opened = takeCode();
  const route = parseRoute(location.hash);
  if (route.page !== 'sessions') return;
  const { ledger } = route;
  const rows = opened?.then((answer) => answer.first ?? askNewest(ledger)) ?? askNewest(ledger);
  first = { ledger, rows };
  await rows.then(whenIdle, () => undefined);
}

type Query = Readonly<Record<string, string | number | readonly string[]>>;

function placeOf(path: string, query: Query = {}): Place {
  const words = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)]),
    ),
  );
  return { address: `/api/${path}?${words}`, token: sessionStorage.getItem(TOKEN) ?? '' };
}

const ask = async (path: string, query: Query = {}): Promise<Response> => {
  // Where there is nothing to wait for, it goes out at once.
  if (opened !== null) await opened;
  return fetchAnswer(placeOf(path, query));
};

const json = async <T>(path: string, query: Query = {}): Promise<T> =>
  (await (await ask(path, query)).json()) as T;

const askNewest = (ledger: number): Promise<Sessions> =>
  json<Sessions>('sessions', { ledger, most: FIRST_ROWS });

export const api = {
  ledgers: () => json<{ ledgers: LedgerInfo[] }>('ledgers'),
  /** All of them. */
  sessions: (ledger: number) => json<Sessions>('sessions', { ledger }),
  /** Some, with their prompts. */
  newest(ledger: number): Promise<Sessions> {
    const taken = first;
    first = null;
    return taken?.ledger === ledger ? taken.rows : askNewest(ledger);
  },
  /** Where all of it is, for the verifier to get. */
  run: (ledger: number, session: string): Place => placeOf('run', { ledger, session }),
  /** All of it if it is short; else its beginning, and what is around an entry. */
  beginning: (ledger: number, session: string, entry: number | null): Place =>
    placeOf('beginning', { ledger, session, entry: entry ?? 0 }),
  changes: (ledger: number, session: string) => json<Changes>('changes', { ledger, session }),
  prompts: (ledger: number, session: readonly string[]) => json<Prompts>('prompts', { ledger, session }),
  tools: (ledger: number) => json<ToolsUsed>('tools', { ledger }),
  async download(ledger: number, session: string, what: string): Promise<Blob> {
    return (await ask('download', { ledger, session, what })).blob();
  },
  search: (ledger: number, q: string) => json<Found>('search', { ledger, q }),
  tail: (ledger: number, { head, notices, sealed }: Pulse) =>
    json<Pulse>('tail', { ledger, after: head, notices, sealed }),
  /** All files of a ledger, as an archive, for the verifier. */
  whole: async (ledger: number) => new Uint8Array(await (await ask('whole', { ledger })).arrayBuffer()),
  health: (ledger: number) => json<HealthReport>('health', { ledger }),
};
