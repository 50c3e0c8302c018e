// foil anchor upgrade: what waits is stamped, and what was promised is asked for and completed.
import {
  type StampOutcome,
  stampWanted,
  type UpgradeOutcome,
  upgradeStamps,
} from '../../anchor/calendars/index.ts';
import { bar, columns, counted, harmless } from '../../report/index.ts';
import { type Context, EXIT, type Outcome } from '../command.ts';
import { alone, withAnchorPlace } from './place.ts';
import { failureJson, failureRow } from './stamp.ts';
import { blockWords, REGTEST_WORDS } from './status.ts';

export function upgradeNow(context: Context): Promise<Outcome> {
  return withAnchorPlace(context, async ({ ledger, ports, config }) => {
    const stop = new AbortController();
    const listening = context.onInterrupt(() => stop.abort());
    const working = { ...ports, signal: stop.signal };
    try {
      const { stamped, upgraded } = await alone(working, async () => {
        const stamped = await stampWanted(working);
        const upgraded = await upgradeStamps(working, {
          progress: (done, total) =>
            context.progress(`${bar(done, total)}  ${done} of ${counted(total, 'stamp')}`),
        });
        return { stamped, upgraded };
      });
      context.progress('');
      const completed = upgraded.filter((each) => each.completed).length;
      if (completed > 0 || (stamped?.promised.length ?? 0) > 0) await ledger.seal();
      const stuck = upgraded.some(isStuck) || stamped?.stamp.state === 'wanted';
      return {
        exit: stop.signal.aborted ? EXIT.INTERRUPTED : stuck ? EXIT.FAILED : EXIT.FINE,
        json: {
          network: config.network,
          stamped: stamped === undefined ? null : stampedJson(stamped),
          completed,
          pending: upgraded.length - completed,
          stamps: upgraded.map(upgradedJson),
        },
        text: render(stamped, upgraded, completed, config.network === 'regtest'),
      };
    } finally {
      listening();
    }
  });
}

/** Not complete, and nobody said that it will be. */
function isStuck({ completed, waiting }: UpgradeOutcome): boolean {
  return !completed && waiting.length === 0;
}

function render(
  stamped: StampOutcome | undefined,
  upgraded: readonly UpgradeOutcome[],
  completed: number,
  regtest: boolean,
): string {
  const queue =
    stamped === undefined
      ? ''
      : `${counted(stamped.stamp.size, 'entry', 'entries')}, from the queue: ${
          stamped.promised.length > 0
            ? `promised by ${stamped.promised.map(harmless).join(', ')}`
            : stamped.stamp.state === 'wanted'
              ? 'no calendar has promised it yet'
              : stamped.stamp.state
        }\n${stamped.failures.length === 0 ? '' : `${columns(stamped.failures.map(failureRow))}\n`}`;
  if (upgraded.length === 0) return `${queue}Nothing is pending.\n`;
  const rows = upgraded.flatMap(({ stamp, completed: done, waiting, failures }): [string, string][] => [
    [counted(stamp.size, 'entry', 'entries'), done ? `complete, ${blockWords(stamp)}` : 'pending'],
    ...(done ? [] : waiting.map((each): [string, string] => ['', `${harmless(each)} has nothing yet`])),
    ...(done ? [] : failures.map((each): [string, string] => ['', failureRow(each).join(' ')])),
  ]);
  const pending = upgraded.length - completed;
  return `${queue}${columns(rows, '')}\n${completed} completed, ${pending} pending.${
    pending > 0 ? ' This takes a few hours. Try again later.' : ''
  }\n${regtest && completed > 0 ? REGTEST_WORDS : ''}`;
}

function stampedJson({ stamp: { size, state }, promised, failures }: StampOutcome): object {
  return { size, state, promised, failures: failures.map(failureJson) };
}

function upgradedJson({ stamp, completed, waiting, failures }: UpgradeOutcome): object {
  const { size, state, verdict } = stamp;
  const { height, hash, time } = verdict?.block ?? {};
  return {
    size,
    state,
    completed,
    block: height === undefined ? null : { height, hash, time },
    waiting,
    failures: failures.map(failureJson),
  };
}
