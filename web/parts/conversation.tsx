// What was asked and what was answered, in the words that are shown.
import type { Row, SessionModel, Shown } from '../model/session.ts';
import { contentText } from '../model/session.ts';
import { visible } from './words.ts';

interface Props {
  readonly model: SessionModel;
  readonly shown: Shown;
  readonly absent: string;
  readonly show: (seq: number) => void;
}

const MOST = 30;
const MOST_TEXT = 4000;

export function Conversation({ model, shown, absent, show }: Props) {
  const spoken = model.rows.filter(
    ({ entry, agent }) => agent === null && /^(?:prompt|response)$/.test(entry.kind),
  );
  if (spoken.length === 0) return null;
  return (
    <section aria-labelledby="conversation">
      <h2 id="conversation">Asked and answered</h2>
      {spoken.slice(0, MOST).map((row) => (
        <Spoken key={row.seq} row={row} shown={shown} absent={absent} show={show} />
      ))}
      {spoken.length > MOST && <p class="quiet">{spoken.length - MOST} more are in the list of entries.</p>}
    </section>
  );
}

function Spoken({
  row,
  shown,
  absent,
  show,
}: {
  readonly row: Row;
  readonly shown: Shown;
  readonly absent: string;
  readonly show: Props['show'];
}) {
  const { entry, seq } = row;
  const text = contentText(entry.payload.text, shown);
  return (
    <article class={`spoken ${entry.kind}`}>
      <header class="quiet">
        {entry.kind === 'prompt' ? 'Prompt' : 'Answer'}{' '}
        <button type="button" class="link" onClick={() => show(seq)}>
          entry {seq}
        </button>
      </header>
      {text === null ? (
        <p class="quiet">Its words are {absent}.</p>
      ) : (
        <p class="words">
          {visible(text.slice(0, MOST_TEXT))}
          {text.length > MOST_TEXT && ' …'}
        </p>
      )}
    </article>
  );
}
