// foil audit, through the built file, on ledgers that a program recorded.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tidyUp } from '../../src/app/upkeep/upkeep.ts';
import { DAY } from '../../src/ledger/index.ts';
import { real } from '../anchor/blocks/servers.ts';
import { speak } from './bound-ledger.ts';
import { Sandbox } from './foil.ts';

const GENESIS = '39d8668c9e1c18834931c26be61912c018fcc8e17d52f36b0a00c7020fe1ab69';
const BEGUN = real(900_001);
const TURNS = [
  ['add a test', 'I added one.'],
  ['and run it', 'It passes, I think. Not verified.'],
] as const;

const names = (text: string): string[] => text.split('\n').map((line) => line.split(':')[0] ?? '');
const line = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .find((each) => each.startsWith(`${name}: `))
    ?.slice(name.length + 2);

describe('foil audit', () => {
  const sandbox = new Sandbox();
  const ids: Record<'bound' | 'none' | 'sealed' | 'plain', string> = {
    bound: '',
    none: '',
    sealed: '',
    plain: '',
  };
  beforeAll(async () => {
    sandbox.ledger();
    ids.bound = await speak(sandbox, { turns: TURNS, block: BEGUN });
    ids.none = await speak(sandbox, { turns: TURNS, config: { content: 'none' } });
    ids.sealed = await speak(sandbox, { turns: TURNS, config: { content: 'encrypt' } });
    ids.plain = await speak(sandbox, { turns: TURNS, config: { hashes: 'plain' } });
    sandbox.ok(['checkpoint']);
  });
  afterAll(() => sandbox.remove());

  it('G10a, G14: verify prints the five lines, and what is not known below them', () => {
    const { code, stdout } = sandbox.run(['audit', 'verify']);
    expect(code).toBe(0);
    const { entries, counts } = sandbox.json(['verify']) as { entries: number; counts: { anchors: number } };
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      `Genesis: ${GENESIS}`,
      `Entries: ${entries}`,
      'Chain integrity: VALID',
      `BTC anchors: ${counts.anchors}`,
      'Sessions: 4',
    ]);
    expect(counts.anchors).toBe(2);
    expect(sandbox.json(['audit', 'verify'])).toMatchObject({
      genesis: GENESIS,
      entries,
      chain_integrity: 'VALID',
      btc_anchors: 2,
      sessions: 4,
      verdict: 'INTACT',
    });
  });

  it('G11a: session prints the seven lines, each with one answer', () => {
    const [{ vkey } = { vkey: '' }] = sandbox.json(['key', 'list']) as { vkey: string }[];
    const { code, stdout } = sandbox.run(['audit', 'session', ids.bound.slice(0, 12), '--key', vkey]);
    expect(code).toBe(0);
    expect(sandbox.ok(['audit', 'session', ids.bound])).toBe(
      `${stdout}Not known: NO_PINNED_KEY: you pinned no key for this ledger; compare ${vkey} with its owner and pin it\n`,
    );
    expect(stdout).toBe(
      [
        `Session: ${ids.bound}`,
        `Start BTC: ${BEGUN.height}`,
        `End BTC: ${BEGUN.height}`,
        'Interactions: 2',
        `Branch: branch-${(BEGUN.height % 7) + 1}`,
        'Chain integrity: VALID',
        'All hashes verified: YES',
        '',
      ].join('\n'),
    );
    expect(sandbox.json(['audit', 'session', ids.bound, '--key', vkey])).toMatchObject({
      session: ids.bound,
      state: 'ended',
      start_btc: { height: BEGUN.height, hash: BEGUN.hash },
      end_btc: { height: BEGUN.height },
      interactions: 2,
      chain_integrity: 'VALID',
      all_hashes_verified: 'YES',
      hashes: { verified: 11, wrong: 0 },
      findings: [],
    });
  });

  it('G11c: session says how many hashes could not be made again, and why', () => {
    const of = (id: string): string => sandbox.ok(['audit', 'session', id]);
    expect(line(of(ids.none), 'All hashes verified')).toBe('4 of 8 (content of 4 not kept)');
    expect(line(of(ids.plain), 'All hashes verified')).toBe('YES');
    expect(line(of(ids.sealed), 'All hashes verified')).toBe('YES');
    expect(line(of(ids.none), 'Start BTC')).toBe('none');
    expect(line(of(ids.none), 'Branch')).toBe('none');
    expect(sandbox.json(['audit', 'session', ids.none])).toMatchObject({ all_hashes_verified: 'PARTLY' });
  });

  it('G11c: session tells of one that is open what there is', async () => {
    const other = new Sandbox();
    try {
      other.ledger();
      let text = '';
      await speak(other, {
        turns: TURNS,
        meanwhile: async () => {
          const { sessions } = other.json(['session', 'list']) as { sessions: { id: string }[] };
          text = other.ok(['audit', 'session', sessions[0]?.id ?? '']);
        },
      });
      expect(line(text, 'End BTC')).toBe('none (the session is open)');
      expect(line(text, 'Chain integrity')).toBe('VALID');
      expect(line(text, 'All hashes verified')).toBe('YES');
    } finally {
      other.remove();
    }
  });

  it('refuses what is ambiguous, unknown or not asked for', () => {
    const prefix = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'].find(
      (digit) => Object.values(ids).filter((id) => id.startsWith(digit)).length > 1,
    );
    if (prefix !== undefined) {
      const shared = sandbox.run(['audit', 'session', prefix]);
      expect(shared).toMatchObject({ code: 2 });
      expect(shared.stderr).toContain('several sessions');
    }
    const missing = [...Array(16).keys()]
      .map((digit) => digit.toString(16).repeat(8))
      .find((digits) => !Object.values(ids).some((id) => id.startsWith(digits)));
    expect(sandbox.run(['audit', 'session', missing ?? '']).code).toBe(3);
    expect(sandbox.run(['audit', 'session', 'xyz']).code).toBe(2);
    expect(sandbox.run(['audit', 'session']).stderr).toContain('Which session?');
    expect(sandbox.run(['audit', 'verfy']).stderr).toContain('verify');
    expect(sandbox.run(['audit', 'verify', 'x']).stderr).toContain('Unexpected argument "x"');
    expect(sandbox.run(['audit', 'verify', '--ledger', sandbox.path('nothing')]).code).toBe(3);
  });
});

