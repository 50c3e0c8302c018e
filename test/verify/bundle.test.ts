// Whatever is done to a bundle, it is judged and never thrown at: any byte changed, cut anywhere, and bytes that are none.
import { describe, expect, it } from 'vitest';
import { parseCanonicalJson, parseVerifierKey } from '../../src/core/index.ts';
import { parseBundle } from '../../src/format/index.ts';
import { encodePack, openPack } from '../../src/harness/index.ts';
import { verifyBundle, verifyRun } from '../../src/verify/index.ts';
import { fileOf, looseBundle, signedBundle } from './bundle-maker.ts';
import { made, NOW, PASS, RULED, STRICT, told, trusting } from './make-bundles.ts';
import { readBundle, readCases, saidOf, verified } from './run-bundles.ts';

/** The same numbers every time (xorshift). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const whole = made(
  'x',
  '',
  PASS,
  {
    pack: RULED,
    model: true,
    after: (runs) => {
      runs.commit();
      runs.sum();
    },
  },
  { disclose: 'all' },
);
const judge = (bytes: Uint8Array): string => verified(bytes, whole.trust, NOW).verdict;

describe('a bundle', () => {
  it('C5 with any byte changed never passes', () => {
    expect(judge(whole.bytes)).toBe('PASS');
    const next = numbers(1);
    const passed: number[] = [];
    for (let i = 0; i < 400; i++) {
      const [at, by] = [next(whole.bytes.length), 1 + next(255)];
      const changed = new Uint8Array(whole.bytes);
      changed[at] = (changed[at] ?? 0) ^ by;
      if (judge(changed) === 'PASS') passed.push(at);
    }
    expect(passed).toEqual([]);
  });

  it('cut anywhere never passes', () => {
    const next = numbers(2);
    for (let i = 0; i < 100; i++)
      expect(judge(whole.bytes.subarray(0, next(whole.bytes.length)))).toBe('FAIL');
  });

  it('with any byte of a part changed, and signed again, never passes and never throws', () => {
    const next = numbers(3);
    const options = { pack: STRICT };
    const runs = told({ ...options, model: true });
    const { parts } = looseBundle(runs, options);
    for (const path of parts.keys())
      for (let i = 0; i < 40; i++) {
        const loose = looseBundle(runs, options);
        const part = new Uint8Array(loose.parts.get(path) ?? []);
        const at = next(part.length);
        part[at] = (part[at] ?? 0) ^ (1 + next(255));
        loose.parts.set(path, part);
        const { verdict } = verified(signedBundle(loose), trusting(runs), NOW);
        expect(verdict, `${path} at ${at}`).toBe('FAIL');
      }
  });

  it('with any byte of its payload changed, and signed again, never passes and never throws', () => {
    const next = numbers(4);
    const options = { pack: STRICT };
    const runs = told(options);
    const loose = looseBundle(runs, options);
    const { envelope } = parseBundle(signedBundle(loose));
    const payload = envelope?.payload ?? new Uint8Array(0);
    // Nobody can know of another moment behind the run, or of another address, that it is wrong.
    const text = Buffer.from(payload).toString();
    const created = text.indexOf('"created":"') + 11;
    for (let i = 0; i < 200; i++) {
      const at = next(payload.length);
      if (at >= created && at < created + 24) continue;
      const changed = new Uint8Array(payload);
      changed[at] = (changed[at] ?? 0) ^ (1 + next(255));
      const { verdict } = verified(fileOf(loose, changed), trusting(runs), NOW);
      expect(verdict, `at ${at}, ${text.slice(at - 20, at)}`).toBe('FAIL');
    }
  });

  it('that is random bytes is refused', () => {
    const next = numbers(5);
    for (let i = 0; i < 300; i++) {
      const bytes = Uint8Array.from({ length: next(3000) }, () => next(256));
      expect(judge(bytes)).toBe('FAIL');
      // And behind a good beginning.
      const half = whole.bytes.slice(0, next(whole.bytes.length));
      expect(judge(new Uint8Array([...half, ...bytes]))).toBe('FAIL');
    }
  });

  it('of random JSON, signed, is judged', () => {
    const next = numbers(6);
    const runs = told();
    const random = (depth: number): unknown => {
      const kind = next(depth > 4 ? 4 : 6);
      if (kind === 0) return null;
      if (kind === 1) return next(2) === 0;
      if (kind === 2) return next(1000) - 500;
      if (kind === 3) return 'x'.repeat(next(70));
      if (kind === 4) return Array.from({ length: next(4) }, () => random(depth + 1));
      return Object.fromEntries(Array.from({ length: next(4) }, (_, i) => [`k${i}`, random(depth + 1)]));
    };
    for (const name of Object.keys(looseBundle(runs).payload))
      for (let i = 0; i < 10; i++) {
        const loose = looseBundle(runs);
        loose.payload[name] = random(0) as never;
        expect(verified(signedBundle(loose), trusting(runs), NOW).verdict, name).toBe('FAIL');
      }
  });

  it('C15 is judged by a pack that was fetched, whatever that is', () => {
    const { bytes, trust } = made('x', '', PASS, { pack: STRICT });
    const report = (fetched: Uint8Array): readonly string[] => {
      const { verdict, findings } = verifyBundle(bytes, {
        trust: { ...trust, keys: trust.keys.map(parseVerifierKey), gateways: [], attesters: [] },
        now: Date.parse(NOW),
        openPack,
        fetched,
      });
      return [verdict, ...findings.map(({ code, message }) => `${code}: ${message}`)];
    };
    const archive = encodePack(STRICT);
    expect(report(archive)).toEqual(['PASS']);
    expect(report(encodePack(RULED))).toEqual([
      'FAIL',
      'PACK_WRONG: the pack that was fetched is not the one that the bundle names',
    ]);
    for (const odd of [archive.subarray(0, 300), new Uint8Array(0), new TextEncoder().encode('<html>')])
      expect(report(odd)).toEqual([
        'FAIL',
        expect.stringMatching(/^PACK_WRONG: the pack that was fetched can't be opened: the file is /),
      ]);
  });

  it('C14 says in one sentence why no attestation lifts it', () => {
    const other = readCases().find(({ name }) => name === 'attested-other-run');
    if (other === undefined) throw new Error('there is no such vector');
    const { whyNotHigher } = verified(readBundle(other), other.trust, NOW);
    expect(whyNotHigher).toMatch(
      /; and the attestation doesn't count: it is about a different run, [0-9a-f]{64} of /,
    );
  });

  it('names content that is wrong once', () => {
    const { bytes, trust } = made(
      'x',
      '',
      PASS,
      {},
      {
        change: ({ parts }) => void parts.set(`content/sha256-${'a'.repeat(64)}`, new Uint8Array(1)),
      },
    );
    expect(verified(bytes, trust, NOW).findings.map(({ message }) => message)).toEqual([
      `content/sha256-${'a'.repeat(64)}: this is not the content that its name commits to`,
    ]);
  });

  it('is not looked into where no pack can be opened', () => {
    const { bytes, trust } = made('x', '', PASS, { pack: STRICT });
    const keys = trust.keys.map(parseVerifierKey);
    const none = { keys, packs: [], gateways: [], attesters: [] };
    const report = verifyBundle(bytes, { trust: none, now: Date.parse(NOW) });
    expect(saidOf(report)).toEqual({ verdict: 'UNKNOWN', tier: 'self', codes: ['PACK_MISSING'] });
    expect(report.ownTests).toBe(true);
    const trusted = { ...none, packs: [STRICT.hashes.root] };
    expect(verifyBundle(bytes, { trust: trusted, now: Date.parse(NOW), openPack })).toMatchObject({
      verdict: 'PASS',
      ownTests: false,
    });
  });

  it('that was never written needs no sum at its end: nothing can be left out', () => {
    const runs = told({ after: (all) => void all.tool('Bash', { command: 'ls' }) });
    const bundle = { ...parseBundle(signedBundle(looseBundle(runs))), envelope: null };
    const trust = { keys: [parseVerifierKey(runs.vkey)], packs: [], gateways: [], attesters: [] };
    expect(saidOf(verifyRun(bundle, { trust, now: Date.parse(NOW), openPack }))).toEqual(PASS);
  });

  it('says the same of itself that its payload does', () => {
    const { bundle } = verified(whole.bytes, whole.trust, NOW);
    const { envelope } = parseBundle(whole.bytes);
    const payload = parseCanonicalJson(envelope?.payload ?? new Uint8Array(0)) as { run_id: string };
    expect(bundle?.runId).toBe(payload.run_id);
  });
});
