// Entries of a ledger as a pipe-separated log: which become lines, what stands in them, what is escaped.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  encodeGentlyLine,
  exportGently,
  GENTLY_EVENTS,
  type GentlyFacts,
  parseGentlyLine,
  verifyGentlyLog,
} from '../../src/exports/index.ts';
import {
  encodeAnchorStamp,
  encodeAuthFail,
  encodeAuthOk,
  encodeBranchCreate,
  encodeBranchSwitch,
  encodeSessionCut,
  GENESIS,
} from '../../src/format/index.ts';
import { checkStrict } from '../core/parser-property.ts';
import { block, Entries, KEY } from './session-entries.ts';

const HASH = 'ab'.repeat(32);
const TS = '2026-01-02T04:25:37.000Z';

function exported({ all }: Entries): { text: string; lines: string[]; malformed: number } {
  const log = exportGently();
  const text = all.map((entry) => log.add(entry)).join('');
  return { text, lines: text.split('\n').slice(0, -1), malformed: log.malformed };
}

const fields = (line: string): string[] => line.split('|').slice(1);
const events = (lines: readonly string[]): string[][] =>
  lines.map((line) => {
    const [height = '', , event = '', , details = ''] = fields(line);
    return [height, event, details.replaceAll(/[0-9a-f]{64}/g, '…')];
  });

/** One session with everything in it. */
function everything(): Entries {
  const log = new Entries();
  log.add('ledger.open', {});
  log.add('auth.fail', encodeAuthFail({ reason: 'malformed', key: null, at: 'start' }));
  const session = log.session({ authKey: KEY, block: block(930226) });
  session.entry('auth.ok', encodeAuthOk({ key: KEY, name: 'lap|top, 1', at: 'start' }));
  session.entry('branch.create', encodeBranchCreate('branch-4'));
  session.entry('branch.switch', encodeBranchSwitch({ from: 'branch-1', to: 'branch-4' }));
  session.prompt(HASH);
  session.entry('tool.call', { tool: 'Bash' });
  session.response(HASH, 'cd'.repeat(32));
  session.entry('auth.fail', encodeAuthFail({ reason: 'revoked', key: KEY, at: 'prompt' }));
  session.anchor(block(930227));
  session.prompt(HASH);
  session.response(HASH, null, { model: null });
  session.end(block(930228));
  const stamp = { size: 14, digest: HASH, calendars: ['https://a.example'], proofSha256: HASH };
  log.add('anchor.stamp', encodeAnchorStamp({ ...stamp, state: 'pending', block: null }));
  log.add('anchor.stamp', encodeAnchorStamp({ ...stamp, state: 'complete', block: block(930227) }));
  log.session();
  return log;
}

