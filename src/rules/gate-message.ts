// What the gate tells the agent, and the person in observe mode: what was claimed, what is missing and why, what to run,
// and the honest way out. Short, in the order in which it is needed, without reproach: an agent acts on what it reads,
// and knows none of our names.
import { isSettled, type JudgedClaim, type Judgement, leadingClaim } from './judge.ts';
import { VALIDATORS } from './validators/index.ts';

const MAX_MESSAGE = 1200;
const MAX_SHOWN = 3;
const MAX_QUOTED = 2;
const MAX_QUOTE = 120;
const MAX_REASON = 300;
const MAX_WARNING = 280;
const MAX_COMMAND = 256;

/** The service's socket, in a ledger that the agent's user can't read: there it alone can be asked. Null where it can. */
type Socket = string | null;

/** For the agent whose turn does not end yet. Empty where every claim is settled. */
export function gateMessage(judgement: Judgement, socket: Socket = null): string {
  const open = judgement.claims.filter((judged) => !isSettled(judged));
  if (open.length === 0) return '';
  const groups = grouped(open, leadingClaim(judgement));
  const named = new Set<string>();
  const shown = groups.slice(0, MAX_SHOWN).map((group, i) => section(group, i + 1, named, socket));
  const rest = groups.slice(MAX_SHOWN).reduce((sum, group) => sum + group.length, 0);
  const end = [ending(open), ...(socket === null ? byHand(groups) : [])].join('\n');
  const message = [headline(open.length, judgement.claims.length), ...shown];
  if (rest > 0) message.push(`… and ${rest} more.`);
  return `${clip(message.join('\n'), MAX_MESSAGE - end.length - 1)}\n${end}`;
}

