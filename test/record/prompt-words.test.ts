// What a prompt says, kept as content by reference: the words that told the agent to go past the gate, and the words of a
// contract that bind nothing. They go with the session's content, and entries of before they were kept still parse.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contract } from '../../src/cli/commands/contract.ts';
import { overrides } from '../../src/cli/commands/overrides.ts';
import { ParseError } from '../../src/core/index.ts';
import { parseContract, parseOverride } from '../../src/format/index.ts';
import { hookedLedger } from '../cli/hooked-ledger.ts';

const PROMPT = 'Fix the wobbly parser in `src/a.js`. Please Skip  the tests this time.';
const HASH = 'ab'.repeat(32);
const REF = { $content: `hmac-sha256:${HASH}`, bytes: 3, type: 'text/plain' };

describe('an override', () => {
  it("B8a keeps the prompt's own words as content, and foil overrides shows them", async () => {
    const ledger = await hookedLedger();
    await ledger.hook(ledger.prompt(PROMPT), { judged: true });
    const entry = ledger.entries().find(({ kind }) => kind === 'override');
    expect(parseOverride(entry?.payload ?? {}).quote.ref).toMatchObject({ $content: expect.any(String) });
    expect(JSON.stringify(entry)).not.toContain('Skip  the');
    const said = await ledger.run(overrides);
    expect(said.json).toMatchObject({ overrides: [{ words: expect.stringMatching(/^Skip\s+the tests/) }] });
    expect(said.text).toMatch(/"Skip\s+the tests/);
    // Gone with the content; the entry and its phrase stay.
    rmSync(join(ledger.directory, 'blobs'), { recursive: true });
    expect((await ledger.run(overrides)).json).toMatchObject({ overrides: [{ words: null }] });
  });

  it('B8a where no content is kept, none is kept of this either', async () => {
    const ledger = await hookedLedger();
    writeFileSync(join(ledger.work, 'counterfoil.yaml'), 'content: none\n');
    await ledger.hook(ledger.prompt(PROMPT), { judged: true });
    const entry = ledger.entries().find(({ kind }) => kind === 'override');
    expect(entry?.payload).toMatchObject({
      quote: null,
      quote_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const asked = ledger.entries().find(({ kind }) => kind === 'contract');
    expect(asked?.payload).toMatchObject({ keywords: null, keywords_hash: expect.any(String) });
    expect(JSON.stringify(ledger.entries())).not.toContain('wobbly');
  });

  it('of an older recorder has a hash alone, and still parses', () => {
    expect(parseOverride({ phrase: 'skip tests', quote_hash: HASH })).toEqual({
      phrase: 'skip tests',
      quote: { hash: HASH, ref: null },
    });
    expect(parseOverride({ phrase: 'p', quote: REF, quote_hash: HASH }).quote).toEqual({
      hash: HASH,
      ref: REF,
    });
  });

  it.each([
    ['no hash', { phrase: 'p', quote: REF }],
    ['a hash that is none', { phrase: 'p', quote: null, quote_hash: null }],
    ['words in clear', { phrase: 'p', quote: 'skip', quote_hash: HASH }],
    ['a reference that is none', { phrase: 'p', quote: { $content: 'x' }, quote_hash: HASH }],
    ['a member more', { phrase: 'p', quote: REF, quote_hash: HASH, prompt: 'x' }],
  ])('with %s is refused', (_, payload) => {
    expect(() => parseOverride(payload)).toThrow(ParseError);
  });
});

describe('a contract', () => {
  it('B2a keeps its keywords, as content, and contract show prints them', async () => {
    const ledger = await hookedLedger();
    await ledger.hook(ledger.prompt(PROMPT), { judged: true });
    const entry = ledger.entries().find(({ kind }) => kind === 'contract');
    expect(entry?.payload).toMatchObject({
      target_fields: { keywords: [] },
      keywords: { bytes: expect.any(Number) },
    });
    expect(JSON.stringify(entry)).not.toContain('wobbly');
    const said = await ledger.run(contract, 'show');
    expect(said.json).toMatchObject({
      contract: { target_fields: { keywords: expect.arrayContaining(['wobbly', 'parser']) } },
    });
    expect(said.text).toMatch(/^ {2}keywords:\n(?: {4}- .*\n)* {4}- wobbly$/m);
    rmSync(join(ledger.directory, 'blobs'), { recursive: true });
    expect((await ledger.run(contract, 'show')).text).toContain('  keywords: []');
  });

  const OLD = {
    intent: 'fix',
    objective: null,
    objective_hash: null,
    target_fields: { paths: [], urls: [], backtick_tokens: [], command_hints: [], keywords: [] },
    ladder: [],
    expected_verification: [],
    required_response_mode: 'free',
    allows_weakening: false,
  };

  it('of an older recorder has none, and still parses; keywords never become a field that binds', () => {
    expect(parseContract(OLD)).not.toHaveProperty('keywords');
    const parsed = parseContract({ ...OLD, keywords: REF, keywords_hash: HASH });
    expect(parsed.keywords).toEqual({ hash: HASH, ref: REF });
    expect(parsed.fields.keywords).toEqual([]);
  });

  it.each([
    ['no hash', { ...OLD, keywords: REF }],
    ['a hash alone', { ...OLD, keywords_hash: HASH }],
    ['words in clear', { ...OLD, keywords: ['wobbly'], keywords_hash: HASH }],
    ['a hash that is none', { ...OLD, keywords: null, keywords_hash: 'x' }],
  ])('with %s is refused', (_, payload) => {
    expect(() => parseContract(payload)).toThrow(ParseError);
  });
});
