// foil anchor stamp: the newest checkpoint, handed to calendars.
import { type CalendarFailure, stampWanted, wantStamp } from '../../anchor/calendars/index.ts';
import { encodeHex, UsageError } from '../../core/index.ts';
import { encodeStampName, STAMP_DIR } from '../../format/index.ts';
import { columns, counted, harmless } from '../../report/index.ts';
import { type Context, EXIT, type Outcome } from '../command.ts';
import { alone, withAnchorPlace } from './place.ts';

export function stampNow(context: Context): Promise<Outcome> {
  return withAnchorPlace(context, async ({ ledger, ports, config }) => {
    if (ports.calendars.length === 0)
      throw new UsageError('regtest has no public calendars. Name one with --calendar URL.');
    const { checkpoint } = await ledger.seal();
    const { stamp, promised, failures } = await alone(ports, async () => {
      await wantStamp(ports, checkpoint.size);
      const done = await stampWanted(ports);
      if (done === undefined) throw new Error('the stamp that was just requested is missing');
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
    return 'No calendar answered, so the request waits in the queue. Run `foil anchor upgrade` to try again.\n';
  if (state === 'damaged')
    return `${file} exists, but it is wrong: ${harmless(problem ?? '')}. Replace it with a good copy, or remove it.\n`;
  if (state === 'complete') return `It is stamped, and the stamp is complete. ${file}\n`;
  const more =
    wanted === null
      ? ''
      : 'Only one calendar has promised it. Run `foil anchor upgrade` to ask the others again.\n';
  return promises === 0
    ? `It is already stamped, and the stamp is pending. ${file}\n${more}`
    : `A promise isn't a proof yet. Run \`foil anchor upgrade\` in a few hours to complete it. ${file}\n${more}`;
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
