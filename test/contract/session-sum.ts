// What the end of a session says of the entries before it, on every store: whatever others append meanwhile, it is that of
// the log at the very place.
import { describe, expect, it } from 'vitest';
import {
  type Entry,
  encodeSessionSum,
  type Head,
  parseEndSum,
  parseSessionSum,
} from '../../src/format/index.ts';
import { encodeBlock, type Store } from '../../src/ledger/index.ts';
import {
  appendWithSum,
  beginEntries,
  encodeEnding,
  SessionTallies,
  SessionTally,
  type SumOptions,
} from '../../src/session/index.ts';
import { TS } from '../read-log.ts';
import { merkleRoot } from '../verify/make-sessions.ts';

const NOW = Date.parse(TS);
const START = {
  agent: 'test',
  agentSession: null,
  workspaceRoot: null,
  trigger: 'test',
  resumes: null,
  pack: null,
  interaction: 'sdk',
  interactionKind: 'response',
  mode: 'guard',
  content: 'none',
  hashes: 'salted',
  redaction: 'none',
  configHash: null,
  transcript: null,
  hostProcess: null,
} as const;

export interface Begun {
  readonly session: string;
  readonly first: number;
}

export async function begin(store: Store): Promise<Begun> {
  let begun = { session: '', first: 0 };
  await store.append((head) => {
    const options = { source: 'sdk', start: START, bound: { block: null, branch: null }, shared: undefined };
    const { session, drafts } = beginEntries(head, { ...options, finish: (payload) => payload });
    begun = { session, first: head.seq + 1 };
    return encodeBlock(drafts, head, NOW);
  });
  return begun;
}

export function step(store: Store, session: string | null, payload = {}): Promise<Head | undefined> {
  const entry = { kind: 'x.step', source: 'test', session_id: session, payload };
  return store.append((head) => encodeBlock([entry], head, NOW));
}

export function end(
  store: Store,
  { session, first }: { readonly session: string; readonly first?: number },
  { before = 0, ...more }: Partial<SumOptions> & { readonly before?: number } = {},
): Promise<Head | undefined> {
  const entry = (kind: string) => ({ kind, source: 'sdk', session_id: session, payload: { reason: 'end' } });
  const entries = [...Array.from({ length: before }, () => entry('x.step')), entry('session.end')];
  const options = { tally: () => new SessionTally(store, { session, first }), required: true, ...more };
  return appendWithSum(store, options, (head, _state, _shared, sum) => encodeEnding(entries, head, NOW, sum));
}

/** The lines of a session, as they stand in the log. */
async function linesOf(store: Store, session: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const piece of store.read(1, (await store.head()).seq))
    for (const line of new TextDecoder().decode(piece).split('\n'))
      if (line.includes(session) && (JSON.parse(line) as Entry).session_id === session) lines.push(line);
  return lines;
}

/** What they give, computed without anything of ours. */
export async function expectedSums(store: Store, session: string): Promise<Map<number, unknown>> {
  const sums = new Map<number, unknown>();
  const lines = await linesOf(store, session);
  for (const [entries, line] of lines.entries()) {
    const { seq, kind } = JSON.parse(line) as Entry;
    if (!/^session\.(end|sum)$/.test(kind)) continue;
    const before = lines.slice(0, entries);
    sums.set(seq, { entries, root: Buffer.from(merkleRoot(before)).toString('hex') });
  }
  return sums;
}

export async function toldSums(store: Store, session: string): Promise<Map<number, unknown>> {
  const told = new Map<number, unknown>();
  for (const line of await linesOf(store, session)) {
    const { seq, kind, payload } = JSON.parse(line) as Entry;
    if (kind === 'session.end') told.set(seq, parseEndSum(payload));
    else if (kind === 'session.sum') told.set(seq, parseSessionSum(payload));
  }
  return told;
}

async function expectTrue(store: Store, session: string): Promise<void> {
  const told = await toldSums(store, session);
  expect(told.size).toBeGreaterThan(0);
  expect(told).toEqual(await expectedSums(store, session));
}

