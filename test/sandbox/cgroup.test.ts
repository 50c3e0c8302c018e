// Runs in a control group of their own, where this machine lets us make one (root, cgroup v2). What it holds depends on
// which controllers are there; that the outcome claims no more than that is tested everywhere.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupToDivide } from '../../src/sandbox/bubblewrap/cgroup.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { attack, MiB } from './attacks.ts';

const mount = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((each) =>
  existsSync(join(each, 'cgroup.controllers')),
);
const base = join(mount ?? '/nowhere', `foil-test-${process.pid}`);
const why = (await makeBubblewrap({ hidden: [] }).available()) ?? canMake();

function canMake(): string | null {
  try {
    mkdirSync(base);
    rmdirSync(base);
    return null;
  } catch {
    return 'no control group can be made here';
  }
}

const groups = (): string[] => readdirSync(base).filter((name) => name.startsWith('foil-run-'));

describe('a control group', () => {
  it('says whether one can be made', ({ skip }) => {
    if (why !== null) skip(`control groups are passed over here: ${why}`);
  });

  it('is none that was not given to us', () => {
    expect(groupToDivide('/tmp')).toBeUndefined();
    if (process.getuid?.() === 0) expect(groupToDivide()).toBeUndefined();
  });

  describe.skipIf(why !== null)('of a run', () => {
    beforeEach(() => mkdirSync(base));
    afterEach(() => rmdirSync(base));

    it('C10 holds everything of it, ends it, and is gone afterwards', async () => {
      const abort = new AbortController();
      const ran = attack('setsid sleep 600 & sleep 600', { options: { cgroup: base }, signal: abort.signal });
      const procs = async (): Promise<string[]> => {
        const [name] = groups();
        if (name === undefined) return [];
        return readFileSync(join(base, name, 'cgroup.procs'), 'utf8')
          .trim()
          .split('\n');
      };
      // bubblewrap twice, the shell, two that sleep.
      await expect.poll(async () => (await procs()).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
      abort.abort();
      expect(await ran).toMatchObject({ ended: 'cancelled', exit: null });
      expect(groups()).toEqual([]);
    });

    it('C10 holds what its controllers can hold, and the outcome claims no more', async () => {
      const controllers = readFileSync(join(base, 'cgroup.controllers'), 'utf8').split(/\s+/);
      const by = (name: string, other: string): string => (controllers.includes(name) ? 'cgroup' : other);
      // Each stays within the limit of a process; together they do not.
      const one = `node -e 'const kept = []; while (kept.length < 300) kept.push(Buffer.alloc(1 << 20, 1)); setTimeout(() => 0, 5000)'`;
      const hog = controllers.includes('memory') ? `${one} & ${one} & ${one} & wait` : 'true';
      const limits = { memoryBytes: 600 * MiB };
      const { ended, limits: held } = await attack(hog, { options: { cgroup: base }, limits });
      expect(held.memory_bytes.by).toBe(by('memory', 'unbounded'));
      expect(held.processes.by).toBe(by('pids', 'rlimit'));
      expect(ended).toBe(controllers.includes('memory') ? 'memory' : 'exit');
      expect(groups()).toEqual([]);
    });

    it('C10 that was left by a process which is gone is removed', async () => {
      mkdirSync(join(base, 'foil-run-999999999-0'));
      const { exit } = await attack('true', { options: { cgroup: base } });
      expect([exit, groups()]).toEqual([0, []]);
    });
  });
});
