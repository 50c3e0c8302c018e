// foil archive: what a service does once a day by itself, now. Closed segments of some age are gzipped, content past
// its retention is erased under a signed tombstone, and everything is sealed after, so the chain verifies as before.

import { tidyUp, type Upkeep } from '../../app/index.ts';
import { UsageError } from '../../core/index.ts';
import { KEEP_ALL, type Retention, workspaceRoot } from '../../ledger/index.ts';
import { counted, harmless, sized } from '../../report/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { keepUpDaily } from '../daily-upkeep.ts';
import { place } from '../place.ts';

/** Sessions listed by name. */
const MOST_LISTED = 20;

export const archive: Command = {
  name: 'archive',
  summary: 'gzip old segments, and erase content that is past its retention time',
  usage: '[--dry-run] [--all | --if-due]',
  arguments: [0, 0],
  options: {
    'dry-run': { type: 'boolean', help: 'show what would be done, without changing anything' },
    all: { type: 'boolean', help: 'gzip every segment, even new ones and the one being written' },
    'if-due': { type: 'boolean', help: "do the daily upkeep, if it wasn't done today" },
  },
  examples: ['foil archive --dry-run', 'foil archive', 'foil archive --all && foil verify'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { cwd, values } = context;
  const located = place(context);
  // A ledger that was named may be of another project: then its own sessions say where that is.
  const named = located.how === 'option' || located.how === 'environment';
  const dryRun = values.flag('dry-run');
  if (values.flag('if-due')) {
    if (dryRun || values.flag('all'))
      throw new UsageError("--if-due can't be combined with --dry-run or --all.");
    const kept = await keepUpDaily(located, context.now());
    if (kept === undefined) return { json: { due: false }, text: 'Nothing is due.\n' };
    return { json: asJson(kept, false), text: render(kept, false) };
  }
  const done = await tidyUp(located, {
    roots: named ? [] : [workspaceRoot(cwd)],
    now: context.now(),
    automatic: false,
    all: values.flag('all'),
    dryRun,
    progress: (seq) => context.progress(`looking at entry ${seq}`),
  });
  if (done === undefined)
    return {
      exit: EXIT.FAILED,
      json: { running: true },
      text: 'Another process is doing this right now. Try again later.\n',
    };
  return { json: asJson(done, dryRun), text: render(done, dryRun) };
}

function asJson(done: Upkeep, dryRun: boolean): unknown {
  const { rolled, gzipped, erased, finished, retention, archiving, problem } = done;
  return {
    dry_run: dryRun,
    rolled,
    files: gzipped.map(({ name, bytes, gzBytes, sha256, gzSha256 }) => ({
      name: `${name}.gz`,
      bytes,
      gz_bytes: gzBytes,
      sha256,
      gz_sha256: gzSha256,
    })),
    erased: [...finished, ...erased],
    retention,
    archive: { days: archiving.days, bytes: archiving.bytes, quiet_hours: archiving.quietHours },
    problem,
    freed_bytes: freed(done),
  };
}

/** What stays, and for how long. */
function keptLines(retention: Retention | null): string[] {
  const { days, bytes } = retention ?? KEEP_ALL;
  const within = [
    ...(days === null ? [] : [`${counted(days, 'day')} after its session`]),
    ...(bytes === null ? [] : [`${sized(bytes)} in all`]),
  ];
  return [
    'Kept forever: entries (events, patches, grants, custody) and the code of runs.',
    `Kept for ${within.length === 0 ? 'ever too' : within.join(', and at most ')}: other content (prompts, outputs, large payloads, snapshots).`,
  ];
}

function freed({ gzipped, erased, finished }: Upkeep): number {
  let bytes = 0;
  for (const file of gzipped) if (file.gzBytes !== undefined) bytes += file.bytes - file.gzBytes;
  for (const session of [...erased, ...finished]) bytes += session.bytes;
  return bytes;
}

function render(done: Upkeep, dryRun: boolean): string {
  const { rolled, gzipped, problem, retention, archiving } = done;
  const erased = [...done.finished, ...done.erased];
  const would = dryRun ? 'would be ' : '';
  const lines = [
    ...(rolled === null ? [] : [`${would}closed ${rolled}: the next entry starts a new segment`]),
    ...gzipped.map(({ name, bytes, gzBytes }) => {
      const now = gzBytes === undefined ? '' : `, now ${sized(gzBytes)}`;
      return `${would}gzipped ${name}, ${counted(bytes, 'byte')}${now}`;
    }),
    ...erased.slice(0, MOST_LISTED).map(({ session, files, bytes, why }) => {
      const reason = why === 'age' ? 'past its retention time' : 'to free space';
      return `${would}erased content of session ${session.slice(0, 8)}: ${counted(files, 'file')}, ${sized(bytes)}, ${reason}`;
    }),
    ...(erased.length > MOST_LISTED ? [`and of ${erased.length - MOST_LISTED} more`] : []),
  ];
  if (problem !== null) lines.push(harmless(`Nothing was erased, because of ${problem}.`));
  if (rolled === null && gzipped.length === 0 && erased.length === 0) {
    const days = retention?.days ?? null;
    const kept = days === null ? '' : `, and no content is older than ${counted(days, 'day')}`;
    lines.push(
      `Nothing to do: no closed segment is older than ${counted(archiving.days, 'day')}${problem === null ? kept : ''}. Use --all to gzip every segment.`,
    );
  } else if (!dryRun) lines.push(`${sized(freed(done))} freed.`);
  if (dryRun) lines.push(...keptLines(retention));
  return `${lines.join('\n')}\n`;
}
