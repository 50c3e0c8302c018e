// foil release: the hashes of what is released, and of the tools that it was made with, as an entry under a checkpoint; and
// whether files that are here are the ones that were released.
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { reading, withLedger } from '../../app/index.ts';
import { ParseError, StoreError, UsageError } from '../../core/index.ts';
import {
  encodeRelease,
  LONGEST_RELEASED,
  MOST_RELEASED,
  parseRelease,
  RELEASE,
  type Release,
  type ReleasedFile,
} from '../../format/index.ts';
import { entriesOf, type Ledger } from '../../ledger/index.ts';
import { counted, harmless } from '../../report/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { userName } from '../custody.ts';
import { place } from '../place.ts';

export const release: Command = {
  name: 'release',
  summary: 'record the hashes of what you release, or compare files with them',
  usage: 'record NAME PATH… [--tool FILE] | check NAME [options]',
  arguments: [2, MOST_RELEASED + 2],
  options: {
    tool: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      help: 'record: a program that made it, such as a compiler (repeatable)',
    },
  },
  examples: ['foil release record v1.2.0 dist/ --tool "$(which node)"', 'foil release check v1.2.0'],
  notes: [
    'A directory stands for every file below it. Links among the artifacts are refused. The entry is sealed at once, so the',
    "ledger's key signs it. `check` compares the files as they are now with the newest record of that name. It exits with 0 if",
    'all of them are the same, and with 5 if one differs or is missing. Both also report earlier records of that name with other files.',
  ],
  run,
};

/** Files of a release that are named. */
const MOST_NAMED = 5;

async function run(context: Context): Promise<Outcome> {
  const [action, name = '', ...paths] = context.arguments;
  if (name === '' || name.length > LONGEST_RELEASED)
    throw new UsageError(`the name of a release must have 1 to ${LONGEST_RELEASED} characters.`);
  if (action === 'record') return record(context, name, paths);
  if (action !== 'check') throw new UsageError(`Unknown subcommand "${action}". Use record or check.`);
  if (paths.length > 0 || context.values.all('tool').length > 0)
    throw new UsageError("`foil release check` compares every file of the release. Don't name any files.");
  return check(context, name);
}

async function record(context: Context, name: string, paths: readonly string[]): Promise<Outcome> {
  const { cwd, values } = context;
  const artifacts = new Set(paths.flatMap((path) => filesAt(resolve(cwd, path))));
  if (artifacts.size === 0) throw new UsageError('name at least one file of the release.');
  const tools = new Set(values.all('tool').map((path) => toolAt(resolve(cwd, path))));
  const files: ReleasedFile[] = [];
  for (const file of new Set([...artifacts, ...tools])) {
    const path = relative(cwd, file).split(sep).join('/');
    if (path.length > LONGEST_RELEASED)
      throw new UsageError(
        `${path} is longer than ${LONGEST_RELEASED} characters. Record it from a directory closer to it.`,
      );
    files.push({ path, role: artifacts.has(file) ? 'artifact' : 'tool', ...(await hashed(file)) });
  }
  if (files.length > MOST_RELEASED)
    throw new UsageError(
      `these are ${files.length} files, but a record holds at most ${MOST_RELEASED}. Put them into an archive and record that.`,
    );
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return withLedger(place(context), async (ledger) => {
    const payload = encodeRelease({ name, files, by: userName() });
    const { first: entry } = await ledger.append({ kind: RELEASE, source: 'cli', payload });
    await ledger.seal();
    const records = await recordsOf(ledger, name);
    const mine = { files, seq: entry };
    return {
      json: { entry, ...payload, recorded_otherwise: otherwiseJson(records, mine) },
      text: `Entry ${entry}: ${counted(files.length, 'file')} of release ${harmless(name)}.\n${otherwiseText(records, mine)}`,
    };
  });
}

async function check(context: Context, name: string): Promise<Outcome> {
  const records = await reading(place(context), (ledger) => recordsOf(ledger, name));
  const found = records.at(-1);
  if (found === undefined)
    throw new StoreError(
      'NOT_FOUND',
      `there is no release ${name} on record. See \`foil log --kind release\`.`,
    );
  const files: { path: string; state: 'same' | 'differs' | 'gone' }[] = [];
  for (const { path, sha256 } of found.files)
    files.push({ path, state: await stateOf(resolve(context.cwd, path), sha256) });
  const isSame = files.every(({ state }) => state === 'same');
  const lines = files.map(
    ({ path, state }) => `${state === 'same' ? '✓' : '✗'} ${harmless(path)}: ${state}\n`,
  );
  return {
    exit: isSame ? EXIT.FINE : EXIT.VIOLATION,
    json: { name, entry: found.seq, same: isSame, files, recorded_otherwise: otherwiseJson(records, found) },
    text: `${lines.join('')}Compared with entry ${found.seq}.\n${otherwiseText(records, found)}`,
  };
}

type RecordedRelease = Pick<Release, 'files'> & { readonly seq: number };

/** The files of which an earlier record of the name says something else, or that only one of the two has. */
function changedPaths({ files: before }: RecordedRelease, { files: now }: RecordedRelease): string[] {
  const hashes = (files: readonly ReleasedFile[]): Map<string, string> =>
    new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const [old, latest] = [hashes(before), hashes(now)];
  return [...new Set([...old.keys(), ...latest.keys()])].filter((path) => old.get(path) !== latest.get(path));
}

function otherwiseJson(records: readonly RecordedRelease[], newest: RecordedRelease) {
  return records.flatMap((record) => {
    const paths = record.seq === newest.seq ? [] : changedPaths(record, newest);
    return paths.length === 0 ? [] : [{ entry: record.seq, paths }];
  });
}

/** A name that was recorded with other files is told: whoever relies on it must know which ones were meant. */
function otherwiseText(records: readonly RecordedRelease[], newest: RecordedRelease): string {
  return otherwiseJson(records, newest)
    .map(
      ({ entry, paths }) =>
        `! Entry ${entry} recorded this name with other files: ${paths.slice(0, MOST_NAMED).map(harmless).join(', ')}${paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''}\n`,
    )
    .join('');
}

/** Oldest first. One that is malformed is none. */
async function recordsOf({ store }: Ledger, name: string): Promise<readonly (Release & { seq: number })[]> {
  const { seq: to } = await store.head();
  const found: (Release & { seq: number })[] = [];
  for await (const { payload, seq } of entriesOf(store, 1, to, [RELEASE]))
    try {
      const told = parseRelease(payload);
      if (told.name === name) found.push({ ...told, seq });
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
    }
  return found;
}

/** The file, or every file below the directory. A link may lead out of what is released. */
function filesAt(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return [path];
  if (found?.isDirectory()) return readdirSync(path).flatMap((name) => filesAt(join(path, name)));
  throw new UsageError(`${path} is ${found === undefined ? 'missing' : 'neither a file nor a directory'}.`);
}

/** Programs are often links to what really runs. */
function toolAt(path: string): string {
  const real = lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
  if (lstatSync(real, { throwIfNoEntry: false })?.isFile() === true) return real;
  throw new UsageError(`${path} isn't a file.`);
}

async function hashed(path: string): Promise<Pick<ReleasedFile, 'sha256' | 'bytes'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const read = createReadStream(path).on('data', (piece) => {
    bytes += piece.length;
  });
  await pipeline(read, hash);
  return { sha256: hash.digest('hex'), bytes };
}

async function stateOf(path: string, sha256: string): Promise<'same' | 'differs' | 'gone'> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return 'gone';
  return (await hashed(path)).sha256 === sha256 ? 'same' : 'differs';
}
