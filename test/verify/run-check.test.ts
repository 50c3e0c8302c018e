// The facet replay over the vectors of spec/run.md: the ledgers are made entry by entry, and none of it comes from the runtime.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import { parseEntry, parseRunEvent, parseRunPayload, RUN_EVENT_KINDS } from '../../src/format/index.ts';
import { type Report, RunAuditor } from '../../src/verify/index.ts';
import { verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';
import { AGENT, OPERATOR, Patched } from './make-patches.ts';
import { RUN, type RunCase, type RunVectors, runVectors } from './make-run-vectors.ts';

const FILE = join(import.meta.dirname, '../../spec/vectors/run.json');
if (process.env.UPDATE_VECTORS === '1') writeFileSync(FILE, `${JSON.stringify(runVectors(), null, 1)}\n`);
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as RunVectors;
const FACETS = ['replay', 'authority'] as const;
const ALWAYS = new Set(['RUN_NOT_REPLAYED', 'RUN_PAYLOAD_UNKNOWN']);

function granted(): unknown {
  const { payload } = vectors.events[0] as { payload: { capabilities_hash: string } };
  return payload.capabilities_hash;
}

/** The events stand behind the first entry and the session's, so that event 0 is entry 3. */
function ledgerOf(events: readonly JsonObject[], capabilities = granted()): LedgerMaker {
  const ledger = new LedgerMaker();
  ledger.append('session.start', { agent: 'counter', capabilities } as JsonObject, { session_id: RUN });
  for (const event of events) ledger.append('run.event', event, { session_id: RUN });
  return ledger;
}

function eventsOf({ replace = {}, drop = [] }: Partial<RunCase>): { at: number; event: JsonObject }[] {
  return vectors.events
    .map((event, at) => ({ at, event: replace[at] ?? event }))
    .filter(({ at }) => !drop.includes(at));
}

/** The ledger of a case, and what stands at its entries: an event, or a patch behind one. */
function madeOf(each: RunCase): { ledger: LedgerMaker; places: ReadonlyMap<number, string> } {
  const ledger = new Patched();
  const places = new Map<number, string>();
  ledger.append('session.start', { agent: 'counter', capabilities: granted() } as JsonObject, {
    session_id: RUN,
  });
  let proposed = 0;
  for (const { at, event } of eventsOf(each)) {
    ledger.append('run.event', event, { session_id: RUN });
    places.set(ledger.size, String(at));
    for (const { behind, before, after, undo, counts } of each.patches ?? []) {
      if (behind !== at) continue;
      if (undo === true) ledger.approved({ kind: 'patch.reverted', number: proposed - 1 });
      else {
        ledger.toApproval(proposed, { base: before });
        ledger.approved({ number: proposed, signer: counts === false ? AGENT : OPERATOR });
        ledger.applied({ state_hash_before: before, state_hash_after: after }, proposed);
        proposed++;
      }
      places.set(ledger.size, `${at}+`);
    }
  }
  return { ledger, places };
}

/** `CODE@sequence`, by the place that the event has in the vectors. */
function flawsOf(report: Report, places: ReadonlyMap<number, string>): string[] {
  return FACETS.flatMap((facet) => report.facets[facet].findings)
    .filter(({ code }) => code.startsWith('RUN_') && !ALWAYS.has(code))
    .map(({ code, seq }) => `${code}@${places.get(seq ?? 0)}`);
}

describe('run events', () => {
  it('are as they were made', () => {
    expect(vectors).toEqual(runVectors());
  });

  it.each(vectors.cases)('O1 O2 $name', async (each) => {
    const { ledger, places } = madeOf(each);
    const report = await verify(ledger.seal().files);
    const flaws = flawsOf(report, places);
    if (each.rest === true) expect(flaws).toEqual(expect.arrayContaining([...each.flaws]));
    else expect(flaws.sort()).toEqual([...each.flaws].sort());
    const isAuthority = (flaw: string): boolean => /CAPABILITIES|GRANTED|UNDECLARED/.test(flaw);
    const fails = each.flaws.some((flaw) => !isAuthority(flaw));
    expect(report.facets.replay.status).toBe(fails ? 'fail' : 'unknown');
  });

  it('must fail more often than it must pass, and each code fails once', () => {
    const failing = vectors.cases.filter(({ flaws }) => flaws.length > 0);
    expect(failing.length).toBeGreaterThan(vectors.cases.length - failing.length);
    const codes = new Set(failing.flatMap(({ flaws }) => flaws.map((flaw) => flaw.replace(/@.*/, ''))));
    expect([...codes].sort()).toEqual([
      'RUN_CALL_NOT_GRANTED',
      'RUN_CAPABILITIES',
      'RUN_CAUSE',
      'RUN_DENIAL',
      'RUN_LIMIT',
      'RUN_MALFORMED',
      'RUN_MEMORY',
      'RUN_ORDER',
      'RUN_PARENT',
      'RUN_PATCH',
      'RUN_PAYLOAD_HASH',
      'RUN_SEQUENCE',
      'RUN_SNAPSHOT',
      'RUN_STATE_CHAIN',
      'RUN_TOOL_UNDECLARED',
      'RUN_USAGE',
    ]);
  });

  it('leaves replay unknown where nothing was replayed', async () => {
    const report = await verify(ledgerOf(vectors.events).seal().files);
    expect(report.facets.replay.status).toBe('unknown');
    expect(report.facets.replay.findings.map(({ code }) => code)).toEqual(['RUN_NOT_REPLAYED']);
    expect(report.counts).toMatchObject({ runs: 1, runEvents: vectors.events.length });
  });

  it.each([
    ['/work/app', []],
    ['/etc', ['RUN_CAPABILITIES']],
  ])('O7 holds the root of a run against that of its session: %s', async (root, codes) => {
    const begun = { agent: 'counter', capabilities: granted(), workspace_root: root } as JsonObject;
    const ledger = new LedgerMaker();
    ledger.append('session.start', begun, { session_id: RUN });
    for (const event of vectors.events) ledger.append('run.event', event, { session_id: RUN });
    const { authority } = (await verify(ledger.seal().files)).facets;
    const found = authority.findings.filter(({ code }) => code.startsWith('RUN_'));
    expect(found.map(({ code }) => code)).toEqual(codes);
  });

  it('O8 believes a replay on record that rebuilt all of the run, and no other', async () => {
    const { events } = vectors;
    const last = events.at(-1) as { state_hash_after: string };
    const { payload } = events[0] as { payload: { code: { root: string } } };
    const whole = {
      id: 'a'.repeat(64),
      run: RUN,
      replay: 'forensic',
      from: null,
      to: null,
      execute: false,
      events: events.length,
      code: payload.code.root,
      node: 'v20.19.0',
      sandbox: 'bubblewrap',
      outcome: 'matches',
      final_state_hash: last.state_hash_after,
      divergence: null,
      flaw: null,
      impure: [],
    };
    const statusOf = async (replays: readonly JsonObject[], before = events.length): Promise<string> => {
      const ledger = ledgerOf(events.slice(0, before));
      for (const replay of replays) ledger.append('run.replay', replay);
      for (const event of events.slice(before)) ledger.append('run.event', event, { session_id: RUN });
      const { replay } = (await verify(ledger.seal().files)).facets;
      expect(replay.findings).toHaveLength(replay.status === 'pass' ? 0 : 1);
      return replay.status;
    };
    const divergence = {
      event: 2,
      patch: null,
      what: 'state_hash',
      expected: 'b'.repeat(64),
      got: 'c'.repeat(64),
      why: null,
    };
    const diverged = { ...whole, outcome: 'diverges', final_state_hash: null, divergence };
    expect(await statusOf([whole])).toBe('pass');
    expect(await statusOf([diverged, whole])).toBe('pass');
    for (const other of [
      { outcome: 'unknown' },
      { from: 1 },
      { to: 3 },
      { events: events.length - 1 },
      { final_state_hash: 'd'.repeat(64) },
      { code: 'd'.repeat(64) },
      { run: 'd'.repeat(64) },
      { flaw: 'event 3 stands where event 2 is due (RUN_SEQUENCE)' },
      { more: 1 },
    ])
      expect([other, await statusOf([{ ...whole, ...other }])]).toEqual([other, 'unknown']);
    expect(await statusOf([whole, diverged])).toBe('unknown');
    expect(await statusOf([whole], events.length - 1)).toBe('unknown');
    const ledger = ledgerOf(events);
    ledger.append('run.replay', { ...diverged, impure: ['add'] });
    ledger.append('run.replay', { ...whole, to: 3 });
    const seq = ledger.size - 1;
    expect((await verify(ledger.seal().files)).facets.replay.findings).toMatchObject([
      {
        code: 'RUN_NOT_REPLAYED',
        message: expect.stringContaining(
          `was replayed, and the replay at entry ${seq} diverged at event 2; impure tools: add.`,
        ),
      },
    ]);
    const auditor = new RunAuditor(RUN);
    for (const line of ledger.lines) auditor.entry(parseEntry(utf8Encode(line)));
    expect(auditor.done().impure).toEqual([{ tool: 'add', replay: whole.id, seq }]);
  });

  it('O3 counts the calls of runs among those that were held against grants', async () => {
    const { facets, counts } = await verify(ledgerOf(vectors.events).seal().files);
    const of = (...kinds: string[]): number =>
      vectors.events.filter(({ kind }) => kinds.includes(String(kind))).length;
    expect(counts).toMatchObject({ callsJudged: of('ToolCall', 'Denial'), callsDenied: of('Denial') });
    expect(facets.completeness).toMatchObject({
      status: 'unknown',
      message: expect.stringContaining('seen from one place only'),
    });
  });

  it('says which payloads can not be held against their hashes', async () => {
    const events = vectors.events.map((event, at) => (at === 2 ? { ...event, payload: null } : event));
    const report = await verify(ledgerOf(events).seal().files);
    const codes = report.facets.replay.findings.map(({ code }) => code);
    expect(codes).toEqual(['RUN_PAYLOAD_UNKNOWN', 'RUN_NOT_REPLAYED']);
  });

  it('says nothing of a ledger without runs', async () => {
    const report = await verify(new LedgerMaker().seal().files);
    expect(report.facets.replay).toMatchObject({ status: 'pass', findings: [] });
  });

  it('names a run that began with other capabilities than its session', async () => {
    const report = await verify(ledgerOf(vectors.events, 'b'.repeat(64)).seal().files);
    expect(report.facets.authority.findings.map(({ code }) => code)).toContain('RUN_CAPABILITIES');
  });

  it('names an event of another session', async () => {
    const ledger = ledgerOf(vectors.events.slice(0, 3));
    ledger.append('run.event', vectors.events[3] as JsonObject, { session_id: '7'.repeat(64) });
    const report = await verify(ledger.seal().files);
    expect(report.facets.replay.findings.map(({ code }) => code)).toContain('RUN_MALFORMED');
  });

  it('lets nothing but ParseError out of its parsers', () => {
    const onlyParseErrors = (parse: () => unknown): void => {
      try {
        parse();
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    };
    const members = fc.dictionary(
      fc.constantFrom(...Object.keys(vectors.events[0] ?? {}), 'x'),
      fc.jsonValue(),
    );
    fc.assert(fc.property(members, (value) => onlyParseErrors(() => parseRunEvent(value as JsonObject))));
    const kinds = fc.constantFrom(...RUN_EVENT_KINDS);
    const names = [...new Set(vectors.events.flatMap(({ payload }) => Object.keys(payload as JsonObject)))];
    const payloads = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    fc.assert(
      fc.property(kinds, payloads, (kind, value) =>
        onlyParseErrors(() => parseRunPayload(kind, value as JsonObject)),
      ),
    );
  });
});
