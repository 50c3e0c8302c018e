// Hostile commands in each sandbox that works on this machine: what they try comes to nothing outside of the copy. Where
// a sandbox can't be had here, its tests are passed over, and say why.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox, SandboxOutcome, SandboxRun } from '../../src/gate/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { makeUnprivileged } from '../../src/sandbox/unprivileged/index.ts';
import { temporary } from '../temporary.ts';

interface Place {
  readonly base: string;
  readonly work: string;
  readonly copy: string;
  /** A ledger, as it is kept: for its owner alone. */
  readonly secret: string;
}

function place(): Place {
  const base = temporary(tmpdir());
  chmodSync(base, 0o755);
  const [work, run, secret] = [join(base, 'work'), join(base, 'run'), join(base, 'secret')];
  for (const path of [work, run, join(run, 'tree')]) mkdirSync(path);
  mkdirSync(secret, { mode: 0o700 });
  writeFileSync(join(secret, 'key'), 'private', { mode: 0o600 });
  for (const root of [work, join(run, 'tree')]) writeFileSync(join(root, 'file'), 'as it was\n');
  return { base, work, copy: join(run, 'tree'), secret };
}

const MAKERS: readonly (readonly [string, (hidden: readonly string[]) => Sandbox])[] = [
  ['bubblewrap', (hidden) => makeBubblewrap({ hidden })],
  ['unprivileged', () => makeUnprivileged()],
];

const SANDBOXES = await Promise.all(
  MAKERS.map(async ([name, make]) => ({ name, make, why: await make([]).available() })),
);

