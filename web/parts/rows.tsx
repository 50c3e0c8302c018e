// The entries: a timeline in lanes, a list that draws only what is in view, and one entry in full. The keys j, k, /, ?
// and Escape work wherever no text is being written.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row, SessionModel, Shown } from '../model/session.ts';
import { Detail } from './detail.tsx';
import { Timeline } from './timeline.tsx';
import { VirtualList } from './virtual-list.tsx';
import { brief, counted, visible } from './words.ts';

interface Props {
  readonly model: SessionModel;
  readonly shown: Shown;
  readonly damaged: readonly number[];
  readonly chosen: number | null;
  readonly choose: (seq: number | null) => void;
}

const HEIGHT = 34;

export function Rows({ model, shown, damaged, chosen, choose }: Props) {
  const [filter, setFilter] = useState('');
  const [helps, setHelps] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const rows = useMemo(() => filtered(model.rows, filter), [model, filter]);
  const at = rows.findIndex(({ seq }) => seq === chosen);
  // Keys may come faster than the page is drawn.
  const now = useRef(chosen);
  now.current = chosen;

  useEffect(() => {
    const goTo = (seq: number | null): void => {
      now.current = seq;
      choose(seq);
    };
    const goBy = (step: number): void => {
      const from = rows.findIndex(({ seq }) => seq === now.current);
      goTo(rows[Math.min(rows.length - 1, Math.max(0, from + step))]?.seq ?? null);
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
  }, [rows, choose]);

  const row = model.rows.find(({ seq }) => seq === chosen);
  return (
    <section aria-labelledby="entries">
      <h2 id="entries">What happened</h2>
      {helps && (
        <p class="help">
          <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>g</kbd> first, <kbd>G</kbd> last, <kbd>/</kbd>{' '}
          filter, <kbd>Esc</kbd> close, <kbd>?</kbd> this help
        </p>
      )}
      <Timeline rows={model.rows} chosen={chosen} choose={choose} />
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
        <span class="quiet" role="status">
          {rows.length === 0 ? 'Nothing matches.' : counted(rows.length, 'entry', 'entries')}
        </span>
        <span class="keys quiet">
          <kbd>?</kbd> shows the keys
        </span>
      </div>
      <div class={row === undefined ? 'split' : 'split open'}>
        <VirtualList label="Entries" rows={rows} height={HEIGHT} chosen={at} keyOf={({ seq }) => seq}>
          {(each, isChosen) => (
            <RowLine row={each} isChosen={isChosen} isDamaged={damaged.includes(each.seq)} choose={choose} />
          )}
        </VirtualList>
        {row !== undefined && (
          <Detail row={row} shown={shown} choose={choose} isDamaged={damaged.includes(row.seq)} />
        )}
      </div>
    </section>
  );
}

function filtered(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return rows;
  return rows.filter(({ entry, title, text, lane }) => {
    const whole = `${entry.kind} ${lane} ${title} ${text}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}

interface LineProps {
  readonly row: Row;
  readonly isChosen: boolean;
  readonly isDamaged: boolean;
  readonly choose: (seq: number) => void;
}

function RowLine({ row, isChosen, isDamaged, choose }: LineProps) {
  const { seq, lane, title, text, tone, agent } = row;
  return (
    <button
      type="button"
      class={`row ${isDamaged ? 'bad damaged' : tone} ${isChosen ? 'chosen' : ''}`}
      aria-current={isChosen}
      onClick={() => choose(seq)}
    >
      <span class="seq">{seq}</span>
      <span class={`lane ${lane}`}>{agent === null ? lane : `${lane} ↳`}</span>
      <span class="title">{brief(title)}</span>
      <span class="text">{isDamaged ? 'This entry was changed after it was recorded.' : visible(text)}</span>
    </button>
  );
}
