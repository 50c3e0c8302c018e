// Calls that several places saw, and what is said when one of them saw something else.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { type Entry, encodeGap, encodeModelToolResult, encodeModelToolUse } from '../../src/format/index.ts';
import { CompletenessCheck } from '../../src/verify/completeness-check.ts';
import { Findings } from '../../src/verify/findings.ts';
import { codesOf, verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';

const hash = (digit: string): string => digit.repeat(64);
const S = hash('5');
const PROXY_SESSION = hash('6');
const ID = 'toolu_1';
const TOOL = 'mcp__fs__read';

/** Sessions as three recorders leave them, step by step. */
class Wires extends LedgerMaker {
  by(source: string, kind: string, payload: JsonObject = {}, session = S): this {
    this.append(kind, payload, { source, session_id: session });
    return this;
  }

  hooks(): this {
    return this.by('hook:claude-code', 'session.start');
  }

  gateway(understood = 'whole'): this {
    return this.by('gateway', 'model.call', { receipt_id: null }).by('gateway', 'model.result', {
      understood,
    });
  }

  proxy(server = 'fs', session = PROXY_SESSION): this {
    return this.sent('toolu_0', { mcp: { server } }, session);
  }

  asked(id = ID, more: { tool?: string; inputHash?: string } = {}): this {
    const use = { toolUseId: id, tool: TOOL, inputHash: hash('c'), inputBytes: 9, whole: true, ...more };
    return this.by('gateway', 'model.tool_use', encodeModelToolUse(use));
  }

  told(id = ID, error: boolean | null = false): this {
    return this.by(
      'gateway',
      'model.tool_result',
      encodeModelToolResult({ toolUseId: id, error, tests: null }),
    );
  }

  hook(id = ID, more: JsonObject = {}): this {
    return this.by('hook:claude-code', 'tool.call', call(id, TOOL, more));
  }

  ended(id = ID, more: JsonObject = {}): this {
    return this.by('hook:claude-code', 'tool.result', {
      ...call(id, TOOL),
      result: 'ok',
      files: [],
      ...more,
    });
  }

  sent(id = ID, more: JsonObject = {}, session = PROXY_SESSION): this {
    return this.by('mcp', 'tool.call', { ...call(id, 'read'), mcp: { server: 'fs' }, ...more }, session);
  }

  answered(id = ID, result = 'ok', session = PROXY_SESSION): this {
    return this.by('mcp', 'tool.result', { ...call(id, 'read'), mcp: { server: 'fs' }, result }, session);
  }
}

function call(id: string, tool: string, more: JsonObject = {}): JsonObject {
  return { tool, tool_use_id: id, args_hash: hash('c'), host: { tree: null }, ...more };
}

/** Up to where the first call is made; `toolu_0` made all three known. */
function all(): Wires {
  return new Wires()
    .hooks()
    .gateway()
    .asked('toolu_0')
    .hook('toolu_0')
    .proxy()
    .ended('toolu_0')
    .told('toolu_0');
}

async function judged(made: LedgerMaker): Promise<{ codes: string[]; status: string; verdict: string }> {
  const report = await verify(made.seal().files);
  const { status } = report.facets.completeness;
  return { codes: codesOf(report, ['completeness']), status, verdict: report.verdict };
}

describe('X3a a call that hooks, gateway and proxy saw', () => {
  it('passes where they agree', async () => {
    const made = all().asked().hook().sent().answered().ended().told();
    expect(await judged(made)).toEqual({ codes: [], status: 'pass', verdict: 'INTACT' });
    const { counts } = await verify(made.files);
    expect([counts.callsSeen, counts.callsCompared]).toEqual([2, 2]);
  });

  it('is not known to be all where one place alone saw calls', async () => {
    const made = new Wires().hooks().hook().ended();
    expect(await judged(made)).toEqual({ codes: [], status: 'unknown', verdict: 'INTACT' });
    expect((await judged(new LedgerMaker().notes(2))).status).toBe('pass');
  });
});

describe('X3b names the call', () => {
  it.each<[string, string[], (made: Wires) => Wires]>([
    ['that hooks missed and the model was told of', ['CALL_MISSED@10'], (made) => made.asked().told()],
    [
      'that hooks missed and a server got',
      ['CALL_MISSED@11'],
      (made) => made.asked().sent().answered().told(),
    ],
    ['that a server got and nobody asked for', ['CALL_MISSED@10'], (made) => made.sent()],
    [
      'that a hook told of and no model asked for',
      ['CALL_UNASKED@10', 'CALL_UNSENT@10'],
      (made) => made.hook().ended(),
    ],
    [
      'that a hook says was answered, and the server never got',
      ['CALL_UNSENT@11'],
      (made) => made.asked().hook().ended().told(),
    ],
    [
      'of another tool than the model asked for',
      ['CALL_DIFFERS@11'],
      (made) => made.asked(ID, { tool: 'Bash' }).hook(ID, { tool: 'Read' }).ended().told(),
    ],
    [
      'of another tool than the server got',
      ['CALL_DIFFERS@11'],
      (made) => made.asked().hook().sent(ID, { tool: 'write' }).ended().told(),
    ],
    [
      'that went well, and the model was told that it failed',
      ['RESULT_DIFFERS@13'],
      (made) => made.asked().hook().sent().ended().told(ID, true),
    ],
    [
      'that went well, and the server said that it failed',
      ['RESULT_DIFFERS@14'],
      (made) => made.asked().hook().sent().answered(ID, 'error').ended().told(),
    ],
  ])('%s', async (_, codes, tell) => {
    expect(await judged(tell(all()))).toEqual({ codes, status: 'fail', verdict: 'VIOLATION' });
  });

  it('in its message', async () => {
    const report = await verify(all().asked().told().seal().files);
    expect(report.facets.completeness.findings[0]?.message).toBe(
      `the gateway saw ${TOOL} (${ID}), but no hook reported it`,
    );
    expect(report.sentence).toContain('entry 10: the gateway saw');
  });
});

describe('X3c says that it can not tell', () => {
  it.each<[string, string[], (made: Wires) => Wires]>([
    ['whether what failed was begun', ['CALL_UNSEEN@10'], (made) => made.asked().told(ID, true)],
    [
      'whether a model asked, where an answer could not be read',
      ['CALL_UNSEEN@12'],
      (made) => made.gateway('part').hook(),
    ],
    [
      'whose arguments they are, where they differ',
      ['CALL_ARGUMENTS_DIFFER@11'],
      (made) =>
        made
          .asked(ID, { inputHash: hash('d') })
          .hook()
          .sent()
          .ended()
          .told(),
    ],
  ])('%s', async (_, codes, tell) => {
    expect(await judged(tell(all()))).toEqual({ codes, status: 'unknown', verdict: 'INTACT' });
  });

  it('what happened while a place says that it could not record', async () => {
    const gap = { reason: 'unrecorded', events: 1, why: 'the disk was full' } as const;
    const past = { since: '2000-01-01T00:00:00.000Z', until: '2000-01-01T00:00:01.000Z' };
    const always = { since: '2000-01-01T00:00:00.000Z', until: '2999-01-01T00:00:00.000Z' };
    const told = (more: { since: string; until: string; calls: string[] }) =>
      judged(
        all()
          .asked()
          .told()
          .by('hook:claude-code', 'gap', encodeGap({ ...gap, ...more })),
      );
    const blind = { codes: ['BLIND@12', 'CALL_BLIND@10'], status: 'unknown', verdict: 'INTACT' };
    expect(await told({ ...always, calls: [] })).toEqual(blind);
    expect(await told({ ...past, calls: [ID] })).toEqual(blind);
    expect((await told({ ...past, calls: [] })).codes).toEqual(['BLIND@12', 'CALL_MISSED@10']);
  });
});

describe('a place is not held to what it can not have seen', () => {
  it.each<[string, (made: Wires) => Wires]>([
    ['a model may ask for what is never run', (made) => made.asked()],
    [
      'a call before the gateway was asked anything',
      () => new Wires().hooks().hook().ended().gateway().asked('x').hook('x'),
    ],
    ['a client without hooks', () => new Wires().gateway().asked().told().sent('x')],
    [
      'hooks of a host whose ids may be others',
      (made) => made.by('hook:codex', 'tool.call', call('call_1', 'shell')),
    ],
    [
      'a proxy that has ended',
      (made) => made.by('mcp', 'session.end', {}, PROXY_SESSION).asked().hook().ended().told(),
    ],
    [
      'a call that was denied',
      (made) => made.asked().by('hook:claude-code', 'tool.denied', call(ID, TOOL)).told(ID, true),
    ],
    ['a server while no hooks record', (made) => made.by('hook:claude-code', 'session.end').sent()],
    [
      'arguments where a host adds members of its own',
      (made) =>
        made
          .asked(ID, { inputHash: hash('d') })
          .hook()
          .sent()
          .ended(ID, { files: [{ path: 'a' }] })
          .told(),
    ],
  ])('%s', async (_, tell) => {
    expect((await judged(tell(all()))).codes).toEqual([]);
  });
});

describe('a ledger without bounds', () => {
  const entries = (count: number, make: (i: number) => Partial<Entry>): Entry[] =>
    Array.from({ length: count }, (_, i) => ({
      v: 1,
      seq: i + 1,
      ts: '2026-01-01T00:00:00.000Z',
      cause: null,
      session_id: S,
      source: 'hook:claude-code',
      prev_hash: hash('0'),
      entry_hash: hash('0'),
      kind: 'tool.call',
      payload: {},
      ...make(i),
    })) as Entry[];

  it.each<[string, (i: number) => Partial<Entry>]>([
    ['of calls', (i) => ({ payload: call(`toolu_${i}`, 'Bash') })],
    ['of sessions', (i) => ({ session_id: i.toString(16).padStart(64, '0'), payload: call(ID, 'Bash') })],
    [
      'of gaps',
      () => ({
        kind: 'gap',
        payload: encodeGap({
          reason: 'off',
          since: '2026-01-01T00:00:00.000Z',
          until: '2026-01-01T00:00:00.000Z',
          events: null,
          why: '',
          calls: [],
        }),
      }),
    ],
  ])('%s is said to be more than is compared', (_, make) => {
    const findings = new Findings();
    const check = new CompletenessCheck(findings, { calls: 4, sessions: 4, gaps: 4 });
    for (const entry of entries(9, make)) check.entry(entry);
    check.finish();
    expect(findings.of('completeness').map(({ code }) => code)).toContain('COMPLETENESS_TOO_MUCH');
  });

  it('of anything does not make it throw', () => {
    const check = new CompletenessCheck(new Findings());
    const kinds = [
      'gap',
      'model.call',
      'model.result',
      'model.tool_use',
      'model.tool_result',
      'tool.call',
      'tool.result',
      'session.end',
    ];
    const payloads = [
      {},
      { tool_use_id: 'x' },
      { tool_use_id: 'x', tool: 1 },
      { tool_use_id: 'x', tool: 'y', mcp: null },
      { tool_use_id: 'x', tool: 'y', mcp: { server: {} } },
      { reason: 'off' },
    ];
    for (const source of ['gateway', 'mcp', 'hook:claude-code', 'x'])
      for (const kind of kinds)
        for (const payload of payloads)
          for (const entry of entries(1, () => ({ source, kind, payload: payload as JsonObject })))
            check.entry(entry);
    expect(() => check.finish()).not.toThrow();
  });
});
