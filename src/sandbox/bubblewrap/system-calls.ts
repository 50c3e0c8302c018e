// The filter of system calls for what strangers choose to run. A namespace of its own would let a command mount a tmpfs
// without a size, and network namespaces do not hold back every family of sockets: a virtual machine's host answers on
// AF_VSOCK. So new namespaces, mounts, odd sockets, other processes' memory, and large parts of the kernel that no test
// needs are refused. It is a classic BPF program, as seccomp(2) takes it, for the processors whose numbers are known here.

interface Processor {
  /** AUDIT_ARCH_… of <linux/audit.h>. */
  readonly audit: number;
  readonly clone: number;
  readonly unshare: number;
  readonly socket: number;
  readonly refused: readonly number[];
}

/** The same on every processor since Linux 5.1. */
const CLONE3 = 435;
const NEWER = [
  ...[425, 426, 427], // io_uring_setup, _enter, _register
  ...[428, 429, 430, 431, 432, 433, 442, 467], // open_tree … fspick, mount_setattr, open_tree_attr
  438, // pidfd_getfd: the files of another process
];

const PROCESSORS: Readonly<Partial<Record<NodeJS.Architecture, Processor>>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    unshare: 272,
    socket: 41,
    refused: [
      ...[165, 166, 155, 161, 308], // mount, umount2, pivot_root, chroot, setns
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[321, 298, 323], // bpf, perf_event_open, userfaultfd
      ...[101, 310, 311, 312], // ptrace, process_vm_readv, process_vm_writev, kcmp
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    unshare: 97,
    socket: 198,
    refused: [
      ...[40, 39, 41, 51, 268], // mount, umount2, pivot_root, chroot, setns
      ...[217, 218, 219], // add_key, request_key, keyctl
      ...[280, 241, 282], // bpf, perf_event_open, userfaultfd
      ...[117, 270, 271, 272], // ptrace, process_vm_readv, process_vm_writev, kcmp
    ],
  },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of <linux/sched.h>. */
const NEW_NAMESPACES = 0x7e020000;
/** Numbers from here on are those of x32, another table on the same processor. */
const X32 = 0x40000000;

const ERRNO = 0x00050000;
const [KILL, ALLOW] = [0x80000000, 0x7fff0000];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [ERRNO | 1, ERRNO | 38, ERRNO | 97];
/** BPF_LD|W|ABS, BPF_JMP|JEQ, |JGE, |JSET, BPF_RET. */
const [LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
/** Offsets in seccomp_data; of the first argument the lower half. */
const [NUMBER, ARCHITECTURE, ARGUMENT] = [0, 4, 16];

type Instruction = readonly [code: number, k: number, ifTrue?: number, ifFalse?: number];

/** Undefined where the numbers of this processor are not known. */
export function systemCallFilter(processor: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const known = PROCESSORS[processor];
  if (known === undefined) return undefined;
  const { audit, clone, unshare, socket, refused } = known;
  // Skips the answer unless the number is this one.
  const answer = (number: number, result: number): Instruction[] => [
    [EQUAL, number, 0, 1],
    [RETURN, result],
  ];
  const ifNew = (number: number): Instruction[] => [
    [EQUAL, number, 0, 4],
    [LOAD, ARGUMENT],
    [ANY_BIT, NEW_NAMESPACES, 0, 1],
    [RETURN, EPERM],
    [RETURN, ALLOW],
  ];
  return assemble([
    [LOAD, ARCHITECTURE],
    [EQUAL, audit, 1, 0],
    [RETURN, KILL],
    [LOAD, NUMBER],
    [AT_LEAST, X32, 0, 1],
    [RETURN, ENOSYS],
    // Its flags lie in memory, where no filter can look: libraries take clone instead.
    ...answer(CLONE3, ENOSYS),
    ...[...refused, ...NEWER].flatMap((number) => answer(number, EPERM)),
    ...ifNew(clone),
    ...ifNew(unshare),
    [EQUAL, socket, 0, FAMILIES.length + 2],
    [LOAD, ARGUMENT],
    ...FAMILIES.map((family, at): Instruction => [EQUAL, family, FAMILIES.length - at, 0]),
    [RETURN, EAFNOSUPPORT],
    [RETURN, ALLOW],
  ]);
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(8 * program.length);
  const view = new DataView(bytes.buffer);
  program.forEach(([code, k, ifTrue = 0, ifFalse = 0], at) => {
    view.setUint16(8 * at, code, true);
    view.setUint8(8 * at + 2, ifTrue);
    view.setUint8(8 * at + 3, ifFalse);
    view.setUint32(8 * at + 4, k, true);
  });
  return bytes;
}
