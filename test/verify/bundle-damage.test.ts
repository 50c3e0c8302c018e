// Which entry a changed part of a bundle is about, as the finding and the page of a report say it.
import { describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '#platform';
import { encodeTar, parseTar, type TreeFile } from '../../src/format/index.ts';
import { damageIn } from '../../src/verify/bundle-damage.ts';
import { verifyBundle } from '../../src/verify/index.ts';
import { looseBundle, Runs, signedBundle } from './bundle-maker.ts';
import { made, NOW, PASS } from './make-bundles.ts';

const { bytes: whole } = made('x', '', PASS, {}, { disclose: 'all' });
const part = (path: string): Uint8Array =>
  parseTar(whole).find((file) => file.path === path)?.bytes ?? new Uint8Array();
const RUN = utf8Decode(part('entries.jsonl')).trimEnd().split('\n');
const seqOf = (line: number): number => (JSON.parse(RUN[line] as string) as { seq: number }).seq;

function withPart(path: string, bytes: Uint8Array | null): Uint8Array {
  const files = parseTar(whole).filter((file) => file.path !== path);
  return encodeTar(bytes === null ? files : [...files, { path, bytes }]);
}

function withLine(at: number, change: (line: string) => string | Uint8Array): Uint8Array {
  const lines = RUN.map((line, i) => (i === at ? change(line) : line));
  return withPart(
    'entries.jsonl',
    Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])),
  );
}

const inRun = (bundle: Uint8Array) => damageIn(bundle, 'entries.jsonl');

