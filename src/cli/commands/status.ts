// foil status: is it recording, how strictly, and what came of it today. Reads notes and the end of the ledger, so it
// is quick however long the ledger is. It verifies nothing.

import {
  archivedBefore,
  archivingOf,
  askService,
  currentPolicy,
  findInstalledHooks,
  grantsFor,
  type HookLatency,
  type HostOverride,
  hostOverrides,
  type InstalledHooks,
  modeInForce,
  otherBuildText,
  reading,
  readUpkeepNote,
  retentionOf,
  type ServiceStatus,
  standingFor,
} from '../../app/index.ts';
import { ANCHOR_NOT_ACCEPTED, isAnchorAccepted, parseYaml, readConfig } from '../../config/index.ts';
import { openCheckpoint, ParseError } from '../../core/index.ts';
import { parseNotice } from '../../format/index.ts';
import { noticeText, recentEntries } from '../../gate/index.ts';
import { DAY, isFoilOff, type Ledger, type Mode, workspaceRoot } from '../../ledger/index.ts';
import { noteDirectories, peekFailed, readPause, readRelease } from '../../record/index.ts';
import type { Paint } from '../../report/index.ts';
import {
  columns,
  counted,
  type DiskUse,
  diskUse,
  type Heard,
  harmless,
  heardFrom,
  lasted,
  moment,
  type PendingGap,
  pendingGaps,
  pendingText,
  readEntry,
  readToday,
  sized,
  type Today,
  unheardText,
} from '../../report/index.ts';
import { openFileStore } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { replaceOldService } from '../hook-more.ts';
import { placeToRead } from '../project-ledgers.ts';

export const status: Command = {
  name: 'status',
  summary: "show whether foil is recording: mode, pause, hooks, service, today's entries, disk, latency",
  usage: '',
  arguments: [0, 0],
  options: {},
  examples: ['foil status', 'foil status --json'],
  run,
};

interface Status {
  readonly ledger: string;
  /** More ledgers of this project. */
  readonly others: readonly string[];
  /** What the settings of hosts say against our hooks. */
  readonly overrides: readonly Omit<HostOverride, 'value'>[];
  /** What the hooks here will do. Null where the settings can't be understood. */
  readonly mode: Mode | null;
  readonly problem: string | null;
  readonly paused_until: string | null;
  /** Until when what can't be recorded is let through in guard; null where it is refused. */
  readonly released_until: string | null;
  /** What could not be recorded and is not in the ledger yet. */
  readonly failed: { readonly since: string; readonly events: number | null; readonly why: string } | null;
  /** All gaps that are not in the ledger yet, also those of sessions that ran with FOIL=off. */
  readonly pending: readonly PendingGap[];
  /** What is wrong with counterfoil.yaml. */
  readonly config_problem: string | null;
  /** Which policy the gate goes by, and whether counterfoil.yaml, or somebody unknown, says another; null where that can't be told. */
  readonly policy: {
    readonly hash: string;
    readonly differs: boolean;
    readonly unknown: boolean;
    /** Somebody unknown is an operator who had been revoked. */
    readonly revoked: boolean;
  } | null;
  /** Which grants are in force, and whether somebody unknown accepted others; null where that can't be told. */
  readonly grants: {
    readonly hash: string | null;
    readonly unknown: boolean;
    readonly revoked: boolean;
  } | null;
  /** May the sources that counterfoil.yaml names be asked? */
  readonly anchor_accepted: boolean;
  /** What a person should know, of the last day. */
  readonly notices: readonly { readonly seq: number; readonly ts: string; readonly text: string }[];
  /** FOIL=off stands in this environment. */
  readonly foil_off: boolean;
  readonly hooks: readonly (InstalledHooks & { readonly last_event: string | null })[];
  /** Hosts whose hooks are in place and from which nothing comes. */
  readonly unheard: readonly Heard[];
  readonly service: ServiceStatus | null;
  readonly latency: HookLatency | null;
  readonly entries: number;
  readonly last: { readonly seq: number; readonly ts: string } | null;
  readonly today: Today;
  /** Null where the checkpoint can't be read. */
  readonly unsealed: { readonly count: number; readonly since: string | null } | null;
  readonly disk: DiskUse;
  readonly upkeep: UpkeepStatus;
}

/** When it was tidied up last, and what the dates of files say is due. */
interface UpkeepStatus {
  readonly last: string | null;
  readonly segments: number;
  readonly sessions: number;
}

