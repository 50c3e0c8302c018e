// foil recover RUN: what is left of a run whose log is damaged, and a run that goes on from there.
import { endsInLine, isWritable, reading, withLedger } from '../app/index.ts';
import { type JsonObject, openCheckpoint, ParseError } from '../core/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { counted, harmless } from '../report/index.ts';
import {
  type ContinuingRun,
  continuingRun,
  lossText,
  mayContinueText,
  pastHead,
  type RunDamage,
  RunError,
  replayRun,
  surveyDamage,
} from '../runtime/index.ts';
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
    const { flaw, goOn, run, stuck } = found;
    if (flaw === null) return intact(found);
    if (!wants.continue || goOn === null || stuck !== null || isShort(found) || found.continuedBy !== null)
      return { exit: EXIT.VIOLATION, json: surveyJson(found), text: surveyText(found) };
    // What a crash left behind the head is taken in, so that it can be gone on from.
    await withLedger(located, ({ store }) => store.append(() => undefined));
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
      text: `${surveyText(found, false)}Run ${id} begins after event ${goOn}.\n${continueLine(id)}\n`,
    };
  } catch (error) {
    // Somebody else was faster, and what is there now names the other run.
    if (error instanceof RunError && error.code === 'CONTINUED')
      return recoverRun(context, located, text, { continue: false });
    return notDone(error, 'recovered');
  }
}

interface Found extends RunDamage {
  /** Why nothing can be written behind what is damaged; null where it can. */
  readonly stuck: string | null;
  /** Lines behind the last entry that don't follow from it, with one that has no end. */
  readonly torn: number;
  /** The run that was begun last to go on with this one. */
  readonly continuedBy: string | null;
}

/** The events, and by a replay the states as well: up to where both hold. */
async function survey(context: Context, located: Located, text: string): Promise<Found> {
  return reading(located, async (ledger) => {
    const opened = await openRunPlace(ledger, located, text);
    const { log, torn: lines } = await pastHead(opened.log);
    const source = { ...opened, log };
    const damage = await surveyDamage(source);
    const torn = lines + (!isShort(damage) && (await endsInLine(ledger)) ? 1 : 0);
    const by = damage.flaw === null ? null : await continuingRun(log, damage.run, 1, (await log.head()).seq);
    const continuedBy = by?.isSure === true ? by.run : null;
    const stuck = damage.flaw === null ? null : await whyStuck(ledger, located.directory, damage, by);
    const found = { ...damage, stuck, torn, continuedBy };
    const to = found.goOn ?? found.lastGood;
    if (to === null) return found;
    const tools = replayTools(context, located);
    const ticker = startTicker(context.progress, 'replaying', tools.timeoutMs);
    const { divergence, outcome } = await replayRun({ ...source, ...tools, to }).finally(ticker.stop);
    if (divergence !== null)
      return { ...(await surveyDamage(source, divergence.event)), stuck, torn, continuedBy };
    if (outcome === 'unknown')
      throw new RunError('CONTENT_GONE', "content of the run is missing, so its states can't be rebuilt.");
    return found;
  });
}

function continueLine(run: string): string {
  return `Continue it in your program: recoverRun({ agent, run: '${run}' })`;
}

/** In words that end with what to do. */
async function whyStuck(
  ledger: Ledger,
  directory: string,
  { lost }: RunDamage,
  by: ContinuingRun | null,
): Promise<string | null> {
  if (by?.isSure === false)
    return `${mayContinueText(by.run)}. Restore a copy of the ledger in which the first event of that run is good`;
  const first = lost.find(({ how }) => how === 'cut')?.from;
  const covered = await coveredBy(ledger);
  if (first !== undefined && covered >= first)
    return `a signed checkpoint covers entries 1 to ${covered}, and some of them are gone. That can't be accepted as a loss. Restore a copy of the ledger`;
  return (await isWritable(ledger, directory))
    ? null
    : 'the last entry is altered, or entries before it are gone or have another length, so nothing can be written to this ledger. Restore a copy of it';
}

/** How many entries the newest checkpoint is of; 0 where there is none that can be read. */
async function coveredBy({ store }: Pick<Ledger, 'store'>): Promise<number> {
  const note = await store.readCheckpoint();
  try {
    return note === undefined ? 0 : openCheckpoint(note).checkpoint.size;
  } catch (error) {
    if (error instanceof ParseError) return 0;
    throw error;
  }
}

/** Of a run whose events follow from one another to the last. */
function intact(found: Found): Outcome {
  const { lost, torn, lastGood, isClosed } = found;
  const hold = `✓ ${counted((lastGood ?? -1) + 1, 'event')} of the run are good`;
  const isTorn = torn > 0 && !isClosed;
  if (lost.length === 0 && !isTorn)
    return { json: surveyJson(found), text: `${hold}: there is nothing to recover\n` };
  const lines = [
    lost.length === 0 ? `${hold}.` : `${hold}, and the run continued after a loss.`,
    ...lost.map((each) => `✗ ${lossText(each)}`),
    ...lossLines(found),
    ...(isTorn ? [tornLine(torn)] : []),
  ];
  return { exit: EXIT.VIOLATION, json: surveyJson(found), text: `${lines.join('\n')}\n` };
}