function headline(open: number, all: number): string {
  const some = `${open} of ${all} claims in your message ${open === 1 ? 'is' : 'are'} not backed`;
  const none =
    all === 1
      ? 'the claim in your message is not backed'
      : `none of the ${all} claims in your message is backed`;
  return `Not finished yet: ${open === all ? none : some} by what is on record.`;
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
    // Of two things that were shipped, each has its own command.
    const key = `${judged.code} ${judged.reason} ${judged.claim.type === 'shipped' ? commandOf(judged) : ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [judged]);
    else group.push(judged);
  }
  return [...groups.values()];
}

/** `named`: the commands of the sections before it. */
function section(group: readonly JudgedClaim[], number: number, named: Set<string>, socket: Socket): string {
  const [first] = group;
  if (first === undefined) return '';
  const more = group.length - MAX_QUOTED;
  const quotes = `${group.slice(0, MAX_QUOTED).map(quoted).join(', ')}${more > 0 ? ` (and ${more} more)` : ''}`;
  const lines = [`${number}. ${quotes}`, `   ${clip(plain(first.reason), MAX_REASON)}`];
  const command = group.map((each) => commandOf(each, socket)).find((line) => line !== null);
  if (command === undefined || command === null) {
    const step = withoutCommand(first);
    if (step !== '') lines.push(`   ${step}`);
  } else if (named.has(command))
    lines.push(
      `   The same command ${first.claim.type === 'delegation' ? 'is one of them' : 'settles this'}.`,
    );
  else {
    named.add(command);
    const isBroken = first.status === 'failed' && first.claim.type !== 'shipped';
    lines.push(`   ${isBroken ? 'Fix it, then run' : 'Run'}: ${clip(plain(command), MAX_COMMAND)}`);
  }
  return lines.join('\n');
}

/** What the policy accepts: where a report is not enough, or the host tells no exit codes, a run of our own. */
export function commandOf(
  { claim, status, code, grade, suggestion }: JudgedClaim,
  socket: Socket = null,
): string | null {
  const isRepeatable = suggestion?.validator === 'test_pass' || suggestion?.validator === 'command_zero_exit';
  // Nothing that is run makes a change, or a test as strict as it was.
  const isOfCode = status === 'weakened' || code === 'no-change';
  const wantsOwn =
    isRepeatable &&
    !isOfCode &&
    claim.type !== 'shipped' &&
    (grade !== 'reported' || code === 'unknown-exit');
  const own = `foil validate --execute --claim ${claim.type}${socket === null ? '' : ` --socket ${socket}`}`;
  return wantsOwn ? own : (suggestion?.command ?? null);
}

/** What to do where no command is known that would settle it. */
function withoutCommand({ claim, status, code, suggestion }: JudgedClaim): string {
  // These reasons say themselves what is to be done.
  if (status === 'weakened' || code === 'no-validator') return '';
  switch (claim.type) {
    case 'tested':
      return code === 'fewer-passed'
        ? 'Say how many passed, or run the rest.'
        : 'Run the tests, or say that it was not tested.';
    case 'checked':
      if (code === 'no-change') return 'Make the change, or say that it was not made.';
      return status === 'failed'
        ? 'Fix it and check it again, or say that it fails.'
        : 'Run a command that shows it, or say that it was not checked.';
    case 'shipped':
      return status === 'failed'
        ? 'Find out why, or say that it failed.'
        : 'Run the command that does it, or say that it was not done.';
    case 'done':
      if (code === 'no-change') return 'Make the change, or say that nothing was changed.';
      return suggestion?.validator === 'http_2xx'
        ? 'Request the page that shows it, or say that it was not tested.'
        : 'Run a command to show that it works, or say that it was not tested.';
    case 'changed':
      return 'Make the change, or say that it was not made.';
    case 'blocked':
      return code === 'not-tried'
        ? 'Try that first.'
        : 'Continue with it, or say what else stands in the way.';
    case 'delegation':
      // What is to be tried is in the reason.
      return code === 'was-had' ? 'Continue with it, or say what else is missing.' : '';
  }
}

/** What can be done about a claim besides settling it, in a sentence. */
export function wayOut(judged: JudgedClaim): string {
  return ending([judged]).replace(/^Then (\w)/, (_, first: string) => first.toUpperCase());
}

function ending(open: readonly JudgedClaim[]): string {
  const stuck = open.every(({ claim }) => claim.type === 'blocked' || claim.type === 'delegation');
  if (stuck) return 'Then say what came of it, or what you can do without it.';
  const excusable = open.every(({ claim }) => claim.type === 'done' || claim.type === 'changed');
  const again = open.some((judged) => commandOf(judged) !== null)
    ? '. What you run is checked automatically'
    : '';
  const honestly = excusable ? 'say' : 'take the claim back and say';
  // Who saw it fail has nothing left to verify.
  const isBroken = open.some(({ status }) => status === 'failed');
  const what = isBroken ? 'what still fails' : 'what is not verified: "Not verified: …"';
  return `Then finish again${again}. Or ${honestly} ${what}.`;
}

/** The first question that can be put by hand, to `foil validate` or the tool of that name, with all its arguments. */
function byHand(groups: readonly (readonly JudgedClaim[])[]): string[] {
  const [line] = groups.flat().flatMap(questionOf);
  return line === undefined ? [] : [`To ask for this check by hand: ${plain(line)}`];
}

function questionOf({ claim, suggestion, grade }: JudgedClaim): string[] {
  // Where the policy wants more than a report, it would be refused.
  if (suggestion === null || grade !== 'reported') return [];
  const { validator, args } = suggestion;
  const given = JSON.stringify(args).replaceAll("'", "'\\''");
  const text = `foil validate --claim ${claim.type} --validator ${validator} --args '${given}'`;
  const isOpen = VALIDATORS[validator].needs.some((name) => args[name] === undefined);
  return isOpen || given.includes('…') || text.length > MAX_COMMAND ? [] : [text];
}

/** The words without their marks: bold, headings, bullets, and the bars of a table. Code stays as it is. */
function quoted({ claim }: JudgedClaim): string {
  const words = plain(claim.quote)
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll('**', '').replace(/ *\| */g, ': ')))
    .join('')
    .replace(/^(?:[-*#>:]+ )+|[\s:]+$/g, '');
  return `"${clip(words, MAX_QUOTE)}"`;
}

/** In one line, without what a terminal would act on. */
function plain(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
}

/** At the end of a word, where there is one near. */
function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const space = cut.search(/[\s,;:]+[^\s,;:]{0,40}$/);
  return `${(space > length / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}
