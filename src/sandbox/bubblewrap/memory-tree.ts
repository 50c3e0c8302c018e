// A work tree that lies in no file system of the machine's, for what must not outlive a run. An outer bubblewrap sees all
// that we see, and a file system in memory that nobody else does. There a tar is unpacked that comes through a pipe, and
// the sandbox proper is started from within, with that tree read-only. The kernel takes the memory back with the last
// process, so nothing is left to remove, also after kill -9.
import { statSync } from 'node:fs';
import { encodeTar, sortedFiles, type TreeFile } from '../../format/index.ts';
import type { ReadReport } from '../../gate/index.ts';
import { FirstBytes } from '../first-bytes.ts';
import { findProgram, probe } from '../system-programs.ts';
import type { Around } from './process.ts';
import type { WorkTree } from './work-tree.ts';

/** A directory that is there on every Linux. Nothing that the sandbox is made of lies in it. */
const PLACE = '/dev/shm';
const TREE = `${PLACE}/work`;
const REPORT = `${PLACE}/report`;
const PAGE = 4096;
const ROOM = 1024 * 1024;
const NOT_SET_UP = 125;

/** Why there can be none here; null where `inner`, the words of a sandbox, can be started in one. Never rejects. */
export async function memoryProblem(inner: readonly string[]): Promise<string | null> {
  if (statSync(PLACE, { throwIfNoEntry: false })?.isDirectory() !== true) return `there is no ${PLACE}`;
  const [bwrap, ...others] = ['bwrap', 'tar', 'head'].map((name) => findProgram(name));
  if (bwrap === undefined || others.includes(undefined)) return 'bubblewrap and tar are not both installed';
  const failed = await probe(bwrap, outerWords(ROOM, [bwrap, ...inner]));
  return failed === null ? null : `bubblewrap can't be started within itself (${failed})`;
}

function outerWords(size: number, inner: readonly string[]): string[] {
  return [
    ...['--die-with-parent', '--dev-bind', '/', '/'],
    ...['--perms', '0755', '--size', String(size), '--tmpfs', PLACE],
    ...inner,
  ];
}

/** Throws PackError where the files can't lie in one folder. */
export function memoryTree(
  files: readonly TreeFile[],
  report: { readonly path: string; readonly maxBytes: number } | undefined,
): WorkTree {
  // The report is mounted on an empty file.
  const empty = report === undefined ? [] : [{ path: report.path, bytes: new Uint8Array(0) }];
  const said = new FirstBytes(report === undefined ? 0 : report.maxBytes + 1);
  const pages = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / PAGE), 0);
  const size = pages * PAGE + (report?.maxBytes ?? 0) + ROOM;
  const around: Around = {
    input: encodeTar(sortedFiles([...files, ...empty])),
    take: (piece) => void said.add(piece),
    words: (bwrap, inner, fds) => [
      bwrap,
      outerWords(size, ['/bin/sh', '-c', script(fds, report?.maxBytes), 'sh', ...inner]),
    ],
  };
  return {
    folder: TREE,
    reportFile: REPORT,
    around,
    readReport: (most) => readSaid(said.bytes(), most),
    close: async () => undefined,
  };
}

/** The descriptors are ours: whatever is started does not get them. */
function script(fds: { readonly input: number; readonly output: number }, most: number | undefined): string {
  const start = `"$@" ${fds.input}<&- ${fds.output}>&-`;
  const unpack = `umask 022 && mkdir ${TREE} && ${findProgram('tar')} -xf - -C ${TREE} <&${fds.input} || exit ${NOT_SET_UP}`;
  if (most === undefined) return `${unpack}; exec ${start}`;
  return [
    unpack,
    `: > ${REPORT} && chmod 666 ${REPORT} || exit ${NOT_SET_UP}`,
    start,
    `code=$?; ${findProgram('head')} -c ${most + 1} ${REPORT} >&${fds.output}; exit $code`,
  ].join('; ');
}

function readSaid(bytes: Uint8Array, most: number): ReadReport {
  if (bytes.length === 0) return { state: 'empty' };
  return bytes.length > most ? { state: 'too-large' } : { state: 'read', bytes: new Uint8Array(bytes) };
}