describe('foil audit of a ledger that was harmed', () => {
  const sandboxes: Sandbox[] = [];
  afterEach(() => {
    for (const each of sandboxes.splice(0)) each.remove();
  });
  async function recorded(): Promise<{ sandbox: Sandbox; id: string; other: string }> {
    const sandbox = new Sandbox();
    sandboxes.push(sandbox);
    sandbox.ledger();
    const id = await speak(sandbox, { turns: TURNS, block: BEGUN });
    const other = await speak(sandbox, { turns: TURNS });
    return { sandbox, id, other };
  }
  const segment = (sandbox: Sandbox): string => {
    const [name = ''] = readdirSync(sandbox.path('.foil/ledger'));
    return sandbox.path('.foil/ledger', name);
  };

  it('G10b, G11b: names a word that was changed in an entry', async () => {
    const { sandbox, id } = await recorded();
    const path = segment(sandbox);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"model":"opus-5', '"model":"opus-4'));
    const whole = sandbox.run(['audit', 'verify']);
    expect(whole.code).toBe(4);
    expect(line(whole.stdout, 'Chain integrity')).toBe('BROKEN');
    expect(whole.stdout).toMatch(/^Wrong: HASH_MISMATCH: /m);
    const one = sandbox.run(['audit', 'session', id]);
    expect(one.code).toBe(4);
    expect(line(one.stdout, 'Chain integrity')).toBe('BROKEN');
    expect(names(one.stdout).slice(0, 7)).toEqual([
      'Session',
      'Start BTC',
      'End BTC',
      'Interactions',
      'Branch',
      'Chain integrity',
      'All hashes verified',
    ]);
  });

  it('G11b: says NO where kept content is another, and only of the session it is of', async () => {
    const { sandbox, id, other } = await recorded();
    const pack = sandbox.path('.foil/blobs', id, 'pack');
    writeFileSync(pack, readFileSync(pack, 'latin1').replace('add a test', 'rm -rf / *'), 'latin1');
    const { code, stdout } = sandbox.run(['audit', 'session', id]);
    expect(code).toBe(4);
    expect(line(stdout, 'All hashes verified')).toMatch(/^NO \(1 wrong; 10 of 11 verified\)$/);
    expect(stdout).toContain('CONTENT_MISMATCH');
    expect(line(sandbox.run(['audit', 'session', other]).stdout, 'All hashes verified')).toBe('YES');
  });

  it('G11c: tells content that is gone from content that was erased', async () => {
    const { sandbox, id, other } = await recorded();
    rmSync(sandbox.path('.foil/blobs', id), { recursive: true });
    const { code, stdout } = sandbox.run(['audit', 'session', id]);
    expect(code).toBe(0);
    expect(line(stdout, 'All hashes verified')).toBe('7 of 11 (content of 4 not kept)');
    const located = {
      directory: sandbox.path('.foil'),
      keyDirectory: sandbox.path('.foil/keys'),
      how: 'here' as const,
    };
    await tidyUp(located, { roots: [sandbox.work], now: Date.now() + 400 * DAY, automatic: false });
    const after = sandbox.ok(['audit', 'session', other]);
    expect(line(after, 'All hashes verified')).toBe('4 of 8 (content of 4 erased)');
    expect(line(after, 'Chain integrity')).toBe('VALID');
  });

  it('G10b: is never VALID for a log that is empty or gone', async () => {
    const { sandbox } = await recorded();
    writeFileSync(segment(sandbox), '');
    const { code, stdout } = sandbox.run(['audit', 'verify']);
    expect(code).toBe(4);
    expect(stdout).toContain('Genesis: not known\nEntries: 0\nChain integrity: BROKEN\n');
  });
});
