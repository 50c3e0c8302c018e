// All sessions of a ledger, the newest first, with what a reader asks first of each: what was claimed and not proven, what
// was denied. Rows are drawn only where they are in view.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionRow, Sessions } from '../../src/view/answers.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { counted, lasted, moment, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { Days } from './days.tsx';
import { hashOf } from './route.ts';
import { useAsked } from './use-asked.ts';

const FILTERS = {
  all: () => true,
  unproven: ({ unproven }: SessionRow) => unproven > 0,
  denied: ({ denied }: SessionRow) => denied > 0,
  blocked: ({ blocks }: SessionRow) => blocks > 0,
  open: ({ state }: SessionRow) => state === 'open',
} as const;
type Filter = keyof typeof FILTERS;
const NAMES: Readonly<Record<Filter, string>> = {
  all: 'All',
  unproven: 'With unproven claims',
  denied: 'With denials',
  blocked: 'Blocked by the gate',
  open: 'Open now',
};

/** Between two looks at how far the counting is, in milliseconds. */
const COUNTING_PAUSE = 2000;

export function SessionsPage({ ledger, head }: { readonly ledger: number; readonly head: number }) {
  const [again, askAgain] = useState(0);
  // The first answer often knows of the head already, and is long: it is asked for again only where it doesn't.
  const known = useRef<number | null>(null);
  const wanted = useRef(0);
  if (known.current !== null && head !== 0 && head !== known.current) wanted.current = head;
  const asked = useAsked(() => api.sessions(ledger), [ledger, wanted.current, again]);
  known.current = asked.state === 'waiting' ? null : asked.state === 'here' ? asked.value.head : -1;
  const isCounting = asked.state === 'here' && asked.value.counting !== null;
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = setTimeout(() => askAgain(again + 1), COUNTING_PAUSE);
    return () => clearTimeout(timer);
  }, [asked]);
  const [filter, setFilter] = useState<Filter>('all');
  const [words, setWords] = useState('');
  const [day, setDay] = useState<string | null>(null);
  const [chosen, choose] = useState(0);
  const sessions = asked.state === 'here' ? asked.value.sessions : [];
  const rows = useMemo(
    () =>
      sessions.filter(
        (row) => FILTERS[filter](row) && matches(row, words) && (day === null || row.start.startsWith(day)),
      ),
    [asked, filter, words, day],
  );
  const open = (row: SessionRow | undefined): void => {
    if (row !== undefined)
      location.hash = hashOf({ page: 'session', ledger: row.ledger ?? ledger, id: row.id, entry: null });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'j') choose(Math.min(rows.length - 1, chosen + 1));
      else if (event.key === 'k') choose(Math.max(0, chosen - 1));
      else if (event.key === 'Enter' && event.target === document.body) open(rows[chosen]);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  if (asked.state === 'waiting') return <p class="quiet">Reading the ledger…</p>;
  const { counting, notices } = asked.value;
  if (sessions.length === 0 && counting === null && notices.length === 0)
    return <p class="quiet">This ledger has no sessions yet. Start an agent, and it appears here.</p>;
  return (
    <>
      <Notices counting={counting} notices={notices} />
      <Days sessions={sessions} day={day} choose={setDay} />
      <div class="tools">
        {(Object.keys(FILTERS) as Filter[]).map((each) => (
          <button type="button" key={each} aria-pressed={filter === each} onClick={() => setFilter(each)}>
            {NAMES[each]} <span class="quiet">{sessions.filter(FILTERS[each]).length}</span>
          </button>
        ))}
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          value={words}
          placeholder="agent, model, folder"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="quiet" role="status">
          {rows.length === 0 ? 'Nothing matches.' : counted(rows.length, 'session')}
        </span>
      </div>
      <VirtualList label="Sessions" rows={rows} height={56} chosen={chosen} keyOf={({ id }) => id}>
        {(row, isChosen) => (
          <button type="button" class={`session ${isChosen ? 'chosen' : ''}`} onClick={() => open(row)}>
            <span class="when">
              {moment(row.start)}
              <span class="quiet">
                {' '}
                {row.state === 'open' ? 'open' : lasted(Date.parse(row.last) - Date.parse(row.start))}
              </span>
            </span>
            <span>
              {visible(row.agent ?? 'an agent')}
              <span class="quiet"> {visible(row.models.join(', '))}</span>
            </span>
            <span class="quiet folder">
              {visible([row.ledger_name, row.workspace_root].filter((part) => part).join(': '))}
            </span>
            <span>
              {row.unproven > 0 && <span class="badge bad">{row.unproven} unproven</span>}{' '}
              {row.proven > 0 && <span class="badge good">{row.proven} proven</span>}{' '}
              {row.denied > 0 && <span class="badge doubt">{row.denied} denied</span>}
            </span>
            <span class="quiet">
              {counted(row.prompts, 'prompt')}, {counted(row.calls, 'call')}
            </span>
          </button>
        )}
      </VirtualList>
    </>
  );
}

/** What a reader must know of the list before believing that it is all. */
function Notices({ counting, notices }: Pick<Sessions, 'counting' | 'notices'>) {
  return (
    <>
      {notices.map((notice) => (
        <p key={notice} class="verdict bad">
          {visible(notice)}
        </p>
      ))}
      {counting !== null && (
        <p class="quiet" role="status">
          These are the newest sessions. The others are being counted: {counting.read.toLocaleString()} of{' '}
          {counting.of.toLocaleString()} entries so far.
        </p>
      )}
    </>
  );
}

function matches(row: SessionRow, words: string): boolean {
  const whole =
    `${row.agent} ${row.models.join(' ')} ${row.workspace_root} ${row.ledger_name ?? ''} ${row.id}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
