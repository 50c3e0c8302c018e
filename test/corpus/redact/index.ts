// The corpus for redaction: secrets that must go, in the places where agents meet them, and near misses that must stay
// as they are to the byte. Built when asked for; nothing here is a token until then.
import { named } from './named.ts';
import { nearMisses } from './near-misses.ts';
import { restart } from './pieces.ts';
import { type Token, tokens } from './tokens.ts';

export { type Token, tokens } from './tokens.ts';
export { nearMisses };

export interface Planted {
  readonly id: string;
  /** Must be found nowhere afterwards. */
  readonly secret: string;
  readonly text: string;
}

/** Where a token shows up, and how. */
const PLACES: readonly [string, (secret: string) => string][] = [
  ['alone', (secret) => secret],
  ['in a sentence', (secret) => `the deploy uses ${secret} since Monday`],
  ['in a shell word', (secret) => `tool login --with '${secret}' && echo done`],
  ['in a log', (secret) => `2026-01-02T03:04:05Z [debug] sent ${secret}, got 200\n`],
  ['in JSON', (secret) => JSON.stringify({ note: `x ${secret}`, n: 1 })],
  ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ list: [`\n${secret}`] }))],
  ['behind an escaped line end', (secret) => `first\\n${secret}\\nlast`],
  ['in an address', (secret) => `https://api.example.com/v1/x%3D${secret}`],
  ['in colour', (secret) => `\u001b[32m${secret}\u001b[0m`],
  ['in source', (secret) => `const client = new Client("${secret}", { retries: 3 });`],
  ['in a list', (secret) => `- one\n- ${secret}\n- two\n`],
];

/** A key over several lines does not fit on one: there, its line ends are escaped. */
function fits(place: string, { rule }: Token): boolean {
  if (rule === 'private-key') return !/escaped|address/.test(place);
  // Long base64 is told from a path only where it stands alone.
  if (rule === 'base64') return !/address|in JSON in JSON|escaped/.test(place);
  // Without a prefix, the letters of an escape run into the word.
  if (/^(?:mailchimp-key|mailgun-key|discord-token|telegram-token)$/.test(rule))
    return !/address|colour/.test(place);
  return true;
}

/** Part of the secret that must be gone: of a key over several lines, one of its lines. */
function core({ rule, secret }: Token): string {
  return rule === 'private-key' ? (secret.split('\n')[1] ?? secret) : secret;
}

export function plantedSecrets(): Planted[] {
  restart();
  const placed = tokens().flatMap((token) =>
    PLACES.filter(([place]) => fits(place, token)).map(([place, put]) => ({
      id: `${token.rule} ${token.secret.slice(0, 6)} ${place}`,
      secret: core(token),
      text: put(token.secret),
    })),
  );
  return [...placed, ...named()];
}

/** Near misses in the places where secrets are planted. */
export function nearMissesInPlace(): string[] {
  return nearMisses().flatMap((text) => PLACES.map(([, put]) => put(text)));
}