async function run(context: Context): Promise<Outcome> {
  const { located, others } = placeToRead(context);
  const found = await reading(located, (ledger) => look(ledger, located.directory, others, context));
  return { json: found, text: render(found, context.now(), context.paint) };
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

function strangerIn({ revoked }: { readonly revoked: boolean }): string {
  return revoked ? 'an operator who had been revoked' : "a key that your trust.yaml doesn't name";
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

function render(found: Status, now: number, paint: Paint): string {
  const { mode, problem, hooks, service, latency, today, disk, last } = found;
  const ago = (ts: string): string => {
    const age = now - Date.parse(ts);
    return age >= 0 ? `${lasted(age)} ago` : `at ${moment(ts)}`;
  };
  const rows: [string, string][] = [
    ['mode', mode ?? paint.red(harmless(`unknown: ${problem}`))],
    ...recording(found, now, paint).map((line, i): [string, string] => [i === 0 ? 'recording' : '', line]),
    ...(hooks.length === 0 ? [['hooks', 'none found here'] as [string, string]] : []),
    ...hooks.map(({ agent, scope, path, mode: pinned, last_event: at }, i): [string, string] => [
      i === 0 ? 'hooks' : '',
      harmless(
        `${agent} (${scope}${pinned === null ? '' : `, ${pinned}`})  ${at === null ? 'no event yet' : `last event ${ago(at)}`}  ${path}`,
      ),
    ]),
    ...found.overrides.map(({ text }, i): [string, string] => [
      i === 0 ? 'settings' : '',
      paint.yellow(harmless(text)),
    ]),
    [
      'service',
      service?.alive === true
        ? describeService(service)
        : service?.problem
          ? paint.yellow(service.problem)
          : 'not running',
    ],
    ...otherBuild(service, mode, paint),
    [
      'latency',
      latency === null
        ? service?.alive === true
          ? 'not measured yet'
          : "unknown while the service doesn't answer"
        : `p50 ${latency.p50_ms} ms, p95 ${latency.p95_ms} ms, over ${counted(latency.count, 'hook')}`,
    ],
    [
      'today',
      [
        counted(today.entries, 'entry', 'entries'),
        counted(today.sessions, 'session'),
        counted(today.prompts, 'prompt'),
        counted(today.calls, 'call'),
        `${today.denied} denied`,
      ].join(', '),
    ],
    ['open', counted(today.open, 'session')],
    [
      'blocked',
      [
        ...(today.blocks === 0 ? [] : [`${counted(today.blocks, 'block')} today (guard)`]),
        ...(today.would_block === 0 ? [] : [`${today.would_block} would have been blocked (observe)`]),
      ].join('; ') || 'nothing today',
    ],
    [
      'claims',
      today.claims === 0
        ? 'none today'
        : `${today.claims} today: ${today.proven} proven, ${today.unproven} not proven, ${today.excused} excused, ${today.sent_back} sent back`,
    ],
    ...(found.policy?.differs === true
      ? [
          [
            'policy',
            paint.yellow('counterfoil.yaml differs from the policy on record: foil policy explain'),
          ] as [string, string],
        ]
      : []),
    ...(found.policy?.unknown === true
      ? [
          [
            'policy',
            paint.yellow(
              `a policy was accepted by ${strangerIn(found.policy)}, and isn't in force: foil policy explain`,
            ),
          ] as [string, string],
        ]
      : []),
    ...(found.grants?.unknown === true
      ? [
          [
            'grants',
            paint.yellow(
              `${found.grants.hash === null ? 'no grants are in force: the ones on record were' : 'other grants were'} accepted by ${strangerIn(found.grants)}: foil grants explain`,
            ),
          ] as [string, string],
        ]
      : []),
    ...(found.anchor_accepted
      ? []
      : [['anchor', paint.yellow(`${ANCHOR_NOT_ACCEPTED}.`)] as [string, string]]),
    ...found.notices.map(({ text }, i): [string, string] => [
      i === 0 ? 'notices' : '',
      paint.yellow(harmless(text)),
    ]),
    ...(today.endless === 0
      ? []
      : [['no result', paint.yellow(endlessText(today.endless))] as [string, string]]),
    ['gaps', today.gaps === 0 ? 'none today' : paint.yellow(`${today.gaps} today: foil log --kind gap`)],
    ...found.pending.map((gap, i): [string, string] => [
      i === 0 ? 'untold' : '',
      paint.yellow(pendingText(gap)),
    ]),
    ['last', last === null ? 'nothing readable' : `entry ${last.seq}, ${ago(last.ts)}`],
    ['unsealed', describeUnsealed(found.unsealed, ago)],
    [
      'disk',
      `${disk.complete ? '' : 'at least '}${sized(disk.ledger_bytes)} ledger, ${sized(disk.content_bytes)} content`,
    ],
    ['upkeep', describeUpkeep(found.upkeep)],
    ['ledger', harmless(found.ledger)],
    ...found.others.map((other): [string, string] => ['also', paint.yellow(harmless(other))]),
  ];
  return `${columns(rows, '')}\n`;
}

function endlessText(calls: number): string {
  const what =
    calls === 1 ? 'call of today has none, although its' : 'calls of today have none, although their';
  return `${calls} ${what} turn has ended: foil verify`;
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

/** One line for each agent of which nothing came, after how it is. */
function recording(found: Status, now: number, paint: Paint): readonly string[] {
  const { mode, paused_until, released_until, foil_off, failed, config_problem, hooks, overrides } = found;
  if (paused_until !== null)
    return [
      paint.yellow(
        `paused until ${moment(paused_until)} (${lasted(Date.parse(paused_until) - now)} left): foil pause off resumes it`,
      ),
    ];
  if (foil_off && mode === 'observe') return [paint.yellow('off in this environment (FOIL=off)')];
  const strict = mode !== 'observe' && released_until === null;
  if (failed !== null) {
    const events = failed.events === null ? 'events' : counted(failed.events, 'event');
    const since = `FAILING since ${moment(failed.since)}, ${events} ${strict ? 'refused or lost' : 'lost'}`;
    return [paint.red(harmless(`${since}: ${failed.why}`))];
  }
  if (config_problem !== null)
    return [
      paint.red(
        harmless(`${strict ? 'REFUSING, because of' : 'without content, because of'} ${config_problem}`),
      ),
    ];
  const silenced = overrides.find(({ silences }) => silences);
  if (silenced !== undefined) return [paint.red(harmless(`OFF for ${silenced.agent}: ${silenced.text}`))];
  const unsure = overrides.find((each) => each.unsure);
  if (unsure !== undefined && hooks.some(({ agent }) => agent === unsure.agent))
    return [paint.red(harmless(`NOT SURE for ${unsure.agent}: ${unsure.text}`))];
  if (foil_off) return [`on (FOIL=off is set here, but it doesn't work in ${mode ?? 'guard'} mode)`];
  if (hooks.length === 0) return ['ready, but no hooks are installed here: foil install'];
  const { unheard } = found;
  if (unheard.length === 0) return ['on'];
  const heard = hooks.filter(({ agent }) => unheard.every((each) => each.agent !== agent));
  const on = heard.length === 0 ? 'not seen yet' : `on for ${heard.map(({ agent }) => agent).join(', ')}`;
  const [first = '', ...others] = unheard.map(unheardText);
  return [`${on}; ${first}`, ...others].map(paint.yellow);
}

function describeUpkeep({ last, segments, sessions }: UpkeepStatus): string {
  const due = [
    ...(segments === 0 ? [] : [`${counted(segments, 'segment')} to gzip`]),
    ...(sessions === 0 ? [] : [`content of ${counted(sessions, 'session')} past its retention`]),
  ];
  return `${last === null ? 'never yet' : `last on ${last}`}${due.length === 0 ? '' : `; due: ${due.join(', ')} (foil archive)`}`;
}

function describeService({ pid, port, version, problem }: ServiceStatus): string {
  const parts = [
    `pid ${pid}`,
    ...(port === null ? [] : [`port ${port}`]),
    ...(version === null ? [] : [`version ${version}`]),
  ];
  return harmless(`running (${parts.join(', ')})${problem === null ? '' : `: ${problem}`}`);
}

function otherBuild(service: ServiceStatus | null, mode: Mode | null, paint: Paint): [string, string][] {
  const text = service === null ? null : otherBuildText(service, mode);
  return text === null ? [] : [['', paint.yellow(text)]];
}

function describeUnsealed(found: Status['unsealed'], ago: (ts: string) => string): string {
  if (found === null) return 'unknown: the checkpoint is wrong. Run foil verify.';
  if (found.count === 0) return 'nothing';
  return `${counted(found.count, 'entry', 'entries')}${found.since === null ? '' : `, the oldest ${ago(found.since)}`}`;
}
