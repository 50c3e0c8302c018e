import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MachineFiles } from '../../src/gate/machine-files.ts';
import { UNSEEN } from '../../src/policy/index.ts';
import { temporary } from '../temporary.ts';

describe('the files of this machine', () => {
  it('O4 are what links lead to, whether that is there or not', () => {
    const root = realpathSync(temporary());
    mkdirSync(join(root, 'src/sub'), { recursive: true });
    writeFileSync(join(root, 'src/a'), '');
    symlinkSync(join(root, 'src/a'), join(root, 'whole'));
    symlinkSync('../outside', join(root, 'src/not-there'));
    symlinkSync('not-there/deeper', join(root, 'src/further'));
    symlinkSync('src/sub', join(root, 'folder'));
    const files = new MachineFiles();
    expect(files.real(join(root, 'whole'))).toBe(join(root, 'src/a'));
    expect(files.real(join(root, 'src/not-there'))).toBe(join(root, 'outside'));
    expect(files.real(join(root, 'src/not-there/x'))).toBe(join(root, 'outside/x'));
    expect(files.real(join(root, 'src/further'))).toBe(join(root, 'outside/deeper'));
    expect(files.real(`${root}/folder/../a`)).toBe(join(root, 'src/a'));
    expect(files.real('/')).toBe('/');
  });

  it.skipIf(process.getuid?.() === 0)('are unseen where they may not be looked at', () => {
    const root = realpathSync(temporary());
    mkdirSync(join(root, 'closed'));
    chmodSync(join(root, 'closed'), 0);
    const files = new MachineFiles();
    expect(files.real(join(root, 'closed/x'))).toBe(UNSEEN);
    expect(files.names(join(root, 'closed'))).toBeNull();
    chmodSync(join(root, 'closed'), 0o700);
  });

  it('end where links lead round in a circle', () => {
    const root = realpathSync(temporary());
    symlinkSync('b/x', join(root, 'a'));
    symlinkSync('a/x', join(root, 'b'));
    symlinkSync('self/self/self', join(root, 'self'));
    const files = new MachineFiles();
    for (const name of ['a', 'b', 'self']) expect(files.real(join(root, name, 'y'))).toBe(UNSEEN);
    expect(files.real(`${root}${'/deep'.repeat(20_000)}`)).toBe(UNSEEN);
  });

  it('O4 are unseen behind more links than a few, also for what is asked behind that, and above a folder of a process', () => {
    const root = realpathSync(temporary());
    for (let n = 0; n < 20; n++) symlinkSync(`c${n + 1}`, join(root, `c${n}`));
    symlinkSync('/proc/self/cwd/../x', join(root, 'process'));
    const files = new MachineFiles();
    expect(files.real(join(root, 'c0'))).toBe(UNSEEN);
    expect(files.real(join(root, 'c15'))).toBe(join(root, 'c20'));
    expect(files.real(join(root, 'process'))).toBe(UNSEEN);
  });

  it.skipIf(process.platform === 'darwin')('O4 are unseen behind a link to a name that is no text', () => {
    const root = realpathSync(temporary());
    const path = (name: string): Buffer => Buffer.from(`${root}/${name}`);
    symlinkSync(Buffer.from([0x78, 0xff]), path('z'));
    symlinkSync('secret', Buffer.concat([path('x'), Buffer.from([0xff])]));
    expect(new MachineFiles().real(join(root, 'z/key'))).toBe(UNSEEN);
  });
});
