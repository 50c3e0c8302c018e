// What `foil status` has found, and how it is told on a terminal.
import {
  type HookLatency,
  type HostOverride,
  type InstalledHooks,
  otherBuildText,
  type ServiceStatus,
} from '../app/index.ts';
import { ANCHOR_NOT_ACCEPTED } from '../config/index.ts';
import type { Mode } from '../ledger/index.ts';
import type { Paint } from '../report/index.ts';
import {
  columns,
  counted,
  type DiskUse,
  type Heard,
  harmless,
  lasted,
  moment,
  type PendingGap,
  pendingText,
  sized,
  type Today,
  unheardText,
} from '../report/index.ts';

export interface Status {
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
export interface UpkeepStatus {
  readonly last: string | null;
  readonly segments: number;
  readonly sessions: number;
}

function strangerIn({ revoked }: { readonly revoked: boolean }): string {
  return revoked ? 'an operator who had been revoked' : "a key that your trust.yaml doesn't name";
}

export function renderStatus(found: Status, now: number, paint: Paint): string {
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
