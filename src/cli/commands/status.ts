// foil status: is it recording, how strictly, and what came of it today. Reads notes and the end of the ledger, so it
// is quick however long the ledger is. It verifies nothing.
import {
  archivedBefore,
  archivingOf,
  askService,
  currentPolicy,
  findInstalledHooks,
  grantsFor,
  hostOverrides,
  type InstalledHooks,
  modeInForce,
  reading,
  readUpkeepNote,
  retentionOf,
  standingFor,
} from '../../app/index.ts';
import { isAnchorAccepted, parseYaml, readConfig } from '../../config/index.ts';
import { openCheckpoint, ParseError } from '../../core/index.ts';
import { parseNotice } from '../../format/index.ts';
import { noticeText, recentEntries } from '../../gate/index.ts';
import { DAY, isFoilOff, type Ledger, type Mode, workspaceRoot } from '../../ledger/index.ts';
import { noteDirectories, peekFailed, readPause, readRelease } from '../../record/index.ts';
import { diskUse, heardFrom, pendingGaps, readEntry, readToday } from '../../report/index.ts';
import { openFileStore } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { replaceOldService } from '../hook-more.ts';
import { placeToRead } from '../project-ledgers.ts';
import { renderStatus, type Status, type UpkeepStatus } from '../render-status.ts';

