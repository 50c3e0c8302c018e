// Entries of a ledger as a watchdog's events: which have a code, and which.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { exportWatchdog } from '../../src/exports/index.ts';
import {
  encodeAuthFail,
  encodeAuthOk,
  encodeBranchCreate,
  encodeSessionCut,
} from '../../src/format/index.ts';
import { block, Entries, KEY } from './session-entries.ts';

const HASH = 'ab'.repeat(32);
type Event = Record<string, unknown>;

function exported({ all }: Entries): { events: Event[]; malformed: number } {
  const log = exportWatchdog();
  const text = all.map((entry) => log.add(entry)).join('');
  const lines = text.split('\n').slice(0, -1);
  return { events: lines.map((line) => JSON.parse(line) as Event), malformed: log.malformed };
}

/** What becomes of one entry. */
function coded(kind: string, payload: JsonObject): unknown[] | null {
  const log = new Entries();
  log.add(kind, payload);
  const [event] = exported(log).events;
  return event === undefined ? null : [event.code, event.name];
}

describe('exportWatchdog', () => {
  it('G9b: gives the life of a session its codes, and names each entry', () => {
    const log = new Entries();
    const session = log.session({ authKey: KEY, block: block(930226) });
    session.entry('auth.ok', encodeAuthOk({ key: KEY, name: 'laptop', at: 'start' }));
    session.entry('branch.create', encodeBranchCreate('branch-4'));
    session.prompt(HASH);
    session.entry('tool.call', { tool: 'Bash' });
    session.response(HASH, HASH);
    session.anchor(block(930227));
    session.end(block(930228));
    const { events } = exported(log);
    expect(events.map(({ code, name, kind }) => [code, name, kind])).toEqual([
      ['0x10', 'SessionStart', 'session.start'],
      ['0x14', 'AuthValidate', 'auth.ok'],
      ['0x12', 'PromptSubmit', 'prompt'],
      ['0x13', 'ResponseReceive', 'response'],
      ['0x15', 'BtcAnchor', 'anchor.block'],
      ['0x11', 'SessionEnd', 'session.end'],
    ]);
    for (const event of events) {
      const entry = log.all.find(({ seq }) => seq === event.seq);
      expect(event).toMatchObject({
        time: entry?.ts,
        session: session.id,
        entry_hash: entry?.entry_hash,
        kind: entry?.kind,
      });
      expect(Object.keys(event).join(' ')).toBe('code name time session seq entry_hash kind details');
    }
    expect(events[0]?.details).toMatchObject({ btc: 930226, branch: 'branch-4', auth: KEY });
    expect(events[3]?.details).toMatchObject({ seq: 1, model: 'opus' });
  });

  const alert = ['0x01', 'Alert'];
  const anomaly = ['0x02', 'Anomaly'];
  it.each<[string, JsonObject, unknown]>([
    ['auth.fail', encodeAuthFail({ reason: 'revoked', key: KEY, at: 'prompt' }), alert],
    ['gate', { verdict: 'block', blocks: 1 }, alert],
    ['gate', { verdict: 'warn', blocks: 0 }, alert],
    ['gate', { verdict: 'unproven', blocks: 2 }, alert],
    ['gate', { verdict: 'pass', blocks: 0 }, null],
    ['gate', { verdict: 'silent', blocks: 0 }, null],
    ['gate', { verdict: 'ungated', blocks: 0 }, anomaly],
    ['tool.denied', { tool: 'Bash', by: 'foil' }, alert],
    ['tool.denied', { tool: 'Bash', by: 'user' }, null],
    ['override', { phrase: 'skip the gate', quote_hash: HASH }, alert],
    ['gap', { reason: 'off', events: null }, anomaly],
    ['crash', { hook: 'gate', event: null }, anomaly],
    ['notice', { origin: 'foil', notice: 'crashes', count: 3 }, anomaly],
    ['notice', { origin: 'foil', notice: 'overrides.ack', count: null }, null],
    ['notice', { origin: 'task-notification', text: null }, null],
    ['observation', { event: 'X', problem: 'not-json' }, anomaly],
    ['observation', { event: 'X', problem: null }, null],
    ['tool.result', { tool: 'Bash', repeated: true }, anomaly],
    ['tool.result', { tool: 'Bash' }, null],
    [
      'session.cut',
      encodeSessionCut({
        reason: 'process-gone',
        hostProcess: { pid: 1, started: null, boot: null },
        interactions: 0,
        chainHash: null,
      }),
      anomaly,
    ],
    ['note', { text: 'x' }, null],
  ])('G9c: %s %j', (kind, payload, expected) => {
    expect(coded(kind, payload)).toEqual(expected);
  });

  it('counts what is malformed, and writes JSON whatever is in a payload', () => {
    const log = new Entries();
    log.add('auth.fail', { reason: 7 });
    expect(exported(log)).toEqual({ events: [], malformed: 1 });
    const kinds = [
      'gate',
      'tool.denied',
      'override',
      'gap',
      'crash',
      'notice',
      'observation',
      'session.start',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.dictionary(
          fc.constantFrom('verdict', 'by', 'tool', 'phrase', 'reason', 'problem'),
          fc.jsonValue(),
        ),
        (kind, payload) => {
          const one = new Entries();
          one.add('note', {});
          const [entry] = one.all;
          if (entry === undefined) throw new Error('one was made');
          const line = exportWatchdog().add({ ...entry, kind, payload: payload as JsonObject });
          if (line !== '') expect(JSON.parse(line)).toHaveProperty('code');
          expect(line.split('\n').length).toBeLessThan(3);
        },
      ),
    );
  });
});