describe('a changed part of a bundle', () => {
  it('X4 names the entry whose line says something else', () => {
    const at = RUN.findIndex((line) => line.includes('"kind":"tool.call"'));
    expect(at).toBeGreaterThan(0);
    const changed = withLine(at, (line) => line.replace('"Bash"', '"Bosh"'));
    const seq = seqOf(at);
    expect(inRun(changed)).toEqual({ seq, why: `entry ${seq} was changed: its hash is different` });
    const trust = { keys: [], packs: [], gateways: [], attesters: [] };
    const { verdict, findings } = verifyBundle(changed, {
      trust,
      now: Date.parse(NOW),
      openPack: () => null as never,
    });
    expect([verdict, findings.map(({ code, seq: of }) => [code, of])]).toEqual([
      'FAIL',
      [['BUNDLE_MALFORMED', seq]],
    ]);
    expect(findings[0]?.message).toContain(`(entry ${seq} was changed: its hash is different)`);
  });

  it('X4 names the entry whose number was changed by the one that it had, and else the place of its line', () => {
    const [at, seq, before] = [2, seqOf(2), seqOf(1)];
    const numbered = (line: string) => line.replace(`"seq":${seq},`, `"seq":${seq}7,`);
    expect(inRun(withLine(at, numbered))).toEqual({
      seq,
      why: `entry ${seq} was changed: its line says that it is entry ${seq}7`,
    });
    // No number fits the hash any more.
    expect(inRun(withLine(at, (line) => numbered(line).replace('"ts":"2', '"ts":"3')))).toEqual({
      seq: null,
      why: `line 3, after entry ${before}, was changed: its hash is different`,
    });
  });

  it('X4 is judged alike from its archive and from its files, in whatever order', () => {
    const trust = { keys: [], packs: [], gateways: [], attesters: [] };
    const judged = (bundle: Parameters<typeof verifyBundle>[0]) =>
      verifyBundle(bundle, { trust, now: Date.parse(NOW), openPack: () => null as never });
    for (const archive of [whole, withLine(1, (line) => line.replace('"Bash"', '"Bosh"'))])
      expect(judged(parseTar(archive).reverse())).toEqual(judged(archive));
    const [first, ...others] = parseTar(whole) as [TreeFile, ...TreeFile[]];
    const twice = judged([first, ...others, first]);
    expect([twice.verdict, twice.findings[0]?.code]).toEqual(['FAIL', 'BUNDLE_MALFORMED']);
  });

  it('names the entry of a line that can not be read, if the line still says which', () => {
    const behind = `line 2, after entry ${seqOf(0)}, is no longer an entry`;
    expect(inRun(withLine(1, (line) => line.replace('"v":', '"w":')))).toEqual({
      seq: seqOf(1),
      why: behind,
    });
    const notUtf8 = (line: string) =>
      Uint8Array.of(...Buffer.from(line).map((byte) => (byte === 0x76 ? 0xff : byte)));
    expect(inRun(withLine(1, notUtf8))).toEqual({ seq: seqOf(1), why: behind });
    expect(inRun(withLine(1, () => 'gone'))).toEqual({ seq: null, why: behind });
    expect(inRun(withLine(0, () => ''))).toEqual({ seq: null, why: 'line 1 is no longer an entry' });
  });

  it('names the last entry where its end is missing', () => {
    const cut = utf8Encode(RUN.join('\n').slice(0, -1));
    const last = RUN.length - 1;
    expect(inRun(withPart('entries.jsonl', cut))).toMatchObject({ seq: seqOf(last) });
  });

  it('names an entry of the ledger itself', () => {
    const changed = utf8Encode(utf8Decode(part('ledger.jsonl')).replace('"seq":1,', '"seq":2,'));
    expect(damageIn(withPart('ledger.jsonl', changed), 'ledger.jsonl')).toMatchObject({ seq: 1 });
  });

  it('names the entry that content is of', () => {
    const at = RUN.findIndex((line) => line.includes('"kind":"prompt"'));
    const [, name] = /"keyed-sha256:([0-9a-f]{64})"/.exec(RUN[at] as string) ?? [];
    const path = `content/keyed-sha256-${name}`;
    expect(part(path).length).toBeGreaterThan(0);
    const changed = withPart(path, utf8Encode('Break the parser.'));
    expect(damageIn(changed, path)).toEqual({ seq: seqOf(at), why: `content of entry ${seqOf(at)}` });
  });

  it('is nothing of an entry where no entry tells of it', () => {
    expect(damageIn(whole, 'entries.jsonl')).toBeUndefined();
    for (const path of [
      'checkpoint',
      'proof.json',
      'bundle.json',
      'content/sha256-00',
      'content/',
      '../x',
      '',
    ])
      expect(damageIn(whole, path), path).toBeUndefined();
    expect(damageIn(withPart('entries.jsonl', null), 'entries.jsonl')).toBeUndefined();
  });

  it('X4 names an entry that is there twice, in another place, or not at all', () => {
    const withLines = (lines: readonly string[]) =>
      inRun(withPart('entries.jsonl', utf8Encode(lines.map((line) => `${line}\n`).join(''))));
    const [one, two, ...others] = RUN as [string, string, ...string[]];
    expect(withLines([one, two, two, ...others])).toEqual({
      seq: seqOf(1),
      why: `entry ${seqOf(1)} is there twice`,
    });
    expect(withLines([two, one, ...others])).toEqual({
      seq: seqOf(0),
      why: `entry ${seqOf(0)} comes after entry ${seqOf(1)}`,
    });
    expect(withLines(RUN.slice(1))?.why).toMatch(
      /^an entry of the run is missing(, perhaps)? at its beginning/,
    );
    expect(withLines(RUN.slice(0, -1))?.why).toMatch(/at its end$/);
    // Another session recorded meanwhile, so that numbers alone don't tell.
    expect(withLines([one, ...others])?.why).toContain(`between entries ${seqOf(0)} and ${seqOf(2)}`);
    expect(withLines([])).toMatchObject({ seq: null });
  });

  it('X4 names the one that is missing where nobody else recorded', () => {
    const runs = new Runs();
    runs.begin();
    runs.prompt('Fix the parser.');
    runs.toolResult(runs.tool('Bash', { command: 'npm test' }), 'Bash');
    runs.end();
    const files = parseTar(signedBundle(looseBundle(runs, { disclose: 'all' })));
    const lines = utf8Decode(files.find(({ path }) => path === 'entries.jsonl')?.bytes ?? new Uint8Array())
      .trimEnd()
      .split('\n');
    const without = (at: number) => {
      const bytes = utf8Encode(lines.flatMap((line, i) => (i === at ? [] : `${line}\n`)).join(''));
      return damageIn(
        files.map((file) => (file.path === 'entries.jsonl' ? { ...file, bytes } : file)),
        'entries.jsonl',
      );
    };
    for (let at = 1; at < lines.length - 1; at++) {
      const { seq } = JSON.parse(lines[at] as string) as { seq: number };
      expect(without(at)).toEqual({ seq, why: `entry ${seq} is missing` });
    }
    expect(without(0)).toEqual({ seq: null, why: 'an entry of the run is missing at its beginning' });
    expect(without(lines.length - 1)).toEqual({
      seq: null,
      why: 'an entry of the run is missing at its end',
    });
  });

  it('never throws for what is in the file', () => {
    const bad = withLine(1, (line) => line.replace(/"payload":\{/, '"payload":{"a":{"$content":"none"},'));
    expect(damageIn(bad, 'content/sha256-00')).toBeUndefined();
    for (let end = 0; end < whole.length; end += 97)
      expect(damageIn(whole.subarray(0, end), 'entries.jsonl')).toBeUndefined();
  });
});
