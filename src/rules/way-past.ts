// A model is never told how to get past us. Reasons are often messages of errors, which were written for a person and end
// in advice; the sentences that name a command which changes the recording, or a variable that switches it off, are
// taken out of what a model reads. The person gets the whole of it, where the model does not read it.
import { OWN_COMMANDS } from './self-defence/own-command.ts';

const NAMED = new RegExp(
  `\\bfoil(?:\\.cjs)?\\s+(?:${Object.keys(OWN_COMMANDS).join('|')})\\b|\\bFOIL\\w*\\s*=|\\bFOIL=off\\b|[\u0060]kill \\d+|--accept-loss\\b|\\bcounterfoil\\.yaml\\b[^.]*\\b(?:edit|change)\\b`,
  'i',
);
/** Commands that only look are no way past: `foil auth list`. */
const LOOKS =
  /\bfoil\s+(?:auth|key|plan|session)\s+list\b|\bfoil\s+policy\s+(?:check|explain|suggest)\b|\bfoil\s+(?:crashes|overrides)\b(?!\s+ack)/gi;

const ASK = 'A person has to put this right.';

export function tellsWayPast(text: string): boolean {
  return NAMED.test(text.replace(LOOKS, ''));
}

/** What a model may read of it. */
export function withoutWayPast(text: string): string {
  if (!tellsWayPast(text)) return text;
  const kept = text
    .split('\n')
    .map(remainder)
    .filter((line) => line !== '')
    .join('\n');
  const whole = kept.trim();
  if (whole === '') return ASK;
  // What was left may end in these very words.
  const said = /A person has to put th(?:is|at) right\.?$/.test(whole);
  return said ? whole : `${whole.replace(/[^.!?:]$/, '$&.')} ${ASK}`;
}

/** The same for what a command prints: lines that tell a way past lose it, and all others stay as they are. */
export function withoutAdvice(text: string): string {
  if (!tellsWayPast(text)) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      if (!tellsWayPast(line)) return [line];
      const kept = remainder(line);
      return kept === '' ? [] : [kept];
    })
    .join('\n');
}

/** What is left of a line. A clause whose neighbour went is a sentence of its own. */
function remainder(line: string): string {
  const parts = sentences(line);
  const isGone = (at: number): boolean => tellsWayPast(parts[at] ?? '');
  return parts
    .map((part, at) => (isGone(at + 1) ? part.replace(/;$/, '.') : part))
    .map((part, at) => (isGone(at - 1) ? part.replace(/^\p{Ll}/u, (first) => first.toUpperCase()) : part))
    .filter((_, at) => !isGone(at))
    .join(' ');
}

function sentences(line: string): string[] {
  return line.split(/(?<=[.!?])\s+(?=[A-Z`"'])|(?<=;)\s+/).map((part) => part.trim());
}