describe('exportGently', () => {
  it('G8a, G9a: has a line for every event of a session, with its details and the height it was at', () => {
    const { lines } = exported(everything());
    expect(events(lines)).toEqual([
      ['none', 'auth_fail', 'reason:malformed,at:start,key:none'],
      ['930226', 'session_start', 'btc:930226,branch:branch-4,block:…,auth:…,prev:…'],
      ['930226', 'auth_validate', 'key:…,at:start,name:lap%7Ctop%2C 1'],
      ['930226', 'branch_create', 'branch:branch-4'],
      ['930226', 'branch_switch', 'from:branch-1,to:branch-4'],
      ['930226', 'prompt', 'hash:…,seq:1'],
      ['930226', 'response', 'hash:…,seq:1,model:opus,prompt:…,chain:…'],
      ['930226', 'auth_fail', 'reason:revoked,at:prompt,key:…'],
      ['930227', 'btc_anchor', 'btc:930227,block:…'],
      ['930227', 'prompt', 'hash:…,seq:2'],
      ['930227', 'response', 'hash:none,seq:2,prompt:…,chain:…'],
      ['930228', 'session_end', 'btc:930228,interactions:2,block:…,chain:…,final:…'],
      ['930228', 'btc_anchor', 'btc:930227,block:…,size:14,digest:…'],
      ['930228', 'session_start', 'btc:none,branch:none,block:none,auth:none,prev:…'],
    ]);
    expect(new Set(events(lines).map(([, event]) => event))).toEqual(new Set(GENTLY_EVENTS));
  });

  it('G8b, G8c: carries what its hashes are made of, so that all of them are made again', async () => {
    const { text, lines } = exported(everything());
    const report = await verifyGentlyLog([Buffer.from(text)]);
    expect(report.failures).toEqual([]);
    expect(report.counts).toMatchObject({ sessions: 2, open: 1, interactions: 2, anchors: 4 });
    expect(report.lastHash).toBe(lines.at(-1)?.slice(0, 64));
  });

  it('G8a: is honest about sessions without a block, one that comes late, and several at once', async () => {
    const log = new Entries();
    const one = log.session({ branch: 'branch-0' });
    const two = log.session({ authKey: KEY, block: block(7) });
    one.prompt(HASH);
    two.prompt(HASH);
    two.response(HASH, HASH);
    one.anchor(block(9));
    one.response(null, HASH);
    two.end();
    one.end(block(8));
    const { text, lines } = exported(log);
    expect(lines.map((line) => fields(line)[0])).toEqual(['none', '7', '7', '7', '7', '9', '9', '9', '8']);
    expect(await verifyGentlyLog([Buffer.from(text)])).toMatchObject({
      valid: true,
      facets: { sessions: { status: 'pass' } },
    });
  });

  it('tells of a session that was cut off as one that has ended, and of an old end what it knows', async () => {
    const log = new Entries();
    const cut = log.session();
    cut.response(HASH, HASH);
    const hostProcess = { pid: 7, started: '1', boot: 'b' };
    const facts = { hostProcess, interactions: 1, chainHash: cut.chain };
    cut.entry('session.cut', encodeSessionCut({ reason: 'rebooted', ...facts }));
    const old = log.session({ more: { interaction_kind: 'response' } });
    old.entry('session.end', { reason: 'end', exit_code: null, counts: {}, block: null });
    const { text, lines } = exported(log);
    expect(events(lines).map(([, , details]) => details)).toEqual([
      'btc:none,branch:none,block:none,auth:none,prev:…',
      'hash:…,seq:1,model:opus,prompt:…,chain:…',
      'btc:none,interactions:1,block:none,chain:…,final:none,cut:rebooted',
      'btc:none,branch:none,block:none,auth:none,prev:…',
      'btc:none,interactions:none,block:none,chain:none,final:none',
    ]);
    expect((await verifyGentlyLog([Buffer.from(text)])).facets.sessions.status).toBe('pass');
  });

  it('takes model calls for prompts and responses where they are the interactions, and only there', () => {
    const log = new Entries();
    const client = log.session({ source: 'gateway', interactionKind: 'model.result' });
    client.entry('model.call', { prompt_hash: HASH });
    client.entry('model.call', { prompt_hash: HASH }, { source: 'sdk' });
    client.response(HASH, HASH);
    const host = log.session({ source: 'hook:codex' });
    host.entry('model.call', { prompt_hash: HASH }, { source: 'gateway' });
    host.entry('model.result', { response_hash: HASH }, { source: 'gateway' });
    host.entry('prompt', { prompt_hash: HASH, sequence: null }, { source: 'gateway' });
    expect(events(exported(log).lines).map(([, event, details]) => [event, details])).toEqual([
      ['session_start', 'btc:none,branch:none,block:none,auth:none,prev:…'],
      ['prompt', 'hash:…,seq:none'],
      ['response', 'hash:…,seq:1,model:opus,prompt:…,chain:…'],
      ['session_start', 'btc:none,branch:none,block:none,auth:none,prev:…'],
      ['prompt', 'hash:…,seq:none'],
    ]);
  });

  it('leaves out what is malformed, counts it, and stays a log that can be read', async () => {
    const kinds =
      'session.start session.end session.cut prompt response model.call model.result auth.ok auth.fail branch.create branch.switch anchor.block anchor.stamp note';
    const names =
      'auth_key block branch agent interaction interaction_kind sequence prompt_hash response_hash chain_hash final_hash interactions reason at key name from to height hash time header size digest state calendars proof_sha256 model pid';
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(HASH, 'branch-3', 'start', 'revoked', 1, 0, null, 'model.result', { ...block(3) }),
    ) as fc.Arbitrary<Json>;
    const some = fc.record({
      kind: fc.constantFrom(...kinds.split(' ')),
      payload: fc.dictionary(fc.constantFrom(...names.split(' ')), value) as fc.Arbitrary<JsonObject>,
      session_id: fc.constantFrom(null, HASH),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 12 }), async (list) => {
        const log = exportGently();
        const text = list
          .map((each, i) =>
            log.add({
              ...each,
              cause: null,
              prev_hash: HASH,
              seq: i + 1,
              source: 'sdk',
              ts: TS,
              v: 1,
              entry_hash: HASH,
            }),
          )
          .join('');
        const { facets } = await verifyGentlyLog([Buffer.from(text)]);
        expect(facets.integrity.findings.map(({ code }) => code)).toEqual(text === '' ? ['EMPTY_LOG'] : []);
      }),
    );
    const log = new Entries();
    log.add('auth.ok', { key: 'x' });
    log.add('branch.create', { branch: 'main' });
    expect(exported(log)).toMatchObject({ text: '', malformed: 2 });
  });
});

