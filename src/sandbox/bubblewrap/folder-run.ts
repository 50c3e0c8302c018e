// A program run in a folder for an attestation. The folder is read-only, so that what is tested can't change the tests;
// what may be written is in memory, with a size, and gone at the end. The file for the report is mounted by itself.
import { execFile } from 'node:child_process';
import { release } from 'node:os';
import { join } from 'node:path';
import type { FolderOutcome, FolderRun, RunEnd } from '../../gate/index.ts';
import { FirstBytes } from '../first-bytes.ts';
import { NARROW, UNBOUNDED } from '../resource-limits.ts';
import { builtEnvironment, findProgram, programWords } from '../system-programs.ts';
import { assertInner } from './folder-paths.ts';
import { memoryTree } from './memory-tree.ts';
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
import { folderTree, type WorkTree } from './work-tree.ts';

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
  if (typeof run.folder !== 'string' && writable.length > 0)
    throw new TypeError('nothing of a folder in memory can be writable');
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
  const tree =
    typeof folder === 'string'
      ? await folderTree(folder, run, user, options.temporary)
      : memoryTree(folder, report);
  try {
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
        ...folderMounts(tree, writable, shareOf(wanted.diskBytes, writable.length)),
        ...(report === undefined ? [] : reportMount(tree.reportFile, report.path)),
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
      around: tree.around,
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
      report: report === undefined ? { state: 'none' } : tree.readReport(report.maxBytes),
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
    await tree.close();
  }
}

/** The folder itself if nothing, or all of it, may be written; else with places of their own over what may be. */
function folderMounts({ folder }: WorkTree, writable: readonly string[], share: number): string[] {
  const isOpen = writable.includes('.');
  const source = writable.length === 0 ? [] : ['--ro-bind', folder, LAID];
  if (isOpen) return [...wayTo(WORK), ...source, ...openPlace(WORK, share)];
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

let known: Promise<string> | undefined;

function version(): Promise<string> {
  known ??= new Promise((resolve) => {
    execFile(findProgram('bwrap') ?? 'bwrap', ['--version'], { timeout: 10_000 }, (_, text) =>
      resolve(/[0-9][0-9A-Za-z.+~-]*/.exec(text)?.[0] ?? 'unknown'),
    );
  });
  return known;
}
