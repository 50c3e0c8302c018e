// Which build of foil a service runs. Two builds may have the same version, as when a package is installed again, so a
// build is known by a hash of what it runs; when it was made says which of two is the newer one. A service is only ever
// replaced by a newer build: of two copies of foil on one machine, the older must not end what the newer started.

export interface BuildMark {
  /** Of the files that are run: the first 16 hex digits of a SHA-256. */
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly made: number;
}

export interface Build {
  readonly version: string;
  /** Null or left out where nothing is known but the version, as of services that were built before this was kept. */
  readonly build?: BuildMark | null;
}

export type Age = 'same' | 'older' | 'newer';

/** How the build that runs stands to one's own. */
export function ageOf(running: Build, own: Build): Age {
  const byVersion = compareVersions(running.version, own.version);
  if (byVersion !== 0) return byVersion < 0 ? 'older' : 'newer';
  const [theirs, ours] = [running.build ?? null, own.build ?? null];
  if (theirs?.hash === ours?.hash) return 'same';
  // Without a mark of one's own there is no saying which is newer: what runs stays.
  if (ours === null) return 'newer';
  return theirs === null || theirs.made < ours.made ? 'older' : 'newer';
}

/** By the numbers. What is not made of numbers counts as 0: it was never released. */
function compareVersions(one: string, other: string): number {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return (left[at] ?? 0) - (right[at] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  const [, ...numbers] = /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(version) ?? [];
  return [0, 1, 2].map((at) => Number(numbers[at] ?? 0));
}

/** Null for anything else. */
export function parseBuildMark(value: unknown): BuildMark | null {
  const { hash, made } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (typeof hash !== 'string' || !/^[0-9a-f]{16}$/.test(hash)) return null;
  return typeof made === 'number' && Number.isSafeInteger(made) ? { hash, made } : null;
}
