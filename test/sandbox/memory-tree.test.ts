// A work tree in memory that the sandbox alone sees: what is in it, what its report gives, and that it is nowhere else. The
// attack list runs in it as well, in attacks.slow.test.ts.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import type { TreeFile } from '../../src/format/index.ts';
import type { FolderRun } from '../../src/gate/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { temporary } from '../temporary.ts';
import { listing, running } from './attacks.ts';

const bubblewrap = makeBubblewrap({ hidden: [] });
const why = await bubblewrap.available();

async function run(script: string, files: readonly TreeFile[], more: Partial<FolderRun> = {}) {
  const outcome = await bubblewrap.runFolder({
    argv: ['bash', '-c', script],
    folder: files,
    timeoutMs: 30_000,
    maxOutput: 1 << 20,
    ...more,
  });
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
  return { ...outcome, out: text(outcome.stdout), err: text(outcome.stderr) };
}

const file = (path: string, text: string): TreeFile => ({ path, bytes: utf8Encode(text) });

describe.skipIf(why !== null)('C10 a work tree in memory', () => {
  it('holds the files as they are, which everybody may read and nobody may run or write', async () => {
    expect(await bubblewrap.memoryProblem()).toBe(null);
    const deep = `${'d/'.repeat(20)}ü file`;
    const { out, err, exit } = await run(
      `cat a.txt '${deep}'; stat -c %a a.txt d; (echo x > a.txt) 2>/dev/null || echo read-only; awk '$2 == "/foil/work" { print $3, substr($4, 1, 2) }' /proc/mounts`,
      [file('a.txt', 'first\n'), file(deep, 'second\n')],
    );
    expect([exit, err, out]).toEqual([0, '', 'first\nsecond\n644\n755\nread-only\ntmpfs ro\n']);
  });

  it('has room for as many and as large files as there may be', async () => {
    const large = { path: 'large', bytes: new Uint8Array(20 << 20).fill(65) };
    const many = Array.from({ length: 3000 }, (_, i) => file(`many/${i}`, 'x'));
    const { out } = await run('ls many | wc -l; wc -c < large; tail -c 3 large', [large, ...many]);
    expect(out).toBe(`3000\n${20 << 20}\nAAA`);
  });

  it('gives its report back, or says why there is none', async () => {
    const files = [file('a', '')];
    const report = { path: 'out/deep/report.xml', maxBytes: 1000 };
    const write = (text: string) => run(`${text} > out/deep/report.xml`, files, { report });
    expect((await write('printf whole')).report).toEqual({ state: 'read', bytes: utf8Encode('whole') });
    expect((await write('true')).report).toEqual({ state: 'empty' });
    expect((await write('head -c 1000 /dev/zero')).report).toMatchObject({ state: 'read' });
    expect((await write('head -c 1001 /dev/zero')).report).toEqual({ state: 'too-large' });
    expect((await write('cat /dev/zero')).report).toEqual({ state: 'too-large' });
    expect((await run('true', files)).report).toEqual({ state: 'none' });
    const swapped = await run(
      'rm -f out/deep/report.xml; ln -sf /etc/passwd out/deep/report.xml; mv out other; exit 3',
      files,
      { report },
    );
    expect([swapped.exit, swapped.report]).toEqual([3, { state: 'empty' }]);
  });

  it('gives nothing of ours to the program: no descriptor, and not the rest of the memory', async () => {
    const report = { path: 'report', maxBytes: 10 };
    for (const more of [{}, { report }]) {
      const { out } = await run('ls /proc/self/fd; ls -A /dev/shm; ls /foil', [file('a', '')], more);
      expect(out).toBe('0\n1\n2\n3\nwork\n');
    }
  });

  it('is nowhere else on the machine while it is used, and nothing of the run is left', async () => {
    const mark = `foil-memory-${process.pid}-${Date.now()}`;
    const abort = new AbortController();
    const going = run(
      `: ${mark}; cat ${mark} > /tmp/${mark}; exec -a ${mark} sleep 600`,
      [file(mark, mark)],
      {
        report: { path: 'report', maxBytes: 10 },
        signal: abort.signal,
      },
    );
    while (!running(mark).length) await new Promise((resolve) => setImmediate(resolve));
    const places = [...new Set(['/dev/shm', '/tmp', tmpdir()])];
    const seen = (): string[] =>
      places.flatMap((place) => readdirSync(place)).filter((name) => name === mark);
    expect(seen()).toEqual([]);
    expect(readdirSync('/dev/shm')).not.toContain('work');
    abort.abort();
    expect(await going).toMatchObject({ ended: 'cancelled' });
    expect([running(mark), seen()]).toEqual([[], []]);
  });

  it('is set up or the run is an error; and nothing of it can be made writable', async () => {
    await expect(run('', [file('a', '')], { argv: ['foil-no-such-program'] })).rejects.toThrow(
      'foil-no-such-program is not in PATH',
    );
    await expect(run('true', [file('a', '')], { writable: ['.'] })).rejects.toThrow(TypeError);
    const base = temporary();
    await expect(run('true', [file('a', ''), file('a', '')])).rejects.toMatchObject({ code: 'DOUBLED_PATH' });
    expect(listing(base)).toEqual([]);
  });
});
