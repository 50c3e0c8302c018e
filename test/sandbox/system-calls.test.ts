// The filter of system calls, run as the kernel would run it, for both processors; the attack list shows it in force.
import { describe, expect, it } from 'vitest';
import { systemCallFilter } from '../../src/sandbox/bubblewrap/system-calls.ts';

const [ALLOW, KILL, EPERM, ENOSYS, EAFNOSUPPORT] = [0x7fff0000, 0x80000000, 0x50001, 0x50026, 0x50061];

/** What the program answers to a call, by seccomp's rules; a loop is impossible, since every jump goes ahead. */
function answer(program: Uint8Array, call: { arch: number; number: number; argument?: number }): number {
  const view = new DataView(program.buffer);
  const data = new Map([
    [0, call.number],
    [4, call.arch],
    [16, call.argument ?? 0],
  ]);
  let held = 0;
  for (let at = 0; at < program.length; at += 8) {
    const k = view.getUint32(at + 4, true);
    const jump = (yes: boolean): number => 8 * view.getUint8(at + (yes ? 2 : 3));
    switch (view.getUint16(at, true)) {
      case 0x20:
        held = data.get(k) ?? Number.NaN;
        break;
      case 0x15:
        at += jump(held === k);
        break;
      case 0x35:
        at += jump(held >= k);
        break;
      case 0x45:
        at += jump((BigInt(held) & BigInt(k)) !== 0n);
        break;
      case 0x06:
        return k;
      default:
        throw new Error(`no such instruction at ${at}`);
    }
  }
  throw new Error('the program has no end');
}

describe.each([
  ['x64', 0xc000003e, { read: 0, clone: 56, mount: 165, unshare: 272, socket: 41, setuid: 105, ptrace: 101 }],
  [
    'arm64',
    0xc00000b7,
    { read: 63, clone: 220, mount: 40, unshare: 97, socket: 198, setuid: 146, ptrace: 117 },
  ],
] as const)('the filter for %s', (processor, arch, numbers) => {
  const program = systemCallFilter(processor) ?? Uint8Array.of();
  const ask = (number: number, argument = 0): number => answer(program, { arch, number, argument });

  it('C10 refuses mounts, new namespaces, odd sockets and what libraries can do without', () => {
    expect(ask(numbers.mount)).toBe(EPERM);
    expect(ask(numbers.ptrace)).toBe(EPERM);
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(ask(numbers.unshare, flag), flag.toString(16)).toBe(EPERM);
      expect(ask(numbers.clone, flag + 17), flag.toString(16)).toBe(EPERM);
    }
    expect(ask(435)).toBe(ENOSYS);
    for (const family of [0, 3, 17, 38, 40, 44]) expect(ask(numbers.socket, family)).toBe(EAFNOSUPPORT);
  });

  it('lets through what programs need', () => {
    for (const number of [numbers.read, numbers.setuid, 434, 436, 439]) expect(ask(number)).toBe(ALLOW);
    // A fork, a thread of glibc, files of its own.
    expect([ask(numbers.clone, 17), ask(numbers.clone, 0x3d0f00), ask(numbers.unshare, 0x400)]).toEqual([
      ALLOW,
      ALLOW,
      ALLOW,
    ]);
    for (const family of [1, 2, 10, 16]) expect(ask(numbers.socket, family)).toBe(ALLOW);
  });

  it('C10 ends what calls by the table of another processor', () => {
    expect(answer(program, { arch: 0x40000003, number: numbers.read })).toBe(KILL);
    expect(ask(0x40000000 + numbers.mount)).toBe(ENOSYS);
  });
});

it('is not there for a processor whose numbers are not known', () => {
  expect(systemCallFilter('mips')).toBeUndefined();
});
