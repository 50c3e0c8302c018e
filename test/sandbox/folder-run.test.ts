// What an attester gets of the sandbox: a program with its arguments, both streams apart, its report, and which limits
// were in force. What hostile programs get is in attacks.slow.test.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAttesting } from '../../src/gate/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { makeUnprivileged } from '../../src/sandbox/unprivileged/index.ts';
import { temporary } from '../temporary.ts';
import { attack, listing, MiB } from './attacks.ts';

const why = await makeBubblewrap({ hidden: [] }).available();

it('C10 attests in bubblewrap, and never as an unprivileged user', () => {
  const unprivileged = makeUnprivileged();
  expect([isAttesting(makeBubblewrap({ hidden: [] })), isAttesting(unprivileged)]).toEqual([true, false]);
  expect(unprivileged.attests).toBe(false);
  expect(unprivileged.cannot).toContain('nothing that ran in it can be attested');
});

describe.skipIf(why !== null)('a program in a folder', () => {
  it('C10 gets its arguments as they are, and its streams are kept apart', async () => {
    const words = ['$(id)', '; echo no', "it's", '', '*', '-x', '\n'];
    const script =
      'console.log(JSON.stringify(process.argv.slice(1))); console.error("apart"); process.exit(7)';
    const { out, err, exit, ended } = await attack('', { argv: ['node', '-e', script, '--', ...words] });
    expect([JSON.parse(out), err, exit, ended]).toEqual([words, 'apart\n', 7, 'exit']);
  });

  it('C10 leaves a report, which may be in a folder that is not there yet', async () => {
    for (const writable of [[], ['reports'], ['.']]) {
      const { report, folder, base } = await attack("echo '<testsuite/>' > reports/deep/junit.xml", {
        writable,
        report: { path: 'reports/deep/junit.xml', maxBytes: 100 },
      });
      expect(report).toEqual({ state: 'read', bytes: new Uint8Array(Buffer.from('<testsuite/>\n')) });
      expect(readFileSync(join(folder, 'reports/deep/junit.xml'), 'utf8')).toBe('');
      expect(listing(join(base, 'reports'))).toEqual([]);
    }
    expect((await attack('true')).report).toEqual({ state: 'none' });
  });

  it('has what the folder holds in places that may be written, and leaves the folder as it was', async () => {
    const base = temporary(tmpdir());
    mkdirSync(join(base, 'folder/build/deep'), { recursive: true });
    writeFileSync(join(base, 'folder/build/deep/run'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
    const { out, folder } = await attack('build/deep/run; rm -r build/*; echo x > build/x; ls build', {
      base,
      writable: ['build'],
    });
    expect(out).toBe('ran\nx\n');
    expect(readFileSync(join(folder, 'build/deep/run'), 'utf8')).toContain('echo ran');
  });

  it('C10 says which limits were in force, what they rest on, and by which programs', async () => {
    const { limits, versions } = await attack('true', {
      limits: { processes: 77, cpuSeconds: null },
      timeoutMs: 12_000,
      maxOutput: 1234,
    });
    expect(limits).toMatchObject({
      process_memory_bytes: { by: 'rlimit', most: 2048 * MiB },
      processes: { most: 77 },
      file_bytes: { by: 'rlimit', most: 256 * MiB },
      disk_bytes: { by: 'tmpfs', most: 512 * MiB },
      output_bytes: { by: 'reader', most: 1234 },
      seconds: { by: 'timer', most: 12 },
    });
    expect(versions).toEqual({
      bubblewrap: expect.stringMatching(/^\d+\.\d+/),
      kernel: expect.stringMatching(/^\d+\.\d+/),
    });
    const held = await attack('ulimit -u; ulimit -f; ulimit -d; ulimit -c', { limits: { processes: 77 } });
    expect(held.out).toBe(`77\n${256 * 1024}\n${2048 * 1024}\n0\n`);
  });

  it('is an error, not an exit code, if it can not be started', async () => {
    await expect(attack('', { argv: ['foil-no-such-program'] })).rejects.toThrow(
      'The sandbox could not start the command: foil-no-such-program is not in PATH',
    );
    for (const argv of [[], [''], ['-c']]) await expect(attack('', { argv })).rejects.toThrow(TypeError);
  });

  it.each(['../x', '/etc/x', 'a//b', 'a/../b', '', '.', 'a\0b', 'x/'.repeat(40)])(
    'C10 takes no report at %j',
    async (path) => {
      await expect(attack('true', { report: { path, maxBytes: 10 } })).rejects.toThrow(TypeError);
    },
  );
});
