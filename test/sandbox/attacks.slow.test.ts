// The attack list: artifacts that try what a hostile one would, run as an attester runs them. Each ends within its limit
// and leaves the machine as it was. Without bubblewrap the list is passed over, and says so; where bubblewrap is
// installed it must run, unless the machine allows no namespaces, and in .ci/run even then.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { temporary } from '../temporary.ts';
import { type Attack, attack as anyAttack, listing, MiB, mounts, running, TEST } from './attacks.ts';

const why = await makeBubblewrap({ hidden: [] }).available();
const isRoot = process.getuid?.() === 0;

it('C10 the attack list runs wherever bubblewrap is installed', ({ skip }) => {
  if (why === null) return;
  const isInstalled = (process.env.PATH ?? '').split(':').some((each) => existsSync(join(each, 'bwrap')));
  if (!isInstalled) skip(`THE SANDBOX ATTACK LIST IS PASSED OVER: ${why}`);
  // bubblewrap's own words: any other failure is ours.
  const noNamespaces =
    /\(bwrap: (?:Creating new namespace failed|No permissions to creat\w+ new namespace|setting up uid map: Permission denied)/i.test(
      why,
    );
  if (noNamespaces && process.env.FOIL_TEST_SANDBOX !== 'required')
    skip(`THE SANDBOX ATTACK LIST IS PASSED OVER, THIS MACHINE ALLOWS NO NAMESPACES: ${why}`);
  expect.fail(`bubblewrap is installed, but the attack list can't run: ${why}`);
});

describe.skipIf(why !== null).each([
  ['a folder', false],
  ['memory', true],
])('C10 an artifact in %s that', (_, inMemory) => {
  const attack = (script: string, more: Attack = {}) => anyAttack(script, { inMemory, ...more });
  let before = '';
  beforeEach(() => {
    before = mounts();
  });
  afterEach(() => {
    expect(mounts()).toBe(before);
  });

  it('reads the home, its keys and the ledger', async () => {
    const base = temporary(tmpdir());
    const [home, secret] = [join(base, 'home'), `planted-${process.pid}`];
    const ledger = join(home, 'tools/lib/ledger');
    for (const path of ['bin', 'lib', '.ssh', 'tools/bin', 'tools/lib/ledger'])
      mkdirSync(join(home, path), { recursive: true });
    for (const path of ['.ssh/id', 'tools/lib/ledger/key', '.netrc']) writeFileSync(join(home, path), secret);
    for (const path of ['bin/mine', 'tools/bin/other'])
      writeFileSync(join(home, path), '#!/bin/sh\necho a tool\n', { mode: 0o755 });
    // Programs in the home, and beside the ledger, can be used; nothing else there can be seen.
    const path = [`${home}/bin`, `${home}/tools/bin`, process.env.PATH].join(':');
    const files = readdirSync(homedir(), { withFileTypes: true }).filter((entry) => entry.isFile());
    const own = files.map(({ name }) => `'${join(homedir(), name)}'`);
    const { out, err } = await attack(
      `mine; other; echo "HOME $HOME"; ls -A ~; cat ~/.ssh/id ${home}/.ssh/id ${home}/.netrc ${ledger}/key; ls -A ${home} ${ledger}; for f in ${own.join(' ')}; do test -e "$f" && echo "sees $f"; done; true`,
      { base, options: { hidden: [ledger], home, path } },
    );
    expect(out).toMatch(/^a tool\na tool\nHOME \/tmp\/\.home\n/);
    expect(out).not.toContain(secret);
    expect(out).not.toMatch(/\.ssh|\.netrc|^key$|^sees /m);
    expect(err).toMatch(/\.ssh\/id: No such file/);
  });

  it('reads what lies beside a folder of PATH in the home', async () => {
    const base = temporary(tmpdir());
    const [home, secret] = [join(base, 'home'), `planted-${process.pid}`];
    for (const path of ['.cargo/bin', '.cargo/registry', '.manager/v1/bin', '.manager/v1/lib', '.config'])
      mkdirSync(join(home, path), { recursive: true });
    const secrets = ['.cargo/credentials.toml', '.cargo/registry/token', '.manager/v1/npmrc', '.config/key'];
    for (const path of secrets) writeFileSync(join(home, path), secret);
    writeFileSync(join(home, '.manager/v1/lib/part'), 'echo a part');
    writeFileSync(join(home, '.cargo/bin/one'), '#!/bin/sh\necho one\n', { mode: 0o755 });
    symlinkSync('../lib/part', join(home, '.manager/v1/bin/two'));
    chmodSync(join(home, '.manager/v1/lib/part'), 0o755);
    // A link from elsewhere leads to the same folder; a home that is in PATH itself is not there.
    symlinkSync(join(home, '.cargo'), join(base, 'linked'));
    const folders = [join(home, '.cargo/bin'), join(base, 'linked/bin'), join(home, '.manager/v1/bin'), home];
    const { out } = await attack(
      `one; two; cd ${home}; cat ${secrets.join(' ')} ${base}/linked/credentials.toml; ls -A . .cargo .manager/v1`,
      { base, options: { home, path: [...folders, process.env.PATH].join(':') } },
    );
    expect(out).not.toContain(secret);
    expect(out).toBe('one\na part\n.:\n.cargo\n.manager\n\n.cargo:\nbin\n\n.manager/v1:\nbin\nlib\n');
  });

  it("reaches the network, the host's loopback or a socket of the host's", async () => {
    const base = temporary(tmpdir());
    const paths = [join(base, 'socket'), `\0foil-abstract-${process.pid}`];
    const servers = [...paths.map((path) => ({ path })), { host: '127.0.0.1', port: 0 }].map((where) => {
      const server = createServer((socket) => socket.end('reached'));
      onTestFinished(() => void server.close());
      return new Promise<typeof server>((resolve) => server.listen(where, () => resolve(server)));
    });
    const [, , tcp] = await Promise.all(servers);
    const address = tcp?.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const script = `
      const { connect } = require('node:net');
      const places = [...${JSON.stringify(paths)}.map((path) => ({ path })), { host: '127.0.0.1', port: ${port} }, { host: '192.0.2.1', port: 80 }];
      for (const place of places)
        connect(place).on('data', (data) => console.log(String(data))).on('error', ({ code }) => console.log(code));
      console.log(Object.values(require('node:os').networkInterfaces()).flat().filter(({ internal }) => !internal).length);`;
    const { out, exit } = await attack('', { base, argv: ['node', '-e', script] });
    expect(exit).toBe(0);
    expect(out).not.toContain('reached');
    const answers = out.trim().split('\n').sort();
    expect(answers).toEqual(['0', 'ECONNREFUSED', 'ECONNREFUSED', 'ENETUNREACH', 'ENOENT']);
  });

  it('forks without end', async () => {
    const mark = `foil-forks-${process.pid}`;
    const { ended, limits } = await attack(`: ${mark}; f() { f & f & wait; }; f 2>/dev/null`, {
      timeoutMs: 2000,
      limits: { processes: 100 },
    });
    expect(ended).toBe('time');
    expect(running(mark)).toEqual([]);
    expect(limits.processes).toMatchObject({ most: 100 });
    const script = `
      const { spawn } = require('node:child_process');
      let [started, refused] = [0, 0];
      for (let n = 0; n < 300; n++)
        spawn('sleep', ['60'], { stdio: 'ignore' })
          .on('spawn', () => started++)
          .on('error', ({ code }) => (refused += code === 'EAGAIN' ? 1 : 0));
      setImmediate(() => setImmediate(() => process.exit(console.log(started, refused))));`;
    const { out } = await attack('', { argv: ['node', '-e', script], limits: { processes: 100 } });
    const [started = NaN, refused] = out.trim().split(' ').map(Number);
    expect(started).toBeLessThan(100);
    expect(refused).toBe(300 - started);
  });

  it('forks without end while another run goes on, which does not notice', async () => {
    const limits = { processes: 60 };
    const abort = new AbortController();
    const bomb = attack('f() { f & f & wait; }; echo begun; f 2>/dev/null', { limits, signal: abort.signal });
    const script = 'for n in {1..40}; do sleep 30 & done; id -un; kill $(jobs -p); echo forked';
    const [first, second] = [await attack(script, { limits }), await attack(script, { limits })];
    abort.abort();
    expect([first.out, first.err, second.out, second.err]).toEqual([
      'foil\nforked\n',
      '',
      'foil\nforked\n',
      '',
    ]);
    expect(await bomb).toMatchObject({ ended: 'cancelled' });
  });

  it('fills the disk', async () => {
    const places = '/tmp /var/tmp /dev/shm "$HOME" build .';
    const { out, limits, folder, base } = await attack(
      `for d in ${places}; do for i in 1 2 3; do head -c 30000000 /dev/zero > $d/big$i; done; done 2>/dev/null; for d in /tmp /dev/shm ${inMemory ? '' : 'build'}; do du -skx $d; done; true`,
      { writable: inMemory ? [] : ['build'], limits: { diskBytes: 24 * MiB, fileBytes: 6 * MiB } },
    );
    const sizes = out.split('\n').flatMap((line) => (line === '' ? [] : [1024 * Number.parseInt(line, 10)]));
    expect(sizes).toHaveLength(inMemory ? 2 : 3);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(24 * MiB);
    expect(Math.min(...sizes)).toBeGreaterThan(6 * MiB);
    expect(limits.disk_bytes).toEqual({ by: 'tmpfs', most: 24 * MiB });
    expect(listing(folder)).toEqual([
      'artifact.js',
      ...(inMemory ? [] : ['build']),
      'test',
      'test/own.test.js',
    ]);
    expect(listing(join(base, 'reports'))).toEqual([]);
  });

  it('writes a file, or a report, that is too large', async () => {
    const { out, report, limits } = await attack(
      'head -c 30000000 /dev/zero > /tmp/big; stat -c %s /tmp/big; cat /dev/zero > report; true',
      { limits: { fileBytes: 2 * MiB }, report: { path: 'report', maxBytes: 1000 } },
    );
    expect(out).toBe(`${2 * MiB}\n`);
    expect(report).toEqual({ state: 'too-large' });
    expect(limits.file_bytes).toEqual({ by: 'rlimit', most: 2 * MiB });
  });

  it('fills memory', async () => {
    const hog = 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 24, 1)); ';
    const { ended, exit, limits } = await attack('', {
      argv: ['node', '-e', hog],
      limits: { processMemoryBytes: 512 * MiB },
    });
    expect([ended === 'memory' || ended === 'exit', exit === 0]).toEqual([true, false]);
    expect(limits.process_memory_bytes).toEqual({ by: 'rlimit', most: 512 * MiB });
    // What no control group holds is not claimed.
    expect(limits.memory_bytes.by).toMatch(/^(cgroup|unbounded)$/);
    const told = makeBubblewrap({ hidden: [] }).cannot.some((each) => each.startsWith('the memory of all'));
    expect(told).toBe(limits.memory_bytes.by === 'unbounded');
  });

  it('prints for ever, on either stream', async () => {
    for (const [script, stream] of [
      ['yes', 'stdout'],
      ['yes >&2', 'stderr'],
    ] as const) {
      const outcome = await attack(script, { maxOutput: 100_000 });
      expect([outcome.ended, outcome.exit, outcome[stream].length]).toEqual(['output', null, 100_000]);
    }
  });

  it('ignores SIGTERM', async () => {
    const mark = `foil-ignores-${process.pid}`;
    const { ended, exit } = await attack(
      `trap '' TERM INT HUP XCPU; (trap '' TERM; exec -a ${mark} sleep 600) & while :; do :; done`,
      { timeoutMs: 1500 },
    );
    expect([ended, exit]).toEqual(['time', null]);
    expect(running(mark)).toEqual([]);
  });

  it('burns the processor', async () => {
    const { ended, exit } = await attack(`trap '' XCPU; while :; do :; done`, { limits: { cpuSeconds: 1 } });
    expect([ended, exit]).toEqual(['exit', 137]);
  });

  it.each(inMemory ? [[[]]] : [[[]], [['build']]])(
    'writes over the tests, with %j writable',
    async (writable) => {
      const { out, folder } = await attack(
        `exec 2>/dev/null; t=test/own.test.js; echo pass > $t; rm -rf test; mv test other; mv $t /tmp/x; chmod 777 $t; ln -sf /tmp/x $t; cp /dev/null $t; touch new test/new; cat $t; find . -name 'new*'`,
        { writable },
      );
      expect(out).toBe(TEST);
      expect(readFileSync(join(folder, 'test/own.test.js'), 'utf8')).toBe(TEST);
    },
  );

  it('leaves a daemon behind', async () => {
    const mark = `foil-stays-${process.pid}`;
    const daemon = `setsid bash -c 'trap "" HUP TERM; exec -a ${mark} sleep 600'`;
    const { ended, exit, out } = await attack(`${daemon} >/dev/null 2>&1 & ${daemon} & echo done`);
    expect([ended, exit, out]).toEqual(['exit', 0, 'done\n']);
    expect(running(mark)).toEqual([]);
  });

  it('looks at, or kills, processes of others', async () => {
    const { out } = await attack(
      `ls -d /proc/[0-9]* | wc -l; for p in /proc/[0-9]*; do readlink $p/root; cat $p/environ | tr '\\0' '\\n'; done 2>/dev/null | grep -E '^(VITEST|USER|NODE_ENV)'; kill -0 ${process.pid} && echo found; kill -9 1; kill -9 $PPID; kill -9 ${process.ppid}; kill -9 -1; echo still here`,
    );
    const [count, ...rest] = out.trim().split('\n');
    expect(Number(count)).toBeLessThan(8);
    expect(rest).toEqual(['still here']);
  });

  it('writes outside of the work tree', async () => {
    const targets = ['/x', '/etc/x', '/usr/x', '/dev/x', '/foil/x', '/var/x', '/proc/sys/kernel/domainname'];
    const base = temporary(tmpdir());
    const { out } = await attack(
      `for f in ${[...targets, join(base, 'x'), '../x', './x'].join(' ')}; do echo x > $f && echo "wrote $f"; done 2>/dev/null; true`,
      { base },
    );
    expect(out).toBe('');
    expect(listing(base).filter((each) => each.endsWith('x'))).toEqual([]);
  });

  it('mounts, or makes namespaces of its own', async () => {
    const tries = ['-U', '-Ur', '-Urm', '-Urn', '-m', '-p -f', '-i', '-C'];
    const { out, err } = await attack(
      `${tries.map((each) => `unshare ${each} echo got ${each}`).join('; ')}; mount -t tmpfs none /tmp && echo mounted; umount -l /tmp && echo unmounted; bwrap --ro-bind / / echo nested; chroot / echo chroot; nsenter -t 1 -m echo entered; true`,
    );
    expect(out).toBe('');
    expect(err).toMatch(/unshare failed: Operation not permitted/);
  });

  it('uses a setuid program', async ({ skip }) => {
    if (!isRoot) skip('only root can plant one');
    const base = temporary(tmpdir());
    mkdirSync(join(base, 'tools/bin'), { recursive: true });
    const planted = join(base, 'tools/bin/planted-id');
    copyFileSync('/usr/bin/id', planted);
    chmodSync(planted, 0o4755);
    const path = `${join(base, 'tools/bin')}:${process.env.PATH}`;
    const { out } = await attack('planted-id -u; grep NoNewPrivs /proc/self/status', {
      base,
      options: { path },
    });
    expect(out).toMatch(/^63\d\d\d\nNoNewPrivs:\t1\n$/);
    expect(statSync(planted).mode & 0o7777).toBe(0o4755);
  });

  it('fills inodes', async () => {
    const mark = `foil-inodes-${process.pid}`;
    const { ended, folder } = await attack(
      `: ${mark}; i=0; while :; do : > /tmp/${mark}$((i++)); done 2>/dev/null`,
      { timeoutMs: 1500 },
    );
    expect(ended).toBe('time');
    expect(running(mark)).toEqual([]);
    expect(readdirSync('/tmp').filter((name) => name.startsWith(mark))).toEqual([]);
    expect(listing(folder)).toEqual(['artifact.js', 'test', 'test/own.test.js']);
  });

  it.each(inMemory ? [] : [[[]], [['out']], [['.']]])(
    'plays with its report, with %j writable',
    async (writable) => {
      const base = temporary(tmpdir());
      const [folder, secret] = [join(base, 'folder'), join(base, 'secret')];
      mkdirSync(join(folder, 'out'), { recursive: true });
      writeFileSync(secret, 'secret', { mode: 0o600 });
      writeFileSync(join(folder, 'out/forged'), 'forged');
      symlinkSync(secret, join(folder, 'out/report'));
      const swap = `cat out/report; rm -f out/report; ln -sf /etc/passwd out/report; mv out/forged out/report; mv out other; true`;
      const linked = await attack(swap, { base, writable, report: { path: 'out/report', maxBytes: 1000 } });
      expect([linked.out, linked.report]).toEqual(['', { state: 'empty' }]);
      const forged = await attack('cat out/forged', {
        base,
        writable,
        report: { path: 'out/forged', maxBytes: 1000 },
      });
      expect([forged.out, forged.report]).toEqual(['', { state: 'empty' }]);
      expect(readFileSync(secret, 'utf8')).toBe('secret');
    },
  );
});
