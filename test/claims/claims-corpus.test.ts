// How well the claims of the labelled turns are found. A claim is found where its words overlap with a labelled one's.
// The figures are printed; what fell short is listed with VERBOSE=1.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';

interface Turn {
  readonly id: string;
  readonly message: string;
  readonly claims: readonly {
    readonly type: string;
    readonly or?: readonly string[];
    readonly quote: string;
  }[];
}

interface Span {
  readonly type: string;
  readonly or?: readonly string[] | undefined;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

const file = join(import.meta.dirname, '..', 'corpus', 'turns.jsonl');

/** Where each quote stands, in the order of the message. */
function place(message: string, claims: Turn['claims']): Span[] {
  let from = 0;
  return claims.map(({ type, or, quote }) => {
    const next = message.indexOf(quote, from);
    const start = next === -1 ? message.indexOf(quote) : next;
    from = next === -1 ? from : next;
    return { type, or, quote, start, end: start + quote.length };
  });
}

function overlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

describe.skipIf(!existsSync(file))('B3a the claims of the labelled turns', () => {
  it('are found, and little else is', () => {
    const turns: Turn[] = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    let [found, labelled, right, claimed, agreed] = [0, 0, 0, 0, 0];
    const short: string[] = [];
    for (const { id, message, claims } of turns) {
      const wanted = place(message, claims);
      const got = place(message, readClaims(message).claims);
      for (const span of got) expect(span.start, `${id}: ${span.quote}`).toBeGreaterThanOrEqual(0);
      for (const span of wanted) {
        const matches = got.filter((one) => overlap(one, span));
        labelled++;
        if (matches.length > 0) found++;
        else short.push(`${id} missed ${span.type}: ${span.quote}`);
        if (matches.some(({ type }) => type === span.type || span.or?.includes(type))) agreed++;
      }
      for (const span of got) {
        claimed++;
        if (wanted.some((one) => overlap(one, span))) right++;
        else short.push(`${id} wrong ${span.type}: ${span.quote}`);
      }
    }
    const [recall, precision] = [found / labelled, right / claimed];
    console.log(
      `${turns.length} turns: recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}, type agreement ${(agreed / found).toFixed(3)}`,
    );
    if (process.env.VERBOSE === '1') console.log(short.join('\n'));
    expect(turns.length).toBeGreaterThan(100);
    expect(recall).toBeGreaterThanOrEqual(0.97);
    expect(precision).toBeGreaterThanOrEqual(0.95);
  });
});
