// What the gate tells the agent, and the person in observe mode: what was claimed, what is missing and why, what to run,
// and the honest way out. Short, in the order in which it is needed, without reproach: an agent acts on what it reads.
import { isSettled, type JudgedClaim, type Judgement, leadingClaim } from './judge.ts';

const MAX_MESSAGE = 1200;
const MAX_SHOWN = 3;
const MAX_QUOTE = 100;
const MAX_REASON = 260;
const MAX_WARNING = 280;

/** For the agent whose turn does not end yet. Empty where every claim is settled. */
export function gateMessage(judgement: Judgement): string {
  const open = judgement.claims.filter((judged) => !isSettled(judged));
  if (open.length === 0) return '';
  const groups = grouped(open, leadingClaim(judgement));
  const shown = groups.slice(0, MAX_SHOWN).map((group, i) => section(group, i + 1));
  const rest = groups.slice(MAX_SHOWN).reduce((sum, group) => sum + group.length, 0);
  const end = ending(open);
  const message = [
    `Not finished yet: ${open.length} of ${judgement.claims.length} claims in your message ${open.length === 1 ? 'is' : 'are'} not backed by what is on record.`,
    ...shown,
    ...(rest > 0 ? [`… and ${rest} more.`] : []),
  ].join('\n');
  return `${clip(message, MAX_MESSAGE - end.length - 1)}\n${end}`;
}

/** For a person, in one line; empty where every claim is settled. `seq` is the entry of the leading claim. */
export function gateWarning(judgement: Judgement, seq: number | null = null): string {
  const leading = leadingClaim(judgement);
  if (leading === null) return '';
  const more = judgement.claims.filter((judged) => !isSettled(judged)).length - 1;
  const tail = `${more > 0 ? ` (and ${more} more)` : ''}${seq === null ? '' : ` See: foil why ${seq}`}`;
  return `${clip(`Not backed: ${quoted(leading)}: ${plain(leading.reason)}`, MAX_WARNING - tail.length)}${tail}`;
}

/** Claims that want for the same thing, the strongest claim's first. */
function grouped(open: readonly JudgedClaim[], leading: JudgedClaim | null): JudgedClaim[][] {
  const groups = new Map<string, JudgedClaim[]>();
  for (const judged of leading === null ? open : [leading, ...open.filter((each) => each !== leading)]) {
    const key = `${judged.code} ${judged.reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [judged]);
    else group.push(judged);
  }
  return [...groups.values()];
}

function section(group: readonly JudgedClaim[], number: number): string {
  const [first] = group;
  if (first === undefined) return '';
  const { suggestion, code, reason } = first;
  const others = group.length > 1 ? ` (and ${group.length - 1} more)` : '';
  const lines = [`${number}. ${quoted(first)}${others}`, `   ${clip(plain(reason), MAX_REASON)} [${code}]`];
  const command = group.find((each) => each.suggestion?.command != null)?.suggestion?.command;
  if (command != null) lines.push(`   Run: ${clip(plain(command), 256)}`);
  if (suggestion !== null)
    lines.push(`   Settled by: ${suggestion.validator} ${clip(JSON.stringify(suggestion.args), 160)}`);
  return lines.join('\n');
}

/** What can be done about a claim besides settling it, in a sentence. */
export function wayOut(judged: JudgedClaim): string {
  return ending([judged]);
}

function ending(open: readonly JudgedClaim[]): string {
  const stuck = open.every(({ claim }) => claim.type === 'blocked' || claim.type === 'delegation');
  if (stuck) return 'Try what is named, and say what came of it; or say what you can do without it.';
  const excusable = open.every(({ claim }) => claim.type === 'done' || claim.type === 'changed');
  return excusable
    ? 'Do that and finish: what you run is checked by itself. Or say what is not verified: "Not verified: …".'
    : 'Do that and finish: what you run is checked by itself. Or take the claim back and say what is not verified: "Not verified: …".';
}

function quoted({ claim }: JudgedClaim): string {
  return `"${clip(plain(claim.quote), MAX_QUOTE)}"`;
}

/** In one line, without what a terminal would act on. */
function plain(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
