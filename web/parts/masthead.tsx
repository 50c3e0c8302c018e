// What the session was about, in the words of whoever began it, and the facts about it. The words stand in quotes: they are a
// text of others, and must not pass for the page's own.
import { type ClaimRow, contentText, type SessionModel, type Shown } from '../model/session.ts';
import { brief, counted, lasted, moment, short, thousands } from './words.ts';

type Fact = readonly [name: string, value: string, tone?: string];

interface Props {
  readonly model: SessionModel;
  /** As the check leaves them. */
  readonly claims: readonly ClaimRow[];
  readonly shown: Shown;
  /** Only some of its entries are here yet, so nothing is counted. */
  readonly isEarly: boolean;
}

export function Masthead({ model, claims, shown, isEarly }: Props) {
  const { counts } = model;
  const prompt = model.rows.find(({ entry, agent }) => entry.kind === 'prompt' && agent === null);
  const words = prompt === undefined ? null : contentText(prompt.entry.payload.text, shown);
  const proven = claims.filter(({ tone }) => tone === 'good').length;
  const sums: Fact[] = [
    ['Lasted', lasted(model.milliseconds)],
    ['Prompts', thousands(counts.prompts)],
    ['Tool calls', thousands(counts.calls)],
    ['Failed', thousands(counts.failed), counts.failed > 0 ? 'bad' : ''],
    ['Denied', thousands(counts.denied), counts.denied > 0 ? 'bad' : ''],
    ['Waited for a person', waitedFor(model)],
    [
      'Claims',
      claims.length === 0 ? 'none' : `${proven} of ${claims.length} proven`,
      claims.length > proven ? 'doubt' : '',
    ],
  ];
  const facts: readonly Fact[] = [
    ...(isEarly ? [] : sums),
    ['Mode', model.mode ?? 'unknown'],
    ['Session', short(model.id)],
  ];
  return (
    <header class="masthead">
      <p class="quiet kicker">
        {brief(model.agent, 60)}
        {model.models.length > 0 && ` · ${brief(model.models.join(', '), 80)}`} · {moment(model.started)}
        {model.workspace !== null && ` · ${brief(model.workspace, 120)}`}
      </p>
      <h1>
        {words === null || words.trim() === ''
          ? `A session of ${brief(model.agent, 60)}`
          : `“${brief(words.replace(/\s+/g, ' ').trim(), 140)}”`}
      </h1>
      <dl class="facts">
        {facts.map(([name, value, tone = '']) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={tone}>{brief(value)}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}

function waitedFor({ rows, steps, ended }: SessionModel): string {
  if (
    ended === null &&
    steps.some(({ permission, to, from }) => permission?.state === 'asked' && to === from)
  )
    return 'is waiting now';
  const waits = rows.flatMap(({ entry: { kind, payload } }) =>
    kind === 'approval' && typeof payload.waited_ms === 'number' ? payload.waited_ms : [],
  );
  if (waits.length === 0) return 'never';
  return `${lasted(waits.reduce((sum, each) => sum + each, 0))}, ${counted(waits.length, 'time')}`;
}