export function sessionSumContract(name: string, makeStore: () => Promise<Store>): void {
  describe(`the sum of a session in ${name}`, () => {
    it('is over all of its entries before the end, also those of the same block, and no other’s', async () => {
      const store = await makeStore();
      const one = await begin(store);
      const two = await begin(store);
      await step(store, one.session);
      await step(store, two.session, { session_id: one.session });
      await step(store, null, { about: { session_id: one.session, source: 'x' } });
      await step(store, one.session, { session_id: two.session });
      await end(store, one, { before: 2 });
      await expectTrue(store, one.session);
      const [sum] = (await toldSums(store, one.session)).values();
      expect(sum).toMatchObject({ entries: 5 });
    });

    it('is the same where the sessions of a process are counted together, in one reading of the log', async () => {
      const store = await makeStore();
      await step(store, null);
      const read: [from: number, to: number][] = [];
      const watched = {
        head: () => store.head(),
        read: (from: number, to: number) => {
          read.push([from, to]);
          return store.read(from, to);
        },
      };
      const tallies = new SessionTallies(watched);
      const sessions: Begun[] = [];
      for (let n = 0; n < 5; n++) {
        const begun = await begin(store);
        tallies.watch(begun.session, begun.first);
        sessions.push(begun);
      }
      for (const { session } of [...sessions, ...sessions])
        await step(store, session, { session_id: sessions[0]?.session ?? '' });
      const { seq: before } = await store.head();
      const ended = sessions.map((each) =>
        end(store, each, { tally: () => tallies.open(each.session, each.first) }),
      );
      await Promise.all(ended);
      for (const { session } of sessions) await expectTrue(store, session);
      const twice = read.filter(([from, to]) => from <= before && to >= before);
      expect(twice).toEqual([[sessions[0]?.first, before]]);
    });

    it('is counted by itself where the session began in what was read already', async () => {
      const store = await makeStore();
      const tallies = new SessionTallies(store);
      const [late, early] = [await begin(store), await begin(store)];
      const endOf = (each: Begun) =>
        end(store, each, { tally: () => tallies.open(each.session, each.first) });
      tallies.watch(early.session, early.first);
      await step(store, late.session);
      await endOf(early);
      tallies.watch(late.session, late.first);
      await step(store, late.session);
      await endOf(late);
      for (const { session } of [early, late]) await expectTrue(store, session);
    });

    it('is refused where the session does not begin where it is said to, and counted at the next try', async () => {
      const store = await makeStore();
      const tallies = new SessionTallies(store);
      const begun = await begin(store);
      await step(store, begun.session);
      tallies.watch(begun.session, begun.first + 1);
      const endOf = () => end(store, begun, { tally: () => tallies.open(begun.session, begun.first) });
      await expect(endOf()).rejects.toMatchObject({ code: 'DAMAGED' });
      await endOf();
      await expectTrue(store, begun.session);
    });

    it('comes once more over what came after the end', async () => {
      const store = await makeStore();
      const { session, first } = await begin(store);
      await end(store, { session, first });
      await step(store, session);
      const tally = () => new SessionTally(store, { session, first });
      await appendWithSum(store, { tally, required: true }, (head, _state, _shared, sum) => {
        const found = sum(new Uint8Array(0));
        if (found === null) throw new Error('it is required');
        const payload = encodeSessionSum(found);
        return encodeBlock([{ kind: 'session.sum', source: 'cli', session_id: session, payload }], head, NOW);
      });
      await expectTrue(store, session);
      expect([...(await toldSums(store, session)).values()]).toMatchObject([{ entries: 1 }, { entries: 3 }]);
    });

    it.each([
      ['none', undefined],
      ['another session’s', 2],
      ['one behind its own', 5],
      ['one that is not there', 4711],
    ])('does not depend on what is remembered of its beginning: %s', async (_, first) => {
      const store = await makeStore();
      await step(store, null);
      await begin(store);
      const { session } = await begin(store);
      for (let i = 0; i < 5; i++) await step(store, session);
      await end(store, { session, ...(first === undefined ? {} : { first }) });
      await expectTrue(store, session);
    });

    it('is that of the place also if others append while it is counted, more than a build is handed', async () => {
      const store = await makeStore();
      const one = await begin(store);
      const two = await begin(store);
      const text = 'x'.repeat(50_000);
      let isEnded = false;
      const busy = async (session: string): Promise<void> => {
        for (let i = 0; i < 60 && !isEnded; i++) await step(store, session, { text });
      };
      // What was read lies behind by more than a mebibyte when the first try comes.
      const tally = new SessionTally(store, one);
      await tally.readOn();
      for (let i = 0; i < 25; i++) await step(store, one.session, { text });
      let reads = 0;
      const lagging = {
        get seq() {
          return tally.seq;
        },
        readOn: async () => {
          if (reads++ > 0) await tally.readOn();
        },
        sumAt: tally.sumAt.bind(tally),
        close: () => tally.close(),
      };
      const others = [busy(two.session), busy(one.session), busy(two.session)];
      await end(store, one, { tally: () => lagging });
      isEnded = true;
      await Promise.all(others);
      expect(reads).toBeGreaterThan(1);
      await expectTrue(store, one.session);
    });

    it('is not written where the log can’t be read; nothing is, unless the mode lets that be', async () => {
      const store = await makeStore();
      const { session } = await begin(store);
      const tally = () => {
        throw new Error('can not be read');
      };
      const { seq } = await store.head();
      await expect(end(store, { session }, { tally })).rejects.toThrow('can not be read');
      expect((await store.head()).seq).toBe(seq);
      await end(store, { session }, { tally, required: false });
      expect([...(await toldSums(store, session)).values()]).toEqual([null]);
    });

    it('is given up where others are always faster', async () => {
      const store = await makeStore();
      const { session } = await begin(store);
      const never = {
        seq: 4711,
        readOn: async () => undefined,
        sumAt: () => expect.unreachable(),
        close: async () => undefined,
      };
      await expect(end(store, { session }, { tally: () => never })).rejects.toMatchObject({
        name: 'StoreError',
        code: 'LOCK_TIMEOUT',
      });
      await end(store, { session }, { tally: () => never, required: false });
      expect([...(await toldSums(store, session)).values()]).toEqual([null]);
    });

    it('is refused where what was read is not what the log goes on from', async () => {
      const store = await makeStore();
      const { session, first } = await begin(store);
      const tally = new SessionTally(
        {
          head: () => store.head(),
          // A log that was changed behind its readers.
          async *read(from, to) {
            for await (const piece of store.read(from, to)) {
              const text = new TextDecoder().decode(piece);
              const other = text.replace(/(?<="entry_hash":")./g, (digit) => (digit === '0' ? '1' : '0'));
              yield new TextEncoder().encode(other);
            }
          },
        },
        { session, first },
      );
      await step(store, session);
      const failed = end(store, { session }, { tally: () => tally });
      await expect(failed).rejects.toMatchObject({ name: 'StoreError', code: 'DAMAGED' });
    });

    it('takes 20,000 entries', async () => {
      const store = await makeStore();
      const one = await begin(store);
      const two = await begin(store);
      const entry = (id: string, i: number) => ({
        kind: 'x.step',
        source: 'test',
        session_id: id,
        payload: { i },
      });
      for (let block = 0; block < 20; block++)
        await store.append((head) =>
          encodeBlock(
            Array.from({ length: 2000 }, (_, i) => entry(i % 2 === 0 ? one.session : two.session, i)),
            head,
            NOW,
          ),
        );
      await end(store, one);
      expect([...(await toldSums(store, one.session)).values()]).toMatchObject([{ entries: 20_001 }]);
      await expectTrue(store, one.session);
    });
  });
}
