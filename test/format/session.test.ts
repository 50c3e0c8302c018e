// spec/vectors/session.json: the formulas of a session, recomputed here with node:crypto alone and by the product's code;
// and the payloads of its life, which come back as they were written and are refused when they are not whole.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  authKeyIdOf,
  chainHashOf,
  finalHashOf,
  type JsonObject,
  ParseError,
  parseHex,
} from '../../src/core/index.ts';
import {
  type BlockFact,
  branchOf,
  encodeAnchorStamp,
  encodeAuthFail,
  encodeAuthOk,
  encodeBlockFact,
  encodeBranchSwitch,
  encodeInteraction,
  encodeSessionCut,
  encodeSessionEnd,
  encodeSessionStart,
  parseAnchorStamp,
  parseAuthFail,
  parseAuthOk,
  parseBlockFact,
  parseBranchSwitch,
  parseInteraction,
  parseSessionCut,
  parseSessionEnd,
  parseSessionStart,
} from '../../src/format/index.ts';

const file = join(import.meta.dirname, '../../spec/vectors/session.json');
const ZEROS = '0'.repeat(64);
const [SESSION, PROMPT, RESPONSE, CHAIN] = ['a1', 'b2', 'c3', 'd4'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
  string,
];
/** Block 800000, as explorers show it, and with its bytes reversed. */
const BLOCK = '00000000000000000002a7c4c1e48d76c5a37902165a270156b7a8d72728a054';
const reversed = (hex: string): string => Buffer.from(hex, 'hex').reverse().toString('hex');
const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const raw = (...parts: readonly string[]): string => sha256(Buffer.from(parts.join(''), 'hex'));

interface Vector {
  readonly formula: 'chain_hash' | 'final_hash' | 'branch' | 'auth_key';
  readonly name: string;
  readonly input: readonly (string | number | null)[];
  readonly output: string;
  readonly valid: boolean;
}

function vectors(): Vector[] {
  const chain = (name: string, input: readonly (string | null)[], output: string, valid = true): Vector => ({
    formula: 'chain_hash',
    name,
    input,
    output,
    valid,
  });
  const final = (name: string, input: readonly (string | null)[], output: string, valid = true): Vector => ({
    ...chain(name, input, output, valid),
    formula: 'final_hash',
  });
  const branch = (height: number | null, output: string, valid = true): Vector => ({
    formula: 'branch',
    name: `height ${height}`,
    input: [height],
    output,
    valid,
  });
  const tag = Buffer.from('counterfoil/auth-key/v1\n');
  const key = (name: string, output: string, valid = true): Vector => ({
    formula: 'auth_key',
    name,
    input: [SESSION],
    output,
    valid,
  });
  const bytes = Buffer.from(SESSION, 'hex');
  return [
    chain('the first, behind the session id', [SESSION, PROMPT, RESPONSE], raw(SESSION, PROMPT, RESPONSE)),
    chain('the next', [CHAIN, PROMPT, RESPONSE], raw(CHAIN, PROMPT, RESPONSE)),
    chain('no prompt was seen', [CHAIN, null, RESPONSE], raw(CHAIN, ZEROS, RESPONSE)),
    chain('the host tells no response', [CHAIN, PROMPT, null], raw(CHAIN, PROMPT, ZEROS)),
    chain('hex instead of raw bytes', [CHAIN, PROMPT, RESPONSE], sha256(CHAIN + PROMPT + RESPONSE), false),
    chain('what is absent left out', [CHAIN, null, RESPONSE], raw(CHAIN, RESPONSE), false),
    chain('the response first', [CHAIN, PROMPT, RESPONSE], raw(CHAIN, RESPONSE, PROMPT), false),
    chain('a time hashed with it', [CHAIN, PROMPT, RESPONSE], raw(CHAIN, PROMPT, RESPONSE, '00'), false),
    final('with a block', [SESSION, BLOCK, CHAIN], raw(SESSION, BLOCK, CHAIN)),
    final('without a block', [SESSION, null, CHAIN], raw(SESSION, ZEROS, CHAIN)),
    final('no interaction', [SESSION, BLOCK, null], raw(SESSION, BLOCK, ZEROS)),
    final(
      'the block in the order of the wire',
      [SESSION, BLOCK, CHAIN],
      raw(SESSION, reversed(BLOCK), CHAIN),
      false,
    ),
    final(
      'the session id for want of an interaction',
      [SESSION, BLOCK, null],
      raw(SESSION, BLOCK, SESSION),
      false,
    ),
    final('the block hash as text', [SESSION, BLOCK, CHAIN], sha256(SESSION + BLOCK + CHAIN), false),
    branch(930226, 'branch-4'),
    branch(0, 'branch-1'),
    branch(930228, 'branch-6'),
    branch(null, 'branch-0'),
    branch(930226, 'branch-2', false),
    branch(6, 'branch-0', false),
    key('tagged', sha256(Buffer.concat([tag, bytes]))),
    key('without the tag', sha256(bytes), false),
    key('hex instead of raw bytes', sha256(`counterfoil/auth-key/v1\n${SESSION}`), false),
  ];
}

