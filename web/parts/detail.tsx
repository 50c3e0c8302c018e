// One step in full: what was called and what came of it, what it answers and what answered it, and content where that is
// shown. A link that the host named and one that the recorder inferred look different.
import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import { asContentRef } from '../../src/format/index.ts';
import { type ClaimRow, contentText, isEncrypted, type Row, type Shown } from '../model/session.ts';
import { linkBetween, type Step } from '../model/steps.ts';
import { statusWords } from './claims.tsx';
import { brief, counted, lasted, moment, visible } from './words.ts';

interface Props {
  readonly step: Step;
  /** The entry of it that was asked for. */
  readonly chosen: number | null;
  readonly bySeq: ReadonlyMap<number, Row>;
  /** What was judged of it, where it is a claim. */
  readonly claim: ClaimRow | undefined;
  /** The number of the subagent that did it; 0 for the session itself. */
  readonly branch: number;
  readonly shown: Shown;
  readonly absent: string;
  readonly damaged: ReadonlySet<number>;
  readonly choose: (seq: number | null) => void;
}

const MOST_TEXT = 20_000;
const MOST_ANSWERS = 20;
/** More are folded. */
const FEW_ANSWERS = 3;

export function Detail({ step, chosen, bySeq, claim, branch, shown, absent, damaged, choose }: Props) {
  const { row, parts, permission } = step;
  const own = new Set([row.seq, ...parts.map(({ seq }) => seq)]);
  const answers = [row, ...parts].flatMap((each) => each.answers).filter((seq) => !own.has(seq));
  const cause = row.entry.cause === null ? undefined : bySeq.get(row.entry.cause);
  return (
    <aside class="detail" aria-label={`Entry ${chosen ?? row.seq}`}>
      <header>
        <h3>
          {brief(step.title)} <span class="quiet">entry {[...own].join(', ')}</span>
        </h3>
        <button type="button" onClick={() => choose(null)} aria-label="Close">
          ×
        </button>
      </header>
      <p class="quiet">
        {moment(row.entry.ts)}
        {step.to > step.from && `, took ${lasted(step.to - step.from)}`}, recorded by{' '}
        {visible(sourceWords(row.entry.source))}
        {branch > 0 && `, in agent ${branch}`}
      </p>
      {row.entry.kind === 'gate' && <p>The gate {visible(step.text)}.</p>}
      {claim !== undefined && (
        <p>
          <span class={`badge ${claim.tone}`}>{statusWords(claim.status)}</span>{' '}
          {claim.reason !== null && brief(claim.reason, 600)}{' '}
          <button type="button" class="link" onClick={() => choose(claim.gate)}>
            The gate judged it in entry {claim.gate}.
          </button>
        </p>
      )}
      {permission !== null && (
        <p class="badge doubt">
          Permission {brief(permission.state, 40)}
          {permission.milliseconds !== null && ` after ${lasted(permission.milliseconds)}`}
        </p>
      )}
      {row.entry.cause !== null && (
        <p class="quiet">
          Answers <Link seq={row.entry.cause} row={cause} from={row} choose={choose} />
        </p>
      )}
      {[row, ...parts].map((each) => (
        <EntryPart
          key={each.seq}
          row={each}
          call={row}
          shown={shown}
          absent={absent}
          isDamaged={damaged.has(each.seq)}
        />
      ))}
      {answers.length > 0 && (
        <details class="quiet" open={answers.length <= FEW_ANSWERS}>
          <summary>Answered by {counted(answers.length, 'entry', 'entries')}</summary>
          {answers.slice(0, MOST_ANSWERS).map((seq) => (
            <Link key={seq} seq={seq} row={bySeq.get(seq)} from={row} isBack choose={choose} />
          ))}
          {answers.length > MOST_ANSWERS && `and ${answers.length - MOST_ANSWERS} more`}
        </details>
      )}
    </aside>
  );
}

interface LinkProps {
  readonly seq: number;
  /** Undefined where the session doesn't have it. */
  readonly row: Row | undefined;
  readonly from: Row;
  /** It names `from`, and not the other way round. */
  readonly isBack?: boolean;
  readonly choose: (seq: number) => void;
}

function Link({ seq, row, from, isBack = false, choose }: LinkProps) {
  const how = row === undefined ? 'recorded' : isBack ? linkBetween(row, from) : linkBetween(from, row);
  return (
    <button
      type="button"
      class={`link ${how}`}
      title={how === 'recorded' ? 'The recorded id says so.' : 'Inferred from the order: no id says so.'}
      onClick={() => choose(seq)}
    >
      {row === undefined ? '' : `${brief(row.title, 40)}, `}entry {seq}
      {how === 'inferred' && ' (inferred)'}
    </button>
  );
}

interface PartProps {
  readonly row: Row;
  /** What the step began with. */
  readonly call: Row;
  readonly shown: Shown;
  readonly absent: string;
  readonly isDamaged: boolean;
}

function EntryPart({ row, call, shown, absent, isDamaged }: PartProps) {
  const { entry, seq, title, text, tone } = row;
  const contents = Object.entries(entry.payload).filter(([, value]) => asContentRef(value) !== undefined);
  return (
    <div class="part">
      {row !== call && (
        <h4>
          {brief(title)} <span class={`badge ${tone}`}>{brief(text, 120) || brief(entry.kind, 60)}</span>{' '}
          {linkBetween(row, call) === 'inferred' && (
            <span class="quiet" title="No id says which call this belongs to.">
              (inferred)
            </span>
          )}
        </h4>
      )}
      {isDamaged && <p class="badge bad">This entry was changed after it was recorded.</p>}
      {contents.map(([name, value]) => (
        <Content key={name} name={name} value={value} shown={shown} absent={absent} />
      ))}
      <details>
        <summary>As recorded, entry {seq}</summary>
        <pre>{brief(JSON.stringify(withoutNulls(entry.payload), null, 2), MOST_TEXT)}</pre>
        <p class="hash">
          hash <code>{entry.entry_hash}</code>
        </p>
      </details>
    </div>
  );
}

function Content({
  name,
  value,
  shown,
  absent,
}: {
  readonly name: string;
  readonly value: Json;
  readonly shown: Shown;
  readonly absent: string;
}) {
  const text = contentText(value, shown);
  const pretty = text === null ? null : prettied(text);
  return (
    <div class="content">
      <h4>{Object.hasOwn(NAMES, name) ? NAMES[name] : brief(name)}</h4>
      {pretty === null ? (
        <p class="quiet">
          It is {isEncrypted(value, shown) ? 'kept encrypted' : absent}. The entry still has its hash.
        </p>
      ) : (
        <pre>
          {visible(pretty.slice(0, MOST_TEXT))}
          {pretty.length > MOST_TEXT && `\n… ${pretty.length - MOST_TEXT} more characters`}
        </pre>
      )}
    </div>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  args: 'Arguments',
  output: 'Output',
  text: 'Text',
  quote: 'Words',
  objective: 'Prompt',
  keywords: 'Words of the prompt',
  details: 'Details',
};

function sourceWords(source: string): string {
  return source.startsWith('hook:') ? `the hook of ${source.slice(5)}` : source;
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
    ? `(${member.content_bytes} bytes; the ledger keeps only their hash)`
    : JSON.stringify(member);
}

function withoutNulls(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
}
