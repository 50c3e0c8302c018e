// A program run in a folder for an attestation. The folder is read-only, so that what is tested can't change the tests;
// what may be written is in memory, with a size, and gone at the end. The report is a file of ours, open before anything
// runs and mounted by itself: it can't be swapped for a link, and what is read is what was opened.
import { execFile } from 'node:child_process';
import { closeSync, fchownSync, fstatSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FolderOutcome, FolderRun, ReadReport, RunEnd } from '../../gate/index.ts';
import { giveTree } from '../give-tree.ts';
import { NARROW, UNBOUNDED } from '../resource-limits.ts';
import { builtEnvironment, findProgram, programWords } from '../system-programs.ts';
import { assertInner, makeDirectory, makeEmptyFile } from './folder-paths.ts';
import {
  CLOSED_PLACES,
  HOME,
  openPlace,
  openPlaces,
  shareOf,
  systemMounts,
  toolMounts,
  wayTo,
} from './mounts.ts';
import type { BubblewrapOptions } from './options.ts';
import { startBubblewrap } from './process.ts';
import { systemCallFilter } from './system-calls.ts';
import { type RunUser, takeUser } from './user.ts';

/** The same on every machine, so that a path in a report says nothing of the attester's. */
export const WORK = '/foil/work';
const LAID = '/foil/laid';
const MOST_WRITABLE = 16;

export async function runFolder(
  run: FolderRun,
  options: BubblewrapOptions,
  base: string | undefined,
): Promise<FolderOutcome> {
  const { argv, report, writable = [] } = run;
  if (!/^[^-]/.test(argv[0] ?? '')) throw new TypeError('argv names no program');
  if (writable.length > MOST_WRITABLE)
    throw new RangeError(`at most ${MOST_WRITABLE} folders can be writable`);
  for (const path of [
    ...writable.filter((each) => each !== '.'),
    ...(report === undefined ? [] : [report.path]),
  ])
    assertInner(path);
  const user = takeUser();
  try {
    return await runAs(user, run, options, base);
  } finally {
    user.release();
  }
}

async function runAs(
  user: RunUser,
  run: FolderRun,
  options: BubblewrapOptions,
  base: string | undefined,
): Promise<FolderOutcome> {
  const { argv, folder, report, writable = [] } = run;
  const place = await mkdtemp(join(options.temporary ?? tmpdir(), 'foil-report-'));
  const file = join(place, 'report');
  const fd = openSync(file, 'wx+', 0o600);
  try {
    if (user.isOther) {
      fchownSync(fd, user.uid, user.uid);
      await giveTree(folder, user.uid);
    }
    const wanted = { ...NARROW, ...options.limits, ...run.limits };
    const filter = systemCallFilter();
    const tools = toolMounts(options, WORK);
    const [stdout, stderr] = [new FirstBytes(run.maxOutput), new FirstBytes(run.maxOutput)];
    const { ended, held, ranOutOfMemory } = await startBubblewrap({
      user,
      network: false,
      mounts: [
        ...systemMounts(),
        ...openPlaces(shareOf(wanted.diskBytes, writable.length)),
        ...tools.mounts,
        ...folderMounts(run, shareOf(wanted.diskBytes, writable.length)),
        ...(report === undefined ? [] : reportMount(file, report.path)),
        ...CLOSED_PLACES,
      ],
      words: programWords(argv, [
        `cd ${WORK}`,
        ...writable.map((path) => copyStep(path)),
        '{ command -v -- "$1" >/dev/null || { echo "$1 is not in PATH" >&2; false; }; }',
      ]),
      env: builtEnvironment(tools.path, HOME, '/tmp'),
      wanted,
      base,
      filter,
      watch: {
        timeoutMs: run.timeoutMs,
        signal: run.signal,
        stdout: (piece) => stdout.add(piece),
        stderr: (piece) => stderr.add(piece),
      },
      saidSoFar: () => Buffer.from(stderr.bytes()).toString('utf8'),
    });
    const by: RunEnd = ended.by === 'exit' && ranOutOfMemory ? 'memory' : ended.by;
    return {
      ended: by,
      exit: by === 'exit' ? ended.code : null,
      signal: ended.signal,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      report: report === undefined ? { state: 'none' } : readReport(fd, report.maxBytes),
      durationMs: ended.durationMs,
      limits: {
        ...held,
        // In a namespace of its own it could mount something without a size.
        disk_bytes: filter === undefined ? UNBOUNDED : { by: 'tmpfs', most: wanted.diskBytes },
        output_bytes: { by: 'reader', most: run.maxOutput },
        seconds: { by: 'timer', most: run.timeoutMs / 1000 },
      },
      versions: { bubblewrap: await version(), kernel: release() },
    };
  } finally {
    closeSync(fd);
    await rm(place, { recursive: true, force: true });
  }
}

/** The folder itself if nothing, or all of it, may be written; else with places of their own over what may be. */
function folderMounts({ folder, report, writable = [] }: FolderRun, share: number): string[] {
  const isOpen = writable.includes('.');
  const source = writable.length === 0 ? [] : ['--ro-bind', folder, LAID];
  // Also where it is not mounted on this: a report that lay there already would be copied into ours.
  if (report !== undefined) makeEmptyFile(folder, report.path);
  if (isOpen) return [...wayTo(WORK), ...source, ...openPlace(WORK, share)];
  for (const path of writable) makeDirectory(folder, path);
  return [
    ...wayTo(WORK),
    ...source,
    ...['--ro-bind', folder, WORK],
    ...writable.flatMap((path) => openPlace(join(WORK, path), share)),
  ];
}

/** What is above it may be in a place that is empty yet, and everybody may write in such a place. */
function reportMount(file: string, path: string): string[] {
  const segments = path.split('/').slice(0, -1);
  const above = segments.map((_, at) => join(WORK, ...segments.slice(0, at + 1)));
  return [
    ...above.flatMap((each) => ['--perms', '0777', '--dir', each]),
    ...['--bind', file, join(WORK, path)],
  ];
}

/** A step of the shell before the program: what the folder holds there already. */
function copyStep(path: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  return `${findProgram('cp') ?? '/bin/cp'} -R -- ${quoted(`${join(LAID, path)}/.`)} ${quoted(`${join(WORK, path)}/`)}`;
}

function readReport(fd: number, most: number): ReadReport {
  const { size } = fstatSync(fd);
  if (size === 0) return { state: 'empty' };
  if (size > most) return { state: 'too-large' };
  const bytes = new Uint8Array(size);
  let at = 0;
  for (let read = 1; at < size && read > 0; at += read) read = readSync(fd, bytes, at, size - at, at);
  return { state: 'read', bytes: bytes.subarray(0, at) };
}

/** The beginning of a stream: half a report is none, so that nothing is worth keeping beyond it. */
class FirstBytes {
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  #kept = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** False once it is more than that. */
  add(piece: Buffer): boolean {
    const first = piece.subarray(0, this.#most - this.#kept);
    if (first.length > 0) this.#pieces.push(first);
    this.#kept += first.length;
    return first.length === piece.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}

let known: Promise<string> | undefined;

function version(): Promise<string> {
  known ??= new Promise((resolve) => {
    execFile(findProgram('bwrap') ?? 'bwrap', ['--version'], { timeout: 10_000 }, (_, text) =>
      resolve(/[0-9][0-9A-Za-z.+~-]*/.exec(text)?.[0] ?? 'unknown'),
    );
  });
  return known;
}