describe('parseGentlyLine', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('|', ',', '\n', '\r', '%', ':', '\u0000', '\u0085', 'ü', '💥', 'none'),
    }),
  );

  it('G8b: gives back any text in any field', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (one, two, height) => {
        const facts: GentlyFacts[] = [
          {
            height,
            ts: TS,
            event: 'auth_validate',
            session: HASH,
            details: { key: KEY, at: one, name: two },
          },
          {
            height: null,
            ts: TS,
            event: 'auth_fail',
            session: null,
            details: { reason: one, at: two, key: null },
          },
          {
            height,
            ts: TS,
            event: 'response',
            session: HASH,
            details: { hash: HASH, seq: 1, model: one, prompt: null, chain: HASH },
          },
          {
            height,
            ts: TS,
            event: 'session_end',
            session: HASH,
            details: { btc: null, interactions: 0, block: null, chain: null, final: null, cut: two },
          },
        ];
        for (const each of facts) {
          const { line, hash } = encodeGentlyLine(each, GENESIS);
          expect(line).not.toMatch(/[\n\r\0]/);
          expect(line.split('|')).toHaveLength(6);
          const { said, ...parsed } = parseGentlyLine(Buffer.from(line));
          expect(parsed).toEqual({ ...each, hash });
          expect(line).toBe(`${hash}|${said}`);
        }
      }),
    );
  });

  it('cuts what is long, and what is half a character is none', () => {
    const facts = { height: null, ts: TS, event: 'auth_fail', session: null } as const;
    const details = { reason: `\ud800${'|'.repeat(9000)}`, at: 'start', key: null };
    const { line } = encodeGentlyLine({ ...facts, details }, GENESIS);
    expect(parseGentlyLine(Buffer.from(line)).details.reason).toBe(`\ufffd${'|'.repeat(1022)}…`);
  });

  it('throws nothing but ParseError, and accepts only what is written back byte for byte', () => {
    const samples = exported(everything()).lines.filter((_, i) => i < 3 || i === 6);
    checkStrict(
      parseGentlyLine,
      (line) => Buffer.from(`${line.hash}|${encodeGentlyLine(line, GENESIS).line.slice(65)}`),
      samples.map((line) => Buffer.from(line)),
    );
  });

  it.each([
    ['', 'blank'],
    ['x'.repeat(65_536), 'longer'],
    ['|||||', 'hash'],
    ['\uFFFD', 'six fields'],
  ])('refuses %j', (line, message) => {
    const parse = (): unknown => parseGentlyLine(Buffer.from(line));
    expect(parse).toThrow(ParseError);
    expect(parse).toThrow(message);
  });
});