describe.each(SANDBOXES)('$name', ({ name, make, why }) => {
  const isApart = name === 'bubblewrap';

  async function run(
    command: string,
    { at = place(), ...more }: Partial<SandboxRun> & { readonly at?: Place } = {},
  ): Promise<SandboxOutcome & Place> {
    const { work, copy, secret } = at;
    const options = {
      command,
      cwd: work,
      copy,
      timeoutMs: 30_000,
      maxOutput: 65_536,
      network: false,
      ...more,
    };
    return { ...(await make([secret]).run(options)), ...at };
  }

  it('says whether it can be used, and why not', ({ skip }) => {
    if (why === null) return;
    expect(why).toMatch(/\S/);
    skip(`${name} is passed over here: ${why}`);
  });

  describe.skipIf(why !== null)('B5c contains a command that', () => {
    it('is well-behaved: exit code, both streams in order, and its files', async () => {
      const { exit, output, timedOut, signal } = await run(
        'echo one; echo two >&2; echo three; cat file; exit 3',
      );
      expect({ exit, timedOut, signal }).toEqual({ exit: 3, timedOut: false, signal: null });
      expect(output).toBe('one\ntwo\nthree\nas it was\n');
    });

    it('looks for what we have open', async () => {
      // The last is that of `ls` itself.
      expect((await run('ls /proc/self/fd')).output).toBe('0\n1\n2\n3\n');
    });

    it("edits the user's tree", async () => {
      const { exit, work, copy } = await run(
        'echo changed > file && echo x > new && cat file; rm -f ../work/file; true',
      );
      expect(exit).toBe(0);
      expect(readFileSync(join(work, 'file'), 'utf8')).toBe('as it was\n');
      expect(readdirSync(work)).toEqual(['file']);
      expect(existsSync(join(copy, 'new'))).toBe(true);
    });

    it('writes outside', async () => {
      const at = place();
      const targets = [join(at.base, 'x'), '/etc/foil-x', '/usr/foil-x', '/foil-x', join(at.secret, 'x')];
      const { output } = await run(
        `for f in ${targets.join(' ')}; do (echo x > $f) 2>/dev/null && test -e $f && echo wrote $f; done; true`,
        { at },
      );
      for (const target of targets) expect(existsSync(target), target).toBe(false);
      // In namespaces a directory that is not there can be made, and is gone at the end.
      if (!isApart) expect(output).toBe('');
    });

    it("reads the key directory, the ledger, another user's file", async () => {
      const at = place();
      const other = join(at.base, 'other');
      writeFileSync(other, 'not yours', { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(other, 54_321, 54_321);
      const { output } = await run(`cat ${at.secret}/key; ls ${at.secret}; cat ${other}; true`, { at });
      expect(output).not.toMatch(/^private|^key$|not yours/m);
      expect(output).toMatch(/No such file|Permission denied/);
    });

    it('looks for our environment', async () => {
      process.env.FOIL_PLANTED = 'planted';
      onTestFinished(() => {
        delete process.env.FOIL_PLANTED;
      });
      const { output } = await run(
        `env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; cat /proc/${process.pid}/environ 2>/dev/null | tr '\\0' '\\n'; true`,
      );
      expect(output).not.toContain('planted');
      const names = output.split('\n').flatMap((line) => /^([A-Z_0-9]+)=/.exec(line)?.[1] ?? []);
      expect(new Set(names)).toEqual(
        new Set([
          ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'TERM', 'CI', 'PWD', 'SHLVL', '_', 'OLDPWD'].filter((each) =>
            names.includes(each),
          ),
          ...['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'],
        ]),
      );
    });

    it('opens a network socket', async ({ skip }) => {
      const server = createServer((socket) => socket.end('reached'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as { port: number };
      const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      const { output } = await run(ask);
      if (!isApart && output.includes('reached')) skip('no network namespaces here: it can');
      expect(output).not.toContain('reached');
      expect((await run(ask, { network: true })).output).toContain('reached');
    });

    it('forks a daemon', async () => {
      const mark = `foil-daemon-${process.pid}-${name}`;
      const daemon = `setsid bash -c 'exec -a ${mark} sleep 600' >/dev/null 2>&1 & `;
      const holding = `setsid bash -c 'exec -a ${mark} sleep 600' & sleep 0.2; echo done`;
      const { exit, output } = await run(`${daemon}${holding}`);
      expect([exit, output]).toEqual([0, 'done\n']);
      expect(running(mark)).toEqual([]);
    });

    it('prints 100 MB', async () => {
      const command = `echo first; head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 79; echo; echo last`;
      const { exit, output } = await run(command, { maxOutput: 65_536 });
      expect(exit).toBe(0);
      expect(output.length).toBeLessThan(70_000);
      expect(output.slice(0, 6)).toBe('first\n');
      expect(/\n… \d+ bytes left out …\n/.test(output)).toBe(true);
      expect(output.slice(-6)).toBe('\nlast\n');
    });

    it('runs forever, and ignores what it is told', async () => {
      const mark = `foil-forever-${process.pid}-${name}`;
      const { exit, timedOut } = await run(
        `trap '' TERM INT HUP; (trap '' TERM; exec -a ${mark} sleep 600) & while :; do :; done`,
        { timeoutMs: 1500 },
      );
      expect([exit, timedOut]).toEqual([null, true]);
      expect(running(mark)).toEqual([]);
    });

    it('is cancelled', async () => {
      const abort = new AbortController();
      const ran = run('sleep 600', { signal: abort.signal });
      abort.abort();
      expect(await ran).toMatchObject({ exit: null, cancelled: true, timedOut: false });
    });

    it('kills its parent, and everybody', async () => {
      const all = `kill -9 $PPID; kill -9 ${process.pid}; kill -9 -1`;
      // Who sends it to all is not among them.
      const { exit, output } = await run(`${all}; echo still here; kill -9 $$`);
      expect(output).toContain('still here');
      expect(exit).not.toBe(0);
    });

    it('dumps core, wants rights back', async () => {
      const { output } = await run('id -u; ulimit -c; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status');
      const [uid, core, ...status] = output.trim().split('\n');
      expect(uid).not.toBe('0');
      expect([core, ...status]).toEqual(['0', 'CapEff:\t0000000000000000', 'NoNewPrivs:\t1']);
    });
  });
});

/** Processes of that name that have not ended. */
function running(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(mark);
    } catch {
      return false;
    }
  });
}
