// The sixteen points of an audit over the vectors of spec/audit.md: each fails once, and each invariant is named once.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { type JsonObject, parseVerifierKey } from '../../src/core/index.ts';
import { type Entry, parseEntry } from '../../src/format/index.ts';
import {
  type AuditBeside,
  type AuditedPoint,
  auditPoints,
  INVARIANTS,
  type RunAudit,
  RunAuditor,
} from '../../src/verify/index.ts';
import { type AuditCase, type AuditVectors, auditVectors } from './make-audit-vectors.ts';
import { LedgerMaker } from './make-ledger.ts';
import { RUN, runVectors } from './make-run-vectors.ts';

const FILE = join(import.meta.dirname, '../../spec/vectors/audit.json');
if (process.env.UPDATE_VECTORS === '1') writeFileSync(FILE, `${JSON.stringify(auditVectors(), null, 1)}\n`);
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as AuditVectors;
const runs = runVectors();
const MATCHES = { outcome: 'matches', message: 'it matches', finalStateHash: null, flaw: null } as const;

/** The events of a case of run.json, from entry 3 on. */
function runLines(name: string): readonly string[] {
  const { replace = {}, drop = [] } = runs.cases.find((each) => each.name === name) ?? {};
  const [init] = runs.events as [{ payload: { capabilities_hash: string } }];
  const ledger = new LedgerMaker();
  const capabilities = init.payload.capabilities_hash;
  ledger.append('session.start', { agent: 'counter', capabilities }, { session_id: RUN });
  for (const [at, event] of runs.events.entries())
    if (!drop.includes(at)) ledger.append('run.event', replace[at] ?? event, { session_id: RUN });
  return ledger.lines;
}

function audited(lines: readonly string[]): RunAudit {
  const auditor = new RunAuditor(RUN, vectors.operators.map(parseVerifierKey));
  for (const line of lines) auditor.entry(parseEntry(utf8Encode(line)));
  return auditor.done();
}

function pointsOf(
  { lines, run_case: name = '', replay }: Partial<AuditCase>,
  more: Partial<AuditBeside> = {},
): AuditedPoint[] {
  const audit = audited(lines ?? runLines(name));
  return auditPoints(audit, { broken: null, policy: [], replay: replay ?? MATCHES, ...more });
}

const failing = (points: readonly AuditedPoint[]): number[] =>
  points.filter(({ status }) => status === 'fail').map(({ point }) => point);