function tornLine(torn: number): string {
  return `✗ ${counted(torn, 'line')} at the end of the log can't be relied on, because the first of them is damaged or cut short. These lines may have held calls of the run, and recoverRun would make those calls again. Restore a copy of the ledger if you have one.`;
}

function surveyJson({ run, flaw, lost, lastGood, snapshot, goOn, stuck, ...rest }: Found): JsonObject {
  const { readable, doubtful, lostCalls, torn, continuedBy } = rest;
  return {
    run,
    flaw,
    lost_entries: lost.map(({ from, to }) => ({ from, to })),
    lost_calls: lostCalls,
    torn_lines: torn,
    last_good: lastGood,
    snapshot,
    continue_at: stuck === null ? goOn : null,
    readable_behind: readable,
    may_have_happened: doubtful.map(({ event, tool }) => ({ event, tool })),
    continued_by: continuedBy,
  };
}

/** Nothing is written to a ledger whose log is short, before somebody accepts the loss. */
function isShort({ lost }: RunDamage): boolean {
  return lost.some(({ how }) => how === 'cut');
}

/** Nobody can say which calls: they were in what is gone. */
function lossLines({ lost, lostCalls }: RunDamage): string[] {
  const isCut = lost.some(({ how }) => how === 'cut' || how === 'gap');
  return lostCalls === 0
    ? []
    : [
        `The lost or altered entries may have held calls that happened, and nobody can say which. So a continued run doesn't make its first ${lostCalls === 1 ? 'call' : `${lostCalls} calls`} of impure tools. The agent is told that their outcome is unknown.`,
        ...(isCut
          ? [
              'After a crash, the log may have had more entries past its head, and nothing shows how many. A continued run would make their calls again.',
            ]
          : []),
      ];
}

function adviceLines(damage: Found): string[] {
  const { run, goOn, stuck, continuedBy } = damage;
  if (continuedBy !== null) return [`Run ${continuedBy} already continues it. ${continueLine(continuedBy)}`];
  if (stuck !== null) return [`The run can't be continued here: ${stuck}, and run this command again there.`];
  const next = `a run that continues after event ${goOn}: foil recover ${run.slice(0, 16)} --continue`;
  return isShort(damage)
    ? [
        'Step 1 of 2. Put the loss on record, for the whole ledger: foil recover --accept-loss',
        `Step 2 of 2. Begin ${next}`,
      ]
    : [`Next, begin ${next}`];
}

function surveyText(damage: Found, suggests = true): string {
  const lines = [
    `✗ ${harmless(damage.flaw ?? '')}`,
    ...lossLines(damage),
    ...(damage.torn > 0 ? [tornLine(damage.torn)] : []),
    ...savedLines(damage),
    ...callLines(damage),
    ...(damage.goOn === null ? [whyNot(damage)] : suggests ? adviceLines(damage) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function savedLines({ lastGood, snapshot, readable }: RunDamage): string[] {
  if (lastGood === null)
    return [
      'Last good event: none',
      `What can be saved: nothing. ${counted(readable, 'later event')} can be read, but not relied on.`,
    ];
  return [
    `Last good event: ${lastGood}`,
    snapshot === null ? 'Snapshot to use: none, begin at event 0' : `Snapshot to use: event ${snapshot}`,
    `What can be saved: events 0 to ${lastGood}. ${counted(readable, 'later event')} can be read, but not relied on.`,
  ];
}

const MOST_CALLS = 20;

function callLines({ doubtful, goOn }: RunDamage): string[] {
  if (doubtful.length === 0) return [];
  const calls = doubtful
    .slice(0, MOST_CALLS)
    .map(({ event, tool }) => `${tool === null ? 'a tool' : harmless(tool)} (event ${event.split(':')[1]})`);
  const more = doubtful.length - calls.length;
  const named = `These calls may have happened: ${calls.join(', ')}${more === 0 ? '' : `, and ${more} more that --json lists`}.`;
  return goOn === null
    ? [named]
    : [
        `${named} A continued run makes a call again only if its tool is idempotent (with the same key as the first time), or is pure and no replay found otherwise. For every other call, the agent is told that the outcome is unknown.`,
      ];
}

function whyNot({ isClosed }: RunDamage): string {
  return isClosed
    ? 'The run had ended, so there is nothing to continue. Restore a copy of the ledger if you have one.'
    : "The run can't be continued, because its state isn't known after any event. Restore a copy of the ledger and run this command again there, or start a new run.";
}