if (process.env.UPDATE_VECTORS === '1') {
  const about =
    'chain_hash = SHA-256(prev ‖ prompt_hash ‖ response_hash); final_hash = SHA-256(session_id ‖ closing block hash ‖ last chain hash), 32 raw bytes each, zeros for null, block hashes in display order; branch-(height % 7 + 1), branch-0 for none; auth_key = SHA-256("counterfoil/auth-key/v1\\n" ‖ 32 bytes). Not valid: another value than that.';
  writeFileSync(file, `${JSON.stringify({ about, vectors: vectors() }, null, 1)}\n`);
}

const [text, number] = [(value: unknown) => value as string, (value: unknown) => value as number | null];
const FORMULAS: Record<Vector['formula'], (input: Vector['input']) => string> = {
  chain_hash: ([prev, prompt, response]) =>
    chainHashOf(text(prev), prompt as string | null, response as string | null),
  final_hash: ([session, block, chain]) =>
    finalHashOf(text(session), block as string | null, chain as string | null),
  branch: ([height]) => branchOf(number(height)),
  auth_key: ([key]) => authKeyIdOf(parseHex(text(key))),
};

describe('session.json', () => {
  const pinned = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors;

  it('is what the formulas give', () => {
    expect(pinned).toEqual(vectors());
    for (const formula of Object.keys(FORMULAS))
      expect(
        pinned.some((vector) => vector.formula === formula && !vector.valid),
        formula,
      ).toBe(true);
  });

  it.each(pinned)('G1, G4, G5, G6 $formula: $name', ({ formula, input, output, valid }) => {
    expect(FORMULAS[formula](input) === output).toBe(valid);
  });

  it('refuses what has not 32 bytes', () => {
    for (const bad of ['', 'ab', 'AB'.repeat(32), `${CHAIN}00`]) {
      expect(() => chainHashOf(bad, PROMPT, RESPONSE), bad).toThrow();
      expect(() => chainHashOf(CHAIN, bad, RESPONSE), bad).toThrow();
      expect(() => finalHashOf(SESSION, BLOCK, bad), bad).toThrow();
    }
    expect(() => authKeyIdOf(new Uint8Array(31))).toThrow(RangeError);
  });
});

