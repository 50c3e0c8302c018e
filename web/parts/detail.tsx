// One entry in full: what it says, what it answers and what answered it, and its content where that is shown.
import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import { asContentRef } from '../../src/format/index.ts';
import { contentText, type Row, type Shown } from '../model/session.ts';
import { brief, moment, visible } from './words.ts';

interface Props {
  readonly row: Row;
  readonly shown: Shown;
  readonly isDamaged: boolean;
  readonly choose: (seq: number | null) => void;
}

const MOST_TEXT = 20_000;

export function Detail({ row, shown, isDamaged, choose }: Props) {
  const { entry, title, answers } = row;
  const contents = Object.entries(entry.payload).filter(([, value]) => asContentRef(value) !== undefined);
  return (
    <aside class="detail" aria-label={`Entry ${row.seq}`}>
      <header>
        <h3>
          {brief(title)} <span class="quiet">entry {row.seq}</span>
        </h3>
        <button type="button" onClick={() => choose(null)} aria-label="Close">
          ×
        </button>
      </header>
      {isDamaged && <p class="badge bad">This entry was changed after it was recorded.</p>}
      <p class="quiet">
        {moment(entry.ts)}, told by {visible(entry.source)}
        {entry.cause !== null && (
          <>
            , answers{' '}
            <button type="button" class="link" onClick={() => choose(entry.cause)}>
              entry {entry.cause}
            </button>
          </>
        )}
      </p>
      {answers.length > 0 && (
        <p class="quiet">
          Answered by{' '}
          {answers.slice(0, 20).map((seq) => (
            <button type="button" class="link" key={seq} onClick={() => choose(seq)}>
              entry {seq}
            </button>
          ))}
        </p>
      )}
      {contents.map(([name, value]) => (
        <Content key={name} name={name} value={value} shown={shown} />
      ))}
      <details>
        <summary>As recorded</summary>
        <pre>{brief(JSON.stringify(withoutContent(entry.payload), null, 2), MOST_TEXT)}</pre>
        <p class="hash">
          hash <code>{entry.entry_hash}</code>
        </p>
      </details>
    </aside>
  );
}

function Content({
  name,
  value,
  shown,
}: {
  readonly name: string;
  readonly value: Json;
  readonly shown: Shown;
}) {
  const text = contentText(value, shown);
  const pretty = text === null ? null : prettied(text);
  return (
    <div class="content">
      <h4>{brief(name)}</h4>
      {pretty === null ? (
        <p class="quiet">Not shown in this file. The entry commits to it by its hash.</p>
      ) : (
        <pre>
          {visible(pretty.slice(0, MOST_TEXT))}
          {pretty.length > MOST_TEXT && `\n… ${pretty.length - MOST_TEXT} more characters`}
        </pre>
      )}
    </div>
  );
}

function prettied(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  try {
    return pretty(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

/** The members of an object as `name: value`, texts as they are. */
function pretty(value: Json): string {
  if (!isObject(value)) return JSON.stringify(value, null, 2);
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${memberText(member)}`)
    .join('\n');
}

function memberText(member: Json): string {
  if (typeof member === 'string') return member;
  const isHashed = isObject(member) && typeof member.content_hash === 'string';
  return isHashed
    ? `(${member.content_bytes} bytes, of which the ledger keeps the hash alone)`
    : JSON.stringify(member);
}

function withoutContent(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
}