describe('the sixteen points', () => {
  it('have the vectors that were made', () => {
    expect(vectors).toEqual(JSON.parse(JSON.stringify(auditVectors())));
  });

  it.each(vectors.cases)('O7b $name: $fails', (each) => {
    const points = pointsOf(each);
    // Grants of a session that the small ledgers leave out are not what a case is about.
    const isAbout = ({ point, codes }: AuditedPoint): boolean =>
      point !== 14 || !codes.every((code) => code === 'GRANTS_FOREIGN');
    const failed = points.filter(isAbout);
    expect(failing(failed)).toEqual(each.fails);
    const broken = new Set(failed.flatMap(({ invariants }) => invariants));
    expect([...broken].sort()).toEqual([...each.invariants].sort());
  });

  it('O7b each fail once, and each invariant is named once', () => {
    const fails = new Set(vectors.cases.flatMap((each) => each.fails));
    expect([...fails].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
    const invariants = new Set(vectors.cases.flatMap((each) => each.invariants));
    expect([...invariants].sort()).toEqual([...INVARIANTS].sort());
  });

  it('O7b say why a point passes, fails or is unknown', () => {
    const points = pointsOf({ run_case: 'a call without what it needs' }, { replay: null });
    expect(points[5]).toMatchObject({
      status: 'fail',
      reason: "event 4: tool 'add' required 'fs:write:/data/a' but not granted",
      invariants: ['Zero Ambient Authority'],
    });
    expect(points[7]).toMatchObject({ status: 'unknown', reason: 'no state was rebuilt here' });
    expect(points[1]).toMatchObject({ status: 'pass', reason: '13 of 13' });
  });

  it("O7b tell needs that a tool's function gave from those that are declared", () => {
    const reason = (required: readonly string[] | null): string | undefined => {
      const audit = audited(runLines('a whole run'));
      const init = audit.init as NonNullable<RunAudit['init']>;
      const tools = init.tools.map((tool) => ({ ...tool, required }));
      const beside = { broken: null, policy: [], replay: MATCHES };
      return auditPoints({ ...audit, init: { ...init, tools } }, beside)[5]?.reason;
    };
    expect(reason(null)).toMatch(/each within its grants\. What a tool's function said .* own word$/);
    expect(reason(['tool:call:add'])).toMatch(/each within its grants$/);
  });

  it('O7b are unknown where a payload is not here, and never fail for it', () => {
    const lines = runLines('a whole run').map((line) => {
      const entry = JSON.parse(line) as { payload: JsonObject };
      return entry.payload.kind === 'ToolCall' || entry.payload.kind === 'ToolResult' ? 'gone' : line;
    });
    const kept = lines.filter((line) => line !== 'gone').map((line) => parseEntry(utf8Encode(line)));
    const gone = runs.events.filter(({ kind }) => kind === 'ToolCall' || kind === 'ToolResult');
    const entries = [...kept, ...gone.map((event) => entryOf({ ...event, payload: null }, kept))];
    const auditor = new RunAuditor(RUN);
    const sequence = ({ payload }: Entry): number =>
      (payload.timestamp as { sequence: number } | undefined)?.sequence ?? -1;
    for (const entry of entries.sort((a, b) => sequence(a) - sequence(b))) auditor.entry(entry);
    const points = auditPoints(auditor.done(), { broken: null, policy: [], replay: null });
    for (const point of [2, 6, 15]) expect(points[point - 1]?.status).toBe('unknown');
    expect(failing(points).filter((point) => point !== 14)).toEqual([]);
  });

  it("O7d say of a host's session what can be said, and unknown to the rest", () => {
    const ledger = new LedgerMaker();
    ledger.append('session.start', { agent: 'claude-code', capabilities: null }, { session_id: RUN });
    ledger.append('tool.call', { tool: 'Bash' }, { session_id: RUN });
    const points = pointsOf({ lines: ledger.lines }, { replay: null });
    const unknown = points.filter(({ status }) => status === 'unknown').map(({ point }) => point);
    expect(unknown).toEqual([2, 3, 4, 5, 6, 8, 9, 15, 16]);
    expect(failing(points)).toEqual([]);
  });

  it('O7b fail with the ledger around the run, and with the policy that it broke', () => {
    const policy = [{ code: 'CLAIM_UNPROVEN', level: 'fail', message: 'entry 9: a claim' }] as const;
    const points = pointsOf({ run_case: 'a whole run' }, { broken: 'HASH_WRONG: entry 4', policy });
    expect(failing(points)).toEqual([1, 14]);
  });

  it('O7b a call past its time fails the limits', () => {
    const slow = (entry: Entry): Entry => {
      const { kind, payload } = entry.payload;
      if (kind !== 'ToolResult' && kind !== 'Final') return entry;
      const { usage, ...told } = payload as { usage: JsonObject };
      return { ...entry, payload: { ...entry.payload, payload: { ...told, usage: { ...usage, ms: 1001 } } } };
    };
    const auditor = new RunAuditor(RUN);
    for (const line of runLines('a whole run')) auditor.entry(slow(parseEntry(utf8Encode(line))));
    const points = auditPoints(auditor.done(), { broken: null, policy: [], replay: MATCHES });
    expect(points[14]).toMatchObject({
      status: 'fail',
      reason: "event 6: tool 'add' took 1001 ms, but may take only 1000",
    });
  });
});

function entryOf(payload: JsonObject, others: readonly Entry[]): Entry {
  return { ...(others.at(-1) as Entry), kind: 'run.event', payload };
}

describe('what an audit shows', () => {
  it('O7a traces memory to the event that caused it', () => {
    expect(audited(runLines('a whole run')).memory).toEqual([
      {
        key: 'sum',
        event: 7,
        cause: { event: 6, kind: 'ToolResult', tool: 'add' },
        version: { nodeId: 0, counter: 1 },
        value: 2,
      },
    ]);
    expect(audited(runLines('a memory write without a cause')).memory[0]?.cause).toBeNull();
  });

  it('O7c counts decisions and usage', () => {
    const { decisions, usage, patches } = audited(runLines('a whole run'));
    expect(Object.fromEntries(decisions)).toEqual({ allow: 1, 'deny NOT_GRANTED': 1 });
    expect(usage).toEqual({ calls: 1, denials: 1, ms: 1, outputBytes: 1, fuel: null });
    expect(patches).toEqual([]);
  });
});
