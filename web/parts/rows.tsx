// What happened: a timeline, a list that draws only what is in view, and one step in full. The keys j, k, g, G, /, ? and
// Escape work wherever no text is being written.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ClaimRow, LANES, type Lane, type SessionModel, type Shown } from '../model/session.ts';
import { branchesOf, type Step } from '../model/steps.ts';
import { Detail } from './detail.tsx';
import { Player } from './player.tsx';
import { VirtualList } from './virtual-list.tsx';
import { brief, clock, counted, lasted, visible } from './words.ts';

interface Props {
  readonly model: SessionModel;
  /** As the check leaves them. */
  readonly claims: readonly ClaimRow[];
  readonly shown: Shown;
  /** What is said of content that is not there. */
  readonly absent: string;
  readonly damaged: readonly number[];
  readonly chosen: number | null;
  readonly choose: (seq: number | null) => void;
}

type Wanted = Lane | 'all' | 'problems';

const HEIGHT = 32;

export function Rows({ model, claims, shown, absent, damaged, chosen, choose }: Props) {
  const [filter, setFilter] = useState('');
  const [wanted, setWanted] = useState<Wanted>('all');
  const [helps, setHelps] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const { steps, stepIndex: index, bySeq } = model;
  const bad = useMemo(() => new Set(damaged), [damaged]);
  const rows = useMemo(() => filtered(steps, filter, wanted), [steps, filter, wanted]);
  const step = chosen === null ? undefined : steps[index.get(chosen) ?? -1];
  const at = useMemo(() => (step === undefined ? -1 : rows.indexOf(step)), [rows, step]);
  // Keys may come faster than the page is drawn.
  const now = useRef(chosen);
  now.current = chosen;

  useEffect(() => {
    const goTo = (seq: number | null): void => {
      now.current = seq;
      choose(seq);
      if (seq !== null) bringIntoView();
    };
    const goBy = (by: number): void => {
      const here = now.current === null ? undefined : steps[index.get(now.current) ?? -1];
      const from = here === undefined ? -1 : rows.indexOf(here);
      goTo(rows[Math.min(rows.length - 1, Math.max(0, from + by))]?.seq ?? null);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement) {
        if (event.key === 'Escape') event.target.blur();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'j') goBy(1);
      else if (event.key === 'k') goBy(-1);
      else if (event.key === 'g') goTo(rows[0]?.seq ?? null);
      else if (event.key === 'G') goTo(rows.at(-1)?.seq ?? null);
      else if (event.key === '/') search.current?.focus();
      else if (event.key === '?') setHelps((shown) => !shown);
      else if (event.key === 'Escape') {
        setHelps(false);
        goTo(null);
      } else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [rows, steps, choose]);

  return (
    <section aria-labelledby="entries">
      <h2 id="entries">What happened</h2>
      {helps && (
        <p class="help" role="status">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>g</kbd> first, <kbd>G</kbd> last, <kbd>Space</kbd>{' '}
          play, <kbd>/</kbd> filter, <kbd>Esc</kbd> close, <kbd>?</kbd> this help. On the timeline:{' '}
          <kbd>←</kbd> <kbd>→</kbd> step, with <kbd>Shift</kbd> move, <kbd>+</kbd> <kbd>−</kbd> zoom,{' '}
          <kbd>0</kbd> all
        </p>
      )}
      <Player steps={steps} chosen={step} choose={choose} />
      <div class="tools">
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          ref={search}
          value={filter}
          placeholder="words, a tool, a kind"
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <select
          aria-label="Show"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value as Wanted)}
        >
          <option value="all">everything</option>
          <option value="problems">problems</option>
          {LANES.map((lane) => (
            <option key={lane} value={lane}>
              {lane}
            </option>
          ))}
        </select>
        <span class="quiet" role="status">
          {rows.length === 0
            ? 'Nothing matches.'
            : `${counted(rows.length, 'step')}, ${counted(model.rows.length, 'entry', 'entries')}`}
        </span>
        <span class="keys quiet">
          <kbd>?</kbd> shows the keys
        </span>
      </div>
      <div class={step === undefined ? 'split' : 'split open'}>
        <VirtualList label="Entries" rows={rows} height={HEIGHT} chosen={at} keyOf={({ seq }) => seq}>
          {(each, isChosen) => (
            <StepLine
              step={each}
              isChosen={isChosen}
              isDamaged={bad.has(each.seq) || each.parts.some(({ seq }) => bad.has(seq))}
              choose={choose}
            />
          )}
        </VirtualList>
        {step !== undefined && (
          <Detail
            step={step}
            chosen={chosen}
            bySeq={bySeq}
            claim={claims.find(({ seq }) => seq === step.seq)}
            branch={step.agent === null ? 0 : branchesOf(steps).indexOf(step.agent) + 1}
            shown={shown}
            absent={absent}
            choose={choose}
            damaged={bad}
          />
        )}
      </div>
    </section>
  );
}

/** The list, where most of it is out of sight: a key that moves something which nobody sees seems to do nothing. */
function bringIntoView(): void {
  const split = document.querySelector('.split');
  const top = split?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 2) split?.scrollIntoView({ block: 'center' });
}

function filtered(steps: readonly Step[], filter: string, wanted: Wanted): readonly Step[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 && wanted === 'all') return steps;
  return steps.filter(({ row, parts, title, text, outcome, lane, tone }) => {
    if (wanted === 'problems' ? tone !== 'bad' && tone !== 'doubt' : wanted !== 'all' && lane !== wanted)
      return false;
    const kinds = [row, ...parts].map(({ entry }) => entry.kind).join(' ');
    const whole = `${kinds} ${lane} ${title} ${text} ${outcome}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}

interface LineProps {
  readonly step: Step;
  readonly isChosen: boolean;
  readonly isDamaged: boolean;
  readonly choose: (seq: number) => void;
}

/** How long is said where it was long enough to be waited for. */
const LONG = 1000;

function StepLine({ step, isChosen, isDamaged, choose }: LineProps) {
  const { seq, lane, title, text, outcome, tone, agent, from, to, permission } = step;
  return (
    <button
      type="button"
      class={`row ${isDamaged ? 'bad damaged' : tone} ${isChosen ? 'chosen' : ''}`}
      aria-current={isChosen}
      onClick={() => choose(seq)}
    >
      <span class="time">{clock(from)}</span>
      <span class={`lane ${lane}`}>{agent === null ? lane : `↳ ${lane}`}</span>
      <span class="title">{brief(title)}</span>
      <span class="text">{isDamaged ? 'This entry was changed after it was recorded.' : visible(text)}</span>
      <span class="outcome">
        {permission !== null && <span class="badge doubt">{brief(permission.state, 20)}</span>}{' '}
        {visible(outcome)}
        {outcome === '' && to - from >= LONG && lasted(to - from)}
      </span>
      <span class="seq">{seq}</span>
    </button>
  );
}
