// Questions to the server behind `foil view`. The address holds a code behind its `#`, which is good for one tab. The page
// changes it for the token, and keeps that in the tab.

import type { Changes } from '../../src/format/index.ts';
import type {
  Found,
  HealthReport,
  LedgerInfo,
  Prompts,
  Pulse,
  Sessions,
  ToolsUsed,
} from '../../src/view/answers.ts';
import { fetchAnswer, type Place } from '../fetch-bytes.ts';

const TOKEN = 'counterfoil-token';

/** Takes the code out of the address and changes it for the token. True where the token is another one than before. */
async function takeCode(): Promise<boolean> {
  const [, code] = /^#open=([0-9a-f]{64})$/.exec(location.hash) ?? [];
  if (code === undefined) return false;
  const before = sessionStorage.getItem(TOKEN);
  history.replaceState(null, '', '#/');
  try {
    const answer = await fetchAnswer({ address: '/api/open', token: code });
    const { token } = (await answer.json()) as { token: string };
    sessionStorage.setItem(TOKEN, token);
    return before !== token;
  } catch (error) {
    // A tab that is open already stays so.
    if (before === null) throw error;
    return false;
  }
}

/** Before anything is drawn, and whenever the address changes: then everything is asked anew. */
export async function followCode(): Promise<void> {
  addEventListener('hashchange', () => {
    // A tab that has no token, and gets none now, says so when it is drawn again.
    takeCode().then(
      (isOther) => isOther && location.reload(),
      () => location.reload(),
    );
  });
  await takeCode();
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

const ask = (path: string, query: Query = {}): Promise<Response> => fetchAnswer(placeOf(path, query));

const json = async <T>(path: string, query: Query = {}): Promise<T> =>
  (await (await ask(path, query)).json()) as T;

export const api = {
  ledgers: () => json<{ ledgers: LedgerInfo[] }>('ledgers'),
  /** All of them, or so many of the newest with their prompts. */
  sessions: (ledger: number, most: number | null = null) =>
    json<Sessions>('sessions', { ledger, ...(most === null ? {} : { most }) }),
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
