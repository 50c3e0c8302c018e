// foil recover RUN: what is left of a run whose log is damaged, and a run that goes on from there.

import { isWritable, reading } from '../app/index.ts';
import type { JsonObject } from '../core/index.ts';
import type { Located } from '../ledger/index.ts';
import { counted, harmless } from '../report/index.ts';
import { callsIn, lossText, type RunDamage, RunError, replayRun, surveyDamage } from '../runtime/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { withParent } from './fork-run.ts';
import { notDone, openRunPlace, replayTools } from './run-place.ts';
import { startTicker } from './ticker.ts';

export async function recoverRun(
  context: Context,
  located: Located,
  text: string,
  wants: { readonly continue: boolean },
): Promise<Outcome> {
  try {
    const found = await survey(context, located, text);
    const { flaw, goOn, run, lastGood, isStuck } = found;
    if (flaw === null) {
      const hold = `✓ ${counted(lastGood + 1, 'event')} of the run are good`;
      return found.lost.length === 0
        ? { json: surveyJson(found), text: `${hold}: there is nothing to recover\n` }
        : {
            exit: EXIT.VIOLATION,
            json: surveyJson(found),
            text: `${hold}, and the run continued after a loss.\n${[...found.lost.map((each) => `✗ ${lossText(each)}`), ...lossLines(found)].join('\n')}\n`,
          };
    }
    if (!wants.continue || goOn === null || isStuck || isShort(found))
      return { exit: EXIT.VIOLATION, json: surveyJson(found), text: surveyText(found) };
    const { run: id } = await withParent(context, located, { run, at: goOn }, ({ state }, begin) =>
      begin({
        replay: 'recovery',
        start: state,
        isStateChanged: false,
        agent: null,
        parameters: null,
        inputs: null,
        live: true,
      }),
    );
    return {
      json: { ...surveyJson(found), continued_by: id },
      text: `${surveyText(found, false)}Run ${id} begins after event ${goOn}.\nContinue it in your program: recoverRun({ agent, run: '${id}' })\n`,
    };
  } catch (error) {
    return notDone(error, 'recovered');
  }
}

interface Found extends RunDamage {
  /** Nothing can be written behind what is damaged. */
  readonly isStuck: boolean;
}

/** The events, and by a replay the states as well: up to where both hold. */
async function survey(context: Context, located: Located, text: string): Promise<Found> {
  return reading(located, async (ledger) => {
    const source = await openRunPlace(ledger, located, text);
    const damage = await surveyDamage(source);
    const isStuck = damage.flaw !== null && !(await isWritable(ledger, located.directory));
    const found = { ...damage, isStuck };
    const tools = replayTools(context, located);
    const ticker = startTicker(context.progress, 'replaying', tools.timeoutMs);
    const to = found.goOn ?? found.lastGood;
    const { divergence, outcome } = await replayRun({ ...source, ...tools, to }).finally(ticker.stop);
    if (divergence !== null) return { ...(await surveyDamage(source, divergence.event)), isStuck };
    if (outcome === 'unknown')
      throw new RunError('CONTENT_GONE', "content of the run is missing, so its states can't be rebuilt.");
    return found;
  });
}

function surveyJson({ run, flaw, lost, lastGood, snapshot, goOn, isStuck, ...rest }: Found): JsonObject {
  const { readable, doubtful } = rest;
  return {
    run,
    flaw,
    lost_entries: lost.map(({ from, to }) => ({ from, to })),
    last_good: lastGood,
    snapshot,
    continue_at: isStuck ? null : goOn,
    readable_behind: readable,
    may_have_happened: doubtful.map(({ event, tool }) => ({ event, tool })),
    continued_by: null,
  };
}

/** Nothing is written to a ledger whose log is short, before somebody accepts the loss. */
function isShort({ lost }: RunDamage): boolean {
  return lost.some(({ isOnRecord }) => !isOnRecord);
}

/** Nobody can say which calls: they were in what is gone. */
function lossLines({ lost }: RunDamage): string[] {
  return lost.map(
    ({ from, to }) =>
      `Entries ${from} to ${to} may have held calls that happened, and nobody can say which. A continued run makes none of its first ${callsIn({ from, to })} calls of tools that are not pure: the agent gets the outcome unknown.`,
  );
}

function adviceLines(damage: Found): string[] {
  const { run, goOn, isStuck } = damage;
  if (isStuck)
    return [
      "The run can't be continued here: entries in the middle of the log are gone or can't be read, so nothing can be written to this ledger. Restore a copy of it first.",
    ];
  const next = `Go on behind event ${goOn}: foil recover ${run.slice(0, 16)} --continue`;
  return isShort(damage)
    ? [
        'First put the loss on record: foil recover --accept-loss (if a checkpoint covers what is lost, restore a copy instead)',
        `Then g${next.slice(1)}`,
      ]
    : [next];
}

function surveyText(damage: Found, suggests = true): string {
  const { flaw, lastGood, snapshot, goOn, readable, doubtful } = damage;
  const calls = doubtful.map(
    ({ event, tool }) => `${tool === null ? 'a tool' : harmless(tool)} (event ${event.split(':')[1]})`,
  );
  const lines = [
    `✗ ${harmless(flaw ?? '')}`,
    ...lossLines(damage),
    `Last good event: ${lastGood}`,
    snapshot === null ? 'Snapshot to use: none, begin at event 0' : `Snapshot to use: event ${snapshot}`,
    `What can be saved: events 0 to ${lastGood}. ${counted(readable, 'later event')} can be read, but not relied on.`,
    ...(calls.length === 0
      ? []
      : [
          `These calls may have happened: ${calls.join(', ')}. A continued run makes them again only if their tool is pure or idempotent; else the agent gets the outcome unknown.`,
        ]),
    ...(goOn === null
      ? ["The run can't be continued, because its state isn't known after any event."]
      : suggests
        ? adviceLines(damage)
        : []),
  ];
  return `${lines.join('\n')}\n`;
}
