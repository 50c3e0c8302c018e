// All sessions of a ledger, the newest first, with what a reader asks first of each: what was claimed and not proven, what
// was denied. Rows are drawn only where they are in view. Two of them can be compared.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Pulse, SessionRow, Sessions, ToolsUsed } from '../../src/view/answers.ts';
import { Prose } from '../parts/prose.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { brief, counted, lasted, moment, thousands, visible } from '../parts/words.ts';
import { whenIdle } from '../when-idle.ts';
import { api } from './api.ts';
import { Charts } from './charts.tsx';
import { Days } from './days.tsx';
import {
  arePromptsComing,
  forgetPrompts,
  knownPrompt,
  knowPrompts,
  MOST_FILTERED,
  usePrompt,
  usePrompts,
} from './prompts.ts';
import { hashOf } from './route.ts';
import { useAsked } from './use-asked.ts';
import { forgetUnsealed, forgetVerdicts, useVerdict } from './verdicts.ts';

const FILTERS = {
  all: () => true,
  unproven: ({ unproven, stale }: SessionRow) => unproven + stale > 0,
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
const HEIGHT = 58;
/** Where the parts of a row stand below one another. */
const NARROW_HEIGHT = 88;
const NARROW = matchMedia('(max-width: 760px)');

const MOST_ASKED_AGAIN = 20_000;

/** Between two looks at how far the counting is, in milliseconds. */
const COUNTING_PAUSE = 2000;

export function SessionsPage({ ledger, pulse }: { readonly ledger: number; readonly pulse: Pulse }) {
  const [again, askAgain] = useState(0);
  // The first answer often knows of the head already, and is long: it is asked for again only where it doesn't.
  const known = useRef<Pick<Pulse, 'head' | 'notices'> | null>(null);
  const wanted = useRef<Pulse | null>(null);
  const { head, notices: many } = pulse;
  const isKnown = head === known.current?.head && many === known.current.notices;
  if (known.current !== null && (head !== 0 || many !== 0) && !isKnown) wanted.current = pulse;
  // Rows to look at come first. The others, of which there may be thousands, and everything else follow once they are seen.
  const [isWhole, setWhole] = useState(false);
  const asked = useAsked(async () => {
    const answer = await (isWhole ? api.sessions(ledger) : api.newest(ledger));
    knowPrompts(ledger, answer.prompts ?? []);
    return answer;
  }, [ledger, wanted.current, again, isWhole]);
  const more = asked.state === 'here' ? (asked.value.more ?? 0) : 0;
  const [isSeen, setSeen] = useState(false);
  const isHere = asked.state === 'here';
  useEffect(() => {
    if (isHere) void whenIdle().then(() => setSeen(true));
  }, [isHere]);
  useEffect(() => {
    if (isSeen && more > 0) setWhole(true);
  }, [isSeen, more]);
  known.current =
    asked.state === 'waiting'
      ? null
      : asked.state === 'here'
        ? { head: asked.value.head, notices: asked.value.notices.length }
        : { head: -1, notices: 0 };
  const isCounting = asked.state === 'here' && asked.value.counting !== null;
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = setTimeout(() => askAgain(again + 1), COUNTING_PAUSE);
    return () => clearTimeout(timer);
  }, [asked]);
  // Looking at all of them takes a while: the rows come first, and those of a large ledger are asked for once.
  const hasRows = isSeen && isHere && more === 0;
  const used = useAsked(hasRows ? () => api.tools(ledger) : null, [
    ledger,
    hasRows,
    pulse.head < MOST_ASKED_AGAIN ? pulse.head : 0,
  ]);
  const [filter, setFilter] = useState<Filter>('all');
  const [words, setWords] = useState('');
  const [day, setDay] = useState<string | null>(null);
  const [chosen, choose] = useState(0);
  const [helps, setHelps] = useState(false);
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const listen = (): void => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', listen);
    return () => NARROW.removeEventListener('change', listen);
  }, []);
  useEffect(() => {
    forgetPrompts();
    forgetVerdicts();
  }, [pulse.notices]);
  useEffect(forgetUnsealed, [pulse.sealed]);
  const [compared, setCompared] = useState<readonly string[]>([]);
  const sessions = asked.state === 'here' ? asked.value.sessions : [];
  const tools = used.state === 'here' ? used.value : null;
  const prompts = usePrompts(ledger, sessions, words.trim() !== '');
  const rows = useMemo(
    () =>
      sessions.filter(
        (row) =>
          FILTERS[filter](row) && matches(row, ledger, words) && (day === null || row.start.startsWith(day)),
      ),
    [asked, filter, words, day, prompts],
  );
  const topTools = useMemo(() => topToolsOf(tools), [tools]);
  const open = (row: SessionRow | undefined): void => {
    if (row !== undefined)
      location.hash = hashOf({ page: 'session', ledger: row.ledger ?? ledger, id: row.id, entry: null });
  };
  const toggle = (id: string | undefined): void => {
    if (id === undefined) return;
    // A third takes the place of the one that was chosen first.
    setCompared((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids.slice(-1), id]));
  };
  const [one, other] = compared;
  const [oneLedger, otherLedger] = compared.map((id) => rows.find((row) => row.id === id)?.ledger ?? ledger);
  const isPair = other !== undefined && oneLedger === otherLedger;
  const compare = (): void => {
    if (one !== undefined && isPair)
      location.hash = hashOf({ page: 'diff', ledger: oneLedger ?? ledger, ids: [one, other] });
  };
  // Keys may come faster than effects run: the newest handler is always the one that counts.
  const onKey = useRef<(event: KeyboardEvent) => void>(() => undefined);
  onKey.current = (event) => {
    const isText = event.target instanceof HTMLInputElement && event.target.type === 'search';
    if (isText && event.key === 'Escape') {
      if (event.target.id === 'filter') setWords('');
      event.target.blur();
    }
    if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'j') choose(Math.min(rows.length - 1, chosen + 1));
    else if (event.key === 'k') choose(Math.max(0, chosen - 1));
    else if (event.key === 'g') choose(0);
    else if (event.key === 'G') choose(Math.max(0, rows.length - 1));
    else if (event.key === '/') document.getElementById('filter')?.focus();
    else if (event.key === '?') setHelps(!helps);
    else if (event.key === 'Escape') setHelps(false);
    else if (event.key === 'x') toggle(rows[chosen]?.id);
    else if (event.key === 'c') compare();
    else if (event.key === 'Enter' && event.target === document.body) open(rows[chosen]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey.current(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  if (asked.state === 'waiting') return <p class="quiet">Reading the ledger…</p>;
  const { counting, notices } = asked.value;
  if (sessions.length === 0 && counting === null && notices.length === 0)
    return (
      <p class="quiet">
        This ledger has no sessions yet. Run <code>foil install</code> in your project, restart your agent,
        and what it does appears here.
      </p>
    );
  return (
    <>
      <h1 class="unseen">Sessions</h1>
      {helps && (
        <p class="help" role="status">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>g</kbd> first, <kbd>G</kbd> last, <kbd>Enter</kbd>{' '}
          open the session, <kbd>x</kbd> choose it for comparing, <kbd>c</kbd> compare the two, <kbd>/</kbd>{' '}
          filter, <kbd>Esc</kbd> or <kbd>?</kbd> close this help
        </p>
      )}
      <Notices counting={counting} notices={notices} />
      <Days sessions={sessions} day={day} choose={setDay} />
      <Charts sessions={rows} tools={tools} />
      <div class="tools">
        {(Object.keys(FILTERS) as Filter[]).map((each) => (
          <button type="button" key={each} aria-pressed={filter === each} onClick={() => setFilter(each)}>
            {NAMES[each]}{' '}
            <span class="quiet">{more > 0 ? '…' : thousands(sessions.filter(FILTERS[each]).length)}</span>
          </button>
        ))}
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          value={words}
          placeholder="prompt, agent, model, folder"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="quiet" role="status">
          {more > 0
            ? `the newest ${rows.length} of ${thousands(sessions.length + more)} sessions; the others are on their way`
            : `${rows.length === 0 ? 'Nothing matches' : counted(rows.length, 'session')}${filterNote(words, sessions.length)}`}
        </span>
        {one !== undefined && (
          <button type="button" class="compare" disabled={!isPair} onClick={compare}>
            {isPair
              ? 'Compare the two'
              : other === undefined
                ? 'Choose another one to compare'
                : 'Choose two of one ledger'}
          </button>
        )}
      </div>
      <VirtualList
        label="Sessions"
        rows={rows}
        height={isNarrow ? NARROW_HEIGHT : HEIGHT}
        chosen={chosen}
        keyOf={({ id }) => id}
      >
        {(row, isChosen) => (
          <SessionLine
            row={row}
            ledger={row.ledger ?? ledger}
            href={hashOf({ page: 'session', ledger: row.ledger ?? ledger, id: row.id, entry: null })}
            tools={topTools.get(row.id) ?? ''}
            isSettled={hasRows && counting === null}
            isChosen={isChosen}
            isCompared={compared.includes(row.id)}
            toggle={toggle}
          />
        )}
      </VirtualList>
      <p class="quiet">
        <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>Enter</kbd> open · <kbd>x</kbd> choose for comparing,{' '}
        <kbd>c</kbd> compare · <kbd>/</kbd> filter · <kbd>?</kbd> all keys
      </p>
    </>
  );
}

/** What a reader must know of a filter that looks at prompts. */
function filterNote(words: string, sessions: number): string {
  if (words.trim() === '') return '';
  if (arePromptsComing()) return ' so far. Reading the first prompts…';
  return sessions > MOST_FILTERED
    ? `. Only the newest ${thousands(MOST_FILTERED)} were searched by their first prompt.`
    : '';
}

/** What a reader must know of the list before believing that it is all. */
function Notices({ counting, notices }: Pick<Sessions, 'counting' | 'notices'>) {
  return (
    <>
      <div role="alert">
        {notices.map((notice) => (
          <p key={notice} class="verdict bad">
            <Prose text={notice} />
          </p>
        ))}
      </div>
      {counting !== null && (
        <p class="quiet" role="status">
          These are the newest sessions. The others are being counted: {thousands(counting.read)} of{' '}
          {thousands(counting.of)} entries so far.
        </p>
      )}
    </>
  );
}

interface LineProps {
  readonly row: SessionRow;
  readonly ledger: number;
  readonly href: string;
  readonly tools: string;
  /** All sessions are counted, so that one can be checked without reading all of the log. */
  readonly isSettled: boolean;
  readonly isChosen: boolean;
  readonly isCompared: boolean;
  readonly toggle: (id: string) => void;
}

function SessionLine({ row, ledger, href, tools, isSettled, isChosen, isCompared, toggle }: LineProps) {
  const prompt = usePrompt(ledger, row.prompts > 0 ? row.id : null);
  const verdict = useVerdict(ledger, row, isSettled);
  const when = moment(row.start);
  return (
    <div class={`session ${isChosen ? 'chosen' : ''}`}>
      <input
        type="checkbox"
        aria-label={`Compare the session of ${when}`}
        checked={isCompared}
        onChange={() => toggle(row.id)}
      />
      <a href={href} aria-current={isChosen}>
        <span class="two-lines">
          {row.erased !== null ? (
            <span class="quiet">Its content was erased</span>
          ) : prompt === undefined ? (
            <span class="quiet">…</span>
          ) : prompt === null || prompt === '' ? (
            <span class="quiet">No prompt is shown</span>
          ) : (
            <strong>“{visible(prompt)}”</strong>
          )}
          <span class="quiet">{visible(aboutRow(row))}</span>
        </span>
        <span class="two-lines when">
          <span>{when}</span>
          <span class="quiet">
            {row.state === 'open' ? 'open, ' : row.state === 'cut' ? 'cut off, ' : ''}
            {lasted(Date.parse(row.last) - Date.parse(row.start))}
          </span>
        </span>
        <span class="badges">
          {row.unproven > 0 && <span class="badge bad">{row.unproven} unproven</span>}{' '}
          {row.stale > 0 && (
            <span class="badge doubt" title="The run that proved it came before the last change">
              {row.stale} stale
            </span>
          )}{' '}
          {row.proven > 0 && <span class="badge good">{row.proven} proven</span>}{' '}
          {row.denied > 0 && <span class="badge doubt">{row.denied} denied</span>}
        </span>
        <span class="two-lines judged">
          <span class={verdict.tone}>{verdict.words}</span>
          <span class="quiet">{verdict.tier}</span>
        </span>
        <span class="two-lines numbers">
          <span>
            {counted(row.prompts, 'prompt')}, {counted(row.calls, 'call')}
            {row.tokens > 0 && `, ${thousands(row.tokens)} tokens`}
          </span>
          <span class="quiet">{tools}</span>
        </span>
      </a>
    </div>
  );
}

/** Who worked where. */
function aboutRow({ agent, models, ledger_name: name, workspace_root: root }: SessionRow): string {
  return [agent ?? 'an agent', models.join(', ').slice(0, 60), name ?? '', root ?? '']
    .filter((part) => part !== '')
    .join(' · ');
}

/** The three that each session called most. */
function topToolsOf(used: ToolsUsed | null): ReadonlyMap<string, string> {
  return new Map(
    (used?.sessions ?? []).map(([id, tools]) => [
      id,
      tools
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, 3)
        .map(([tool, calls]) => `${brief(tool, 24)} ${calls}`)
        .join(' · '),
    ]),
  );
}

function matches(row: SessionRow, ledger: number, words: string): boolean {
  if (words.trim() === '') return true;
  const whole =
    `${row.agent} ${row.models.join(' ')} ${row.workspace_root} ${row.ledger_name ?? ''} ${row.id} ${knownPrompt(row.ledger ?? ledger, row.id)}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
