// Text in a command line that looks like a check and is none: a report that echo, printf, cat or a here-document prints. A
// line that prints a report by itself makes its whole output worthless.
import { each, own } from '../ecosystems/index.ts';

/** Lines of reports, with numbers: what a runner prints, and what nobody says in passing. */
const REPORTS: readonly RegExp[] = [
  /\b\d{1,6} (?:tests? )?(?:passed|passing)\b/i,
  /\bTests:?\s+\d{1,6}\b/,
  /\bTests run: ?\d/,
  /\btest result: ok/,
  /\bRan \d{1,6} tests?\b/,
  /\bOK \(\d{1,6} tests?/,
  /\b\d{1,6} (?:examples?|runs|tests), \d{1,6} (?:failures?|assertions?)/,
  /(?:^|\s)ok\s+\S{1,200}\s+[\d.]{1,10}s/,
  /(?:^|\s)(?:#|ℹ) (?:pass|tests) \d/,
  /\bPassed! /,
  /\bExecuted \d{1,6} tests?/,
  /\b100% tests passed/,
  /\b\d{1,6}\/\d{1,6} tests? (?:pass|ok)/i,
  /--- PASS: /,
  /\bBUILD SUCCESS(?:FUL)?\b/,
  /\bAll tests successful\b/,
  /\bResult: PASS\b/,
  /\b\d{1,6} results? as expected\b/,
  /\b\d{1,6} (?:tests?|specs?|cases?|checks?|scenarios?),? \d{1,6} (?:ok|passed|succeeded|failed|errors?)\b/i,
  /\b(?:passed|pass|ok)[:=]\s{0,8}\d{1,6}\b/i,
  /\b\d{1,6}\/\d{1,6} (?:passed|ok)\b/i,
  // With the number put in by the shell or by printf.
  /(?:%[sdi]|\$\{?\w{1,32}\}?|\)) (?:tests? )?(?:passed|passing)\b/i,
];

export function printsReport(text: string): boolean {
  const plain = text.replaceAll('\\t', '\t').replaceAll('\\n', '\n');
  return REPORTS.some((report) => report.test(plain));
}

/** It says that tests passed, without a number; a runner nobody knows may say no more itself. */
export function saysPassed(text: string): boolean {
  const words = text.trim().split(/\s+/, 8);
  return words.length > 2 && /pass|succe|\[ok\]|\bok\b|\bfailed\b/i.test(text);
}

const DECODES: Readonly<Record<string, RegExp>> = {
  ...each('base64 base32 openssl', () => /^(?:-[dD]|--decode)$/),
  xxd: /^-[a-z]*r/,
};

/** Programs that turn what nobody can read into text. */
export function decodes(words: readonly string[]): boolean {
  const [name = '', ...args] = words;
  const options = own(DECODES, name);
  if (options !== undefined) return args.some((arg) => options.test(arg));
  if (name === 'rev' || name === 'uudecode') return true;
  return /^(?:printf|echo)$/.test(name) && /\\(?:x[0-9a-f]{2}|[0-7]{3}|u[0-9a-f]{4})/i.test(args.join(' '));
}