export const status: Command = {
  name: 'status',
  summary: "show whether foil is recording: mode, pause, hooks, service, today's entries, disk, latency",
  usage: '',
  arguments: [0, 0],
  options: {},
  examples: ['foil status', 'foil status --json'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { located, others } = placeToRead(context);
  const found = await reading(located, (ledger) => look(ledger, located.directory, others, context));
  return { json: found, text: renderStatus(found, context.now(), context.paint) };
}

async function look(
  ledger: Ledger,
  directory: string,
  others: readonly string[],
  context: Context,
): Promise<Status> {
  const { now, env, cwd } = context;
  const { store } = ledger;
  const { seq } = await store.head();
  const { mode, problem } = modeOf(directory, { cwd, env });
  const last = seq === 0 ? undefined : await readEntry(store, seq);
  return {
    ledger: directory,
    others,
    // A value may be a password, as in a proxy's address.
    overrides: hostOverrides({ cwd, env }, mode).map(({ value: _, ...override }) => override),
    mode,
    problem,
    paused_until: readPause(directory, { locked: mode === 'locked', now: now(), env })?.until ?? null,
    released_until: mode === 'guard' ? (readRelease(directory, { now: now(), env })?.until ?? null) : null,
    failed: failedNow(directory, env),
    pending: pendingGaps(directory, env),
    config_problem: configProblem(cwd),
    policy: await policyNow(ledger, context),
    grants: await grantsNow(ledger, context),
    anchor_accepted: mode === 'locked' || anchorAccepted(directory, cwd, env),
    notices: await noticesNow(ledger, now()),
    foil_off: isFoilOff(env),
    ...heard(directory, findInstalledHooks({ cwd, env })),
    ...(await askedService(directory, env)),
    entries: seq,
    last: last === undefined ? null : { seq, ts: last.ts },
    today: await readToday(store, seq, midnight(now())),
    unsealed: await unsealed(ledger, seq),
    disk: diskUse(directory),
    upkeep: upkeep(directory, cwd, now()),
  };
}

/** One of an older build, as an upgrade leaves it, is replaced by whoever finds it. */
async function askedService(
  directory: string,
  env: Context['env'],
): Promise<Pick<Status, 'service' | 'latency'>> {
  await replaceOldService(directory, env);
  return askService(directory);
}

function upkeep(directory: string, cwd: string, now: number): UpkeepStatus {
  const store = openFileStore(directory, { readOnly: true });
  const segments = store.archivable({
    before: archivedBefore(archivingOf([workspaceRoot(cwd)], false), now),
  }).length;
  const { day = null } = readUpkeepNote(directory) ?? {};
  let sessions = 0;
  try {
    const { days } = retentionOf([workspaceRoot(cwd)], false);
    const old = (modified: number): boolean => days !== null && now - modified > days * DAY;
    sessions = store.contentUses().filter(({ salted, modified }) => salted && old(modified)).length;
  } catch {
    // What is wrong with the configuration is told above.
  }
  void store.close();
  return { last: day, segments, sessions };
}

function modeOf(
  directory: string,
  context: Pick<Context, 'cwd' | 'env'>,
): { mode: Mode | null; problem: string | null } {
  try {
    return { mode: modeInForce(directory, context).mode, problem: null };
  } catch (error) {
    if (error instanceof ParseError) return { mode: null, problem: error.message };
    throw error;
  }
}

function failedNow(directory: string, env: Context['env']): Status['failed'] {
  const gap = peekFailed(...noteDirectories(directory, env));
  return gap === null ? null : { since: gap.since, events: gap.events, why: gap.why };
}

function configProblem(cwd: string): string | null {
  try {
    readConfig(workspaceRoot(cwd), parseYaml);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function policyNow(ledger: Ledger, context: Context): Promise<Status['policy']> {
  try {
    const { hash, differs } = await currentPolicy(ledger, context);
    const { unknown, isRevoked } = await standingFor(ledger.store, context.env);
    return { hash, differs: differs !== null, unknown: unknown.length > 0, revoked: isRevoked };
  } catch {
    return null; // the configuration's problem is told on its own
  }
}

async function grantsNow({ store }: Ledger, { env }: Context): Promise<Status['grants']> {
  try {
    const { inForce, unknown, isRevoked } = await grantsFor(store, env);
    return { hash: inForce?.grantsHash ?? null, unknown: unknown.length > 0, revoked: isRevoked };
  } catch {
    return null; // a trust.yaml that can't be read is told by what needs it
  }
}

function anchorAccepted(directory: string, cwd: string, env: Context['env']): boolean {
  try {
    return isAnchorAccepted(readConfig(workspaceRoot(cwd), parseYaml).anchor, directory, env);
  } catch {
    return true; // the configuration's problem is told on its own
  }
}

/** Those that nobody has acknowledged; what there is to say of policy and grants is told by what is so now. */
async function noticesNow({ store }: Ledger, now: number): Promise<Status['notices']> {
  const entries = await recentEntries(store, new Date(now - DAY).toISOString(), ['notice']);
  let found: { seq: number; ts: string; text: string; notice: string }[] = [];
  for (const { seq, ts, payload } of entries) {
    try {
      const notice = parseNotice(payload);
      if (notice === undefined || /^(?:policy|grants)/.test(notice.notice)) continue;
      if (notice.notice === 'overrides.ack') found = found.filter((each) => each.notice !== 'overrides');
      else if (notice.notice === 'crashes.ack') found = found.filter((each) => each.notice !== 'crashes');
      else found.push({ seq, ts, text: noticeText(notice), notice: notice.notice });
    } catch {
      // `foil verify` says so.
    }
  }
  return found.map(({ seq, ts, text }) => ({ seq, ts, text }));
}

/** The day is the one of whoever asks. */
function midnight(now: number): string {
  return new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString();
}

async function unsealed({ store }: Ledger, seq: number): Promise<Status['unsealed']> {
  try {
    const note = await store.readCheckpoint();
    const size = note === undefined ? 0 : openCheckpoint(note).checkpoint.size;
    const count = Math.max(0, seq - size);
    const first = count === 0 ? undefined : await readEntry(store, size + 1);
    return { count, since: first?.ts ?? null };
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

/** A hook file on disk is not "on": when its last event came is. */
function heard(directory: string, found: readonly InstalledHooks[]): Pick<Status, 'hooks' | 'unheard'> {
  const all = found.map((hooks) => ({ hooks, heard: heardFrom(directory, hooks.agent, hooks.path) }));
  const unheard = all.filter(({ hooks, heard: { at, stale } }) => {
    const isHere = hooks.ledger === null || hooks.ledger === directory;
    return isHere && (at === null || stale);
  });
  return {
    hooks: all.map(({ hooks, heard: { at } }) => ({ ...hooks, last_event: at })),
    unheard: [...new Map(unheard.map((each) => [each.hooks.agent, each.heard])).values()],
  };
}
