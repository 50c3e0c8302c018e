// Characters that look like others or like nothing. A claim is read as a person sees it: without what has no width, with
// a Cyrillic о as an o. Where each character came from is kept, so that a quote is cut from the message itself.

export interface Readable {
  readonly text: string;
  /** Where in the message the character at `at` of the text is. */
  readonly origin: (at: number) => number;
}

/** Nothing is seen of them: formats, joiners, marks above, and fillers that are letters by name. */
const HIDDEN = /[\p{Cf}\p{Mn}\u115f\u1160\u3164\uffa0]/u;
const SPACES = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  (
    [
      // Cyrillic, Greek, Armenian and Latin letters beyond ASCII that are drawn as ASCII ones are.
      ['авсԁеһіјӏкмпоԛрѕтуѵԝхь', 'abcdehijlkmnoqpstyvwxb'],
      ['АВСЕНІЈКМОРЅТУХԜԌ', 'ABCEHIJKMOPSTYXWG'],
      ['ανγιοκρτυχε', 'avyiokptuxe'],
      ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
      ['օսոհցյ', 'ounhgj'],
      ['ıɑɡⅼⅽⅾⅿ', 'iaglcdm'],
    ] as const
  ).flatMap(([odd, plain]) => [...odd].map((char, i) => [char, plain[i] ?? char] as const)),
);
/** Letters and figures in another dress: full width, mathematical, in circles. */
const DRESSED = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u24b6-\u24e9]/u;
const ODD = /[^\t\n\r -~]/;

export function readable(message: string): Readable {
  const same = { text: message, origin: (at: number) => at };
  if (!ODD.test(message)) return same;
  const parts: string[] = [];
  const origins: number[] = [];
  let at = 0;
  for (const char of message) {
    const plain = ODD.test(char) ? plainOf(char) : char;
    for (let i = 0; i < plain.length; i++) origins.push(at + Math.min(i, char.length - 1));
    parts.push(plain);
    at += char.length;
  }
  const text = parts.join('');
  return text === message ? same : { text, origin: (at) => origins[at] ?? message.length };
}

function plainOf(char: string): string {
  if (HIDDEN.test(char)) return '';
  if (SPACES.test(char)) return ' ';
  const alike = LOOKALIKES.get(char);
  if (alike !== undefined) return alike;
  return DRESSED.test(char) ? char.normalize('NFKC') : char;
}
