// How often an address may show a wrong token. A token of 256 bits can't be guessed, so this is for one that leaked in
// part, and to keep a log readable. An address that went too far is turned away for the rest of its minute, before its
// token is looked at. Addresses are counted in bounded memory.

const WINDOW = 60_000;
export const MOST_WRONG = 20;
const MOST_ADDRESSES = 10_000;

export class WrongTokens {
  readonly #seen = new Map<string, { since: number; count: number }>();

  /** Seconds until the address may ask again; 0 where it may. */
  waitFor(address: string, now: number): number {
    const seen = this.#seen.get(networkOf(address));
    if (seen === undefined || seen.count < MOST_WRONG) return 0;
    return Math.max(0, Math.ceil((seen.since + WINDOW - now) / 1000));
  }

  add(address: string, now: number): void {
    const key = networkOf(address);
    const seen = this.#seen.get(key);
    this.#seen.delete(key);
    const isOver = seen === undefined || now - seen.since >= WINDOW;
    this.#seen.set(key, isOver ? { since: now, count: 1 } : { since: seen.since, count: seen.count + 1 });
    // The one that was quiet for the longest time.
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_ADDRESSES && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** Whoever has one address of IPv6 has 2^64 of them. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ?? '').split(':')];
  return all.slice(0, 4).join(':');
}