describe('payloads of a session', () => {
  const block: BlockFact = { height: 800_000, hash: BLOCK, time: 1_690_168_629, header: 'ab'.repeat(80) };
  const start = {
    agent: 'claude-code',
    agentSession: 's',
    workspaceRoot: '/p',
    trigger: 'startup',
    resumes: CHAIN,
    pack: PROMPT,
    interaction: 'hook:claude-code',
    interactionKind: 'response',
    mode: 'guard',
    content: 'keep',
    hashes: 'salted',
    redaction: 'default',
    configHash: null,
    transcript: null,
    hostProcess: { pid: 7, started: '123', boot: 'b' },
  } as const;
  const bound = { authKey: PROMPT, block, branch: 'branch-5' };
  const closing = { block, interactions: 2, chainHash: CHAIN, finalHash: RESPONSE };
  const counts = { prompts: 2, responses: 2, calls: 0, results: 0, denied: 0, redacted: 0 };
  const cut = {
    reason: 'rebooted',
    hostProcess: start.hostProcess,
    interactions: 1,
    chainHash: null,
  } as const;
  const stamp = {
    size: 9,
    digest: PROMPT,
    state: 'complete',
    calendars: ['https://a.example'],
    block,
    proofSha256: CHAIN,
  } as const;

  it('come back as they were written', () => {
    const { agent, resumes, pack, interaction, interactionKind, hostProcess } = start;
    const found = { agent, resumes, pack, interaction, interactionKind, hostProcess, ...bound };
    expect(parseSessionStart(encodeSessionStart(start, bound))).toEqual(found);
    const end = { reason: 'exit', exitCode: 0, counts };
    expect(parseSessionEnd(encodeSessionEnd(end, closing))).toEqual(closing);
    expect(parseSessionCut(encodeSessionCut(cut))).toEqual(cut);
    expect(parseBlockFact(encodeBlockFact(block))).toEqual(block);
    expect(parseAnchorStamp(encodeAnchorStamp(stamp))).toEqual(stamp);
    const ok = { key: PROMPT, name: 'me', at: 'start' } as const;
    expect(parseAuthOk(encodeAuthOk(ok))).toEqual(ok);
    const fail = { reason: 'revoked', key: null, at: 'prompt' } as const;
    expect(parseAuthFail(encodeAuthFail(fail))).toEqual(fail);
    const change = { from: 'branch-1', to: 'branch-2' };
    expect(parseBranchSwitch(encodeBranchSwitch(change))).toEqual(change);
    const interaction1 = { sequence: 1, promptHash: PROMPT, chainHash: CHAIN };
    expect(parseInteraction({ ...encodeInteraction(interaction1), response_hash: null, model: 'm' })).toEqual(
      {
        ...interaction1,
        responseHash: null,
        model: 'm',
      },
    );
  });

  it('of before there were chains are told from damaged ones', () => {
    expect(parseSessionEnd({ reason: null, exit_code: null, counts, block: null })).toBeNull();
    expect(parseInteraction({ response_hash: RESPONSE })).toBeNull();
    expect(parseInteraction({ ...encodeInteraction(null), response_hash: RESPONSE })).toBeNull();
    const { interaction_kind: _, pid_started: __, boot_id: ___, ...old } = encodeSessionStart(start, bound);
    expect(parseSessionStart(old)).toMatchObject({
      interactionKind: null,
      hostProcess: { pid: 7, started: null, boot: null },
    });
  });

  const whole: readonly (readonly [
    string,
    JsonObject,
    (payload: JsonObject) => unknown,
    readonly string[],
  ])[] = [
    [
      'session.start',
      encodeSessionStart(start, bound),
      parseSessionStart,
      ['auth_key', 'block', 'interaction_kind'],
    ],
    [
      'session.end',
      encodeSessionEnd({ reason: null, exitCode: null, counts }, closing),
      parseSessionEnd,
      ['block', 'interactions', 'chain_hash', 'final_hash'],
    ],
    ['session.cut', encodeSessionCut(cut), parseSessionCut, ['reason', 'pid', 'interactions', 'chain_hash']],
    ['anchor.block', encodeBlockFact(block), parseBlockFact, ['height', 'hash', 'time', 'header']],
    [
      'anchor.stamp',
      encodeAnchorStamp(stamp),
      parseAnchorStamp,
      ['size', 'digest', 'state', 'block', 'proof_sha256'],
    ],
    [
      'response',
      {
        ...encodeInteraction({ sequence: 1, promptHash: PROMPT, chainHash: CHAIN }),
        response_hash: RESPONSE,
      },
      parseInteraction,
      ['sequence', 'prompt_hash', 'response_hash', 'chain_hash'],
    ],
  ];
  it.each(whole)('%s with a member that is something else is refused', (_, payload, parse, names) => {
    for (const name of names)
      for (const bad of [false, -1, 1.5, 'x', [], { height: 'x' }])
        expect(() => parse({ ...payload, [name]: bad }), `${name} ${JSON.stringify(bad)}`).toThrow(
          ParseError,
        );
  });
});
