// Tidying up a ledger: a live segment that grew too long is closed, old closed ones are gzipped, content past its
// retention goes. Nothing that was touched in the last hour is touched, and no line is ever moved. One process at a time;
// by itself once a day, by a service or by a process that a hook starts, or by `foil archive`. A run that is stopped anywhere is finished by the next.
import { randomBytes } from 'node:crypto';
import { encodeArchive } from '../../format/index.ts';
import { type Archiving, DAY, HOUR, Ledger, type Located, readSettings } from '../../ledger/index.ts';
import { type ArchivedFile, type FileStore, openFileStore, openKeyring } from '../../store/files/index.ts';
import { cutSessions } from './cut-sessions.ts';
import { archivingOf, type Retained, retain } from './retention.ts';
import { dayOf, readUpkeepNote, writeUpkeepNote } from './upkeep-note.ts';

/** Segments gzipped while nobody can seal. */
const AT_ONCE = 4;
/** By itself, nothing is erased after a longer pause than this: the clock may have jumped. The next day is soon enough. */
const LONGEST_PAUSE = 31 * DAY;

export interface UpkeepOptions {
  /** The project's directories, as far as known. */
  readonly roots: readonly string[];
  readonly now: number;
  /** Nobody asked for it: then it is careful about the clock. */
  readonly automatic: boolean;
  /** Every segment, also the one being written, whatever its age. */
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly rollAbove?: number;
  /** Sessions that were heard of since then are not cut, though their process is gone. */
  readonly cutBefore?: number;
  /** Asked between steps: what is left is for the next run. */
  readonly stopping?: () => boolean;
  readonly progress?: (seq: number) => void;
}

export interface Upkeep extends Omit<Retained, 'complete'> {
  /** The name of the segment that was closed for its length. */
  readonly rolled: string | null;
  /** What was gone by. */
  readonly archiving: Archiving;
  /** Sessions whose process is gone. */
  readonly cut: number;
  /** In a dry run without hashes and the length that they would have. */
  readonly gzipped: readonly (Pick<ArchivedFile, 'name' | 'bytes'> & Partial<ArchivedFile>)[];
}

/** Segments that were last added to before this are gzipped. */
export function archivedBefore({ days, quietHours }: Archiving, now: number): number {
  return now - Math.max(days * DAY, quietHours * HOUR);
}

/** Undefined where another process is at it. */
export async function tidyUp(located: Located, options: UpkeepOptions): Promise<Upkeep | undefined> {
  const { directory, keyDirectory } = located;
  const dryRun = options.dryRun === true;
  const store = openFileStore(directory, { readOnly: dryRun });
  const ledger = new Ledger({ store, keyring: openKeyring(keyDirectory), random: randomBytes });
  try {
    return dryRun
      ? await look(ledger, store, options)
      : await store.upkeep(() => work(ledger, store, options));
  } finally {
    await ledger.close();
  }
}

async function work(ledger: Ledger, store: FileStore, options: UpkeepOptions): Promise<Upkeep> {
  const { now, all = false, automatic, stopping = () => false } = options;
  const archiving = archivingOf(options.roots, isLocked(store.directory));
  const { rollAbove = archiving.bytes } = options;
  const note = readUpkeepNote(store.directory);
  await writeUpkeepNote(store.directory, { day: note?.day ?? dayOf(now), done: false });
  const cut = await cutSessions(store, { before: options.cutBefore });
  const rolled = (await store.roll(rollAbove)) ?? null;
  const gzipped: ArchivedFile[] = [];
  const record = async (files: readonly ArchivedFile[]): Promise<void> => {
    await ledger.append({ kind: 'archive', payload: encodeArchive({ files }), source: 'ledger' });
  };
  for (let closeCurrent = all; !stopping(); closeCurrent = false) {
    const age = all ? {} : { before: archivedBefore(archiving, now) };
    const files = await store.archive(record, { ...age, closeCurrent, most: AT_ONCE });
    if (files.length === 0) break;
    gzipped.push(...files);
  }
  const since = note === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - Date.parse(note.day));
  const { complete, ...retained } =
    (automatic && since > LONGEST_PAUSE) || stopping()
      ? { ...NOTHING, complete: !stopping() }
      : await retain(retention(ledger, store, options, note?.done === false));
  if (gzipped.length + cut.length > 0 || !automatic) await ledger.seal();
  if (complete) await writeUpkeepNote(store.directory, { day: dayOf(now), done: true });
  return { rolled, gzipped, cut: cut.length, archiving, ...retained };
}

async function look(ledger: Ledger, store: FileStore, options: UpkeepOptions): Promise<Upkeep> {
  const { now, all = false } = options;
  const archiving = archivingOf(options.roots, isLocked(store.directory));
  const { rollAbove = archiving.bytes } = options;
  const live = store.liveSegment();
  const age = all ? {} : { before: archivedBefore(archiving, now) };
  const gzipped = store.archivable({ ...age, closeCurrent: all });
  const { complete: _, ...retained } = await retain(retention(ledger, store, options, true));
  return {
    rolled: live !== undefined && live.bytes > rollAbove ? live.name : null,
    gzipped,
    cut: 0,
    archiving,
    ...retained,
  };
}

function retention(
  ledger: Ledger,
  store: FileStore,
  { roots, now, automatic, dryRun = false, stopping, progress }: UpkeepOptions,
  unfinished: boolean,
): Parameters<typeof retain>[0] {
  return {
    ledger,
    store,
    roots,
    now,
    dryRun,
    locked: isLocked(store.directory),
    thorough: unfinished || !automatic,
    ...(stopping === undefined ? {} : { stopping }),
    ...(progress === undefined ? {} : { progress }),
  };
}

const NOTHING: Omit<Retained, 'complete'> = { retention: null, erased: [], finished: [], problem: null };

/** Settings that can't be read say nothing about how strict they were. */
function isLocked(directory: string): boolean {
  try {
    return readSettings(directory).mode === 'locked';
  } catch {
    return true;
  }
}
