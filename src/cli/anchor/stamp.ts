// foil anchor stamp: the newest checkpoint, handed to calendars.
import { type CalendarFailure, stampWanted, wantStamp } from '../../anchor/calendars/index.ts';
import { encodeHex } from '../../core/index.ts';
import { encodeStampName, STAMP_DIR } from '../../format/index.ts';
import { type Context, EXIT, type Outcome, UsageError } from '../command.ts';
import { columns, counted, harmless } from '../text.ts';
import { alone, withAnchorPlace } from './place.ts';

export function stampNow(context: Context): Promise<Outcome> {
  return withAnchorPlace(context, async ({ ledger, ports, config }) => {
    if (ports.calendars.length === 0)
      throw new UsageError('on regtest there are no public calendars: name one with --calendar URL.');
    const { checkpoint } = await ledger.seal();
    const { stamp, promised, failures } = await alone(ports, async () => {
      await wantStamp(ports, checkpoint.size);
      const done = await stampWanted(ports);
      if (done === undefined) throw new Error('what was just wanted is not');
      return done;
    });
    if (promised.length > 0) await ledger.seal(); // what was put on record about it
    const { size, state, problem, wanted, verdict } = stamp;
    const file = `${STAMP_DIR}/${encodeStampName(size, 'ots')}`;
    const digest = verdict?.digest === undefined ? null : encodeHex(verdict.digest);
    const failed = state === 'wanted' || state === 'damaged';
    const rows: [string, string][] = [
      ...promised.map((calendar): [string, string] => ['promised', harmless(calendar)]),
      ...failures.map(failureRow),
    ];
    const table = rows.length === 0 ? '' : `${columns(rows)}\n`;
    return {
      exit: failed ? EXIT.FAILED : EXIT.FINE,
      json: {
        size,
        state,
        problem,
        queued: wanted !== null,
        digest,
        file: failed ? null : file,
        promised,
        failures: failures.map(failureJson),
        network: config.network,
      },
      text: `The checkpoint of ${counted(size, 'entry', 'entries')}:\n${table}${wordsOf(stamp, promised.length, file)}`,
    };
  });
}

function wordsOf(
  { state, problem, wanted }: { state: string; problem: string | null; wanted: string | null },
  promises: number,
  file: string,
): string {
  if (state === 'wanted')
    return 'Nobody promised anything. It waits in the queue: `foil anchor upgrade` tries again.\n';
  if (state === 'damaged')
    return `${file} is there, and is not what it should be: ${harmless(problem ?? '')}. Put a good copy in its place, or remove it.\n`;
  if (state === 'complete') return `It is stamped, and complete. ${file}\n`;
  const more = wanted === null ? '' : 'One promise is little: `foil anchor upgrade` asks the others again.\n';
  return promises === 0
    ? `It is stamped already, and pending. ${file}\n${more}`
    : `A promise is no proof yet. In a few hours \`foil anchor upgrade\` completes it. ${file}\n${more}`;
}

export function failureRow({ calendar, message }: CalendarFailure): [string, string] {
  return ['FAILED', `${harmless(calendar)} ${harmless(message)}`];
}

export function failureJson({
  calendar,
  problem,
  message,
}: CalendarFailure): Omit<CalendarFailure, 'outcome'> {
  return { calendar, problem, message };
}
