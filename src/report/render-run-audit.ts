// What foil audit run prints: a line for each answer, ✓ or ✗ or ?, in the words that auditors know. Everything that comes from
// the ledger is made harmless.
import type {
  AuditedPatch,
  AuditedPoint,
  Finding,
  MemoryTrace,
  ReplayWord,
  RunAudit,
} from '../verify/index.ts';
import { CODES, POINT } from '../verify/index.ts';
import { type DeniedCall, deniedLines } from './denied-calls.ts';
import { counted, harmless, shorten } from './text.ts';

export type Section = 'hashes' | 'capabilities' | 'memory' | 'patches';

export interface AuditedRun {
  readonly audit: RunAudit;
  readonly agent: string | null;
  readonly state: string;
  /** Why the ledger around it is broken; null where it is not. */
  readonly broken: string | null;
  readonly replay: ReplayWord | null;
  readonly points: readonly AuditedPoint[];
  /** Where they are asked for. */
  readonly denied: readonly DeniedCall[];
}

export interface Shown {
  readonly sections: readonly Section[];
  /** The sixteen points. */
  readonly isWhole: boolean;
  readonly isFull: boolean;
  /** The one key of memory that is asked for. */
  readonly key: string | null;
  /** The event as of which memory is shown. */
  readonly at: number | null;
}

const MARK = { pass: '✓', fail: '✗', unknown: '?' } as const;
const NOT_PROVEN = [
  'That a tool was right: a tool with a bug replays its bug.',
  'That what a tool reported was true.',
  'That the model, or the agent, decided well.',
];

export function renderRunAudit(run: AuditedRun, shown: Shown): string {
  const { audit, agent, state, broken, points } = run;
  const { isFull, isWhole } = shown;
  const parts = shown.sections.map((name) => ({ title: TITLES[name], lines: LINES[name](run, shown) }));
  if (isFull) {
    parts.push({ title: 'Replay verification', lines: replayLines(run) });
    parts.push({ title: 'Policy decisions', lines: decisionLines(audit) });
    parts.push({ title: 'Resource usage', lines: usageLines(audit) });
  }
  if (isWhole) parts.push({ title: 'Checklist', lines: points.map(pointLine) });
  if (isFull)
    parts.push({ title: 'What replay does not prove', lines: NOT_PROVEN.map((line) => `- ${line}`) });
  const isOne = parts.length === 1;
  const head =
    isOne && !isWhole ? [] : [`Run: ${audit.run}`, `Agent: ${harmless(agent ?? 'not known')} (${state})`];
  const body = parts.flatMap(({ title, lines }) => (isOne ? lines : ['', `${title}:`, ...lines]));
  const told = broken === null ? [] : [`✗ The ledger is broken: ${harmless(broken)}`];
  return `${[...head, ...told, ...body].join('\n')}\n`;
}

function pointLine({ point, question, status, reason, invariants }: AuditedPoint): string {
  const names = invariants.length === 0 ? '' : ` [${invariants.join(', ')}]`;
  return `${MARK[status]} ${String(point).padStart(2)} ${question}: ${status}, ${harmless(reason)}${names}`;
}

const TITLES: Readonly<Record<Section, string>> = {
  hashes: 'Event log integrity',
  capabilities: 'Capability compliance',
  memory: 'Memory provenance',
  patches: 'Patch verification',
};

const LINES: Readonly<Record<Section, (run: AuditedRun, shown: Shown) => string[]>> = {
  hashes: ({ audit }) => hashLines(audit),
  capabilities: capabilityLines,
  memory: ({ audit }, shown) => memoryLines(audit, shown),
  patches: ({ audit }) => patchLines(audit),
};

const PAYLOAD = {
  valid: 'payload hash valid',
  wrong: 'payload hash invalid',
  unknown: "payload hash unknown: its payload or its key isn't here",
} as const;

function hashLines({ events, counts, found }: RunAudit): string[] {
  if (counts.events === 0) return [NO_RUN];
  const lines = events.map(({ sequence, payload, chain, flaws }) => {
    const isWrong = payload === 'wrong' || flaws.length > 0;
    const states = chain === null ? '' : `, state hash chain ${chain === 'valid' ? 'valid' : 'broken'}`;
    const told = flaws.length === 0 ? '' : `: ${flaws.map(harmless).join('; ')}`;
    return `${isWrong ? MARK.fail : payload === 'unknown' ? MARK.unknown : MARK.pass} Event ${sequence}: ${PAYLOAD[payload]}${states}${told}`;
  });
  const malformed = found.get('RUN_MALFORMED');
  if (malformed !== undefined)
    lines.push(
      `✗ ${counted(malformed.count, 'event')} can't be read: entry ${malformed.seq}: ${harmless(malformed.message)}`,
    );
  if (counts.events > events.length) lines.push(`… ${counts.events - events.length} more events are valid`);
  const bad = events.filter(({ payload, flaws }) => payload === 'wrong' || flaws.length > 0).length;
  if (bad > 0 || malformed !== undefined)
    return [...lines, `✗ ${counted(bad + (malformed?.count ?? 0), 'event')} of ${counts.events} not valid`];
  return [
    ...lines,
    counts.unknown > 0
      ? `? ${counts.unknown} of ${counts.events} hashes can't be recomputed`
      : '✓ All hashes valid',
  ];
}

const NO_RUN =
  '? The session has no events of a run, because its agent was not made with counterfoil/runtime';

function authorityOf({ findings }: RunAudit): Finding[] {
  return findings.filter(({ code }) => CODES[code].facet === 'authority');
}

function capabilityLines({ audit, denied, points }: AuditedRun): string[] {
  const { usage, decisions, callsUnjudged, counts, isGranted } = audit;
  const authority = authorityOf(audit);
  const lines = authority.map((finding) => `${MARK[levelOf(finding)]} ${placed(finding)}`);
  const isKnown = points.every(({ point, status }) => point !== POINT.capabilities || status !== 'unknown');
  const isUnjudged = callsUnjudged > 0 || (!isGranted && counts.events === 0 && decisions.size === 0);
  if (!authority.some((finding) => levelOf(finding) === 'fail'))
    lines.push(
      isUnjudged
        ? `? ${isGranted ? 'Nobody held' : 'The session began without grants, so nobody can say whether'} its ${counted(callsUnjudged, 'call')} ${isGranted ? 'against its grants' : 'might be made'}`
        : isKnown
          ? '✓ All tool calls had required capabilities'
          : '? Nobody can say whether all tool calls had required capabilities',
    );
  const count = usage.denials;
  return [...lines, `✓ ${counted(count, 'denial')} logged`, ...deniedLines(denied, count)];
}

function levelOf({ code }: Finding): 'fail' | 'unknown' {
  return CODES[code].level === 'fail' ? 'fail' : 'unknown';
}

/** `Event 5: Tool 'x' required …`, as auditors know it; of a host's session, by the entry. */
function placed({ seq, message }: Finding): string {
  const event = /^event (\d+): tool (.*)$/su.exec(message);
  if (event !== null) return harmless(`Event ${event[1]}: Tool ${event[2]}`);
  return harmless(/^event \d/.test(message) ? `E${message.slice(1)}` : `Entry ${seq}: ${message}`);
}

/** The writes that are asked for: all of them, of one key, or those in force as of an event. */
export function memoryShown({ memory }: RunAudit, { key, at }: Shown): readonly MemoryTrace[] {
  const asked = memory.filter((write) => key === null || write.key === key);
  if (at === null) return asked;
  const inForce = new Map<string, MemoryTrace>();
  for (const write of asked) if (write.event <= at) inForce.set(write.key, write);
  return [...inForce.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

const LONGEST_VALUE = 200;
const ON_RECORD =
  '? These values are on record. A replay shows whether the agent wrote them: run `foil audit run` without options';

function memoryLines(audit: RunAudit, shown: Shown): string[] {
  if (audit.counts.events === 0) return [NO_RUN];
  const lines = memoryShown(audit, shown).map(({ key, event, cause, value }) => {
    const is = shown.at === null ? '' : `: ${shorten(JSON.stringify(value), LONGEST_VALUE)}`;
    const by =
      cause === null ? 'no valid cause' : `${cause.kind}${cause.tool === null ? '' : `:${cause.tool}`}`;
    return harmless(`${cause === null ? '✗ ' : ''}memory:${key} → Written by event ${event} (${by})${is}`);
  });
  const what = shown.key === null ? 'Nothing was' : `memory:${shown.key} was not`;
  if (lines.length > 0 && shown.at !== null && !shown.isWhole) lines.push(ON_RECORD);
  return lines.length > 0
    ? lines
    : [harmless(`${what} written${shown.at === null ? '' : ` up to event ${shown.at}`}`)];
}

function patchLines({ patches, run, found }: RunAudit): string[] {
  const invalid = found.get('PATCH_INVALID');
  const lines = patches.flatMap((patch) => patchLine(patch, `${run.slice(0, 12)}:${patch.number}`));
  if (invalid !== undefined) lines.push(`✗ Entry ${invalid.seq}: ${harmless(invalid.message)}`);
  return lines.length > 0 ? lines : ['✓ No patch was proposed'];
}

function patchLine({ faults, approvedBy, status }: AuditedPatch, name: string): string[] {
  const failed = faults.filter(({ code }) => CODES[code].level === 'fail');
  if (failed.length > 0)
    return failed.map(({ code, step, past, seq }) => {
      if (code === 'PATCH_SIGNATURE') return `✗ Patch ${name}: Invalid signature (${step}, entry ${seq})`;
      const gates = past.length === 0 ? '' : ` without having been ${past.join(' and ')}`;
      return `✗ Patch ${name}: ${step}${gates} (${code}, entry ${seq}): ${CODES[code].meaning}`;
    });
  if (faults.length > 0)
    return [`? Patch ${name} signature valid, but it is unknown whether the signer was authorized`];
  return [`✓ Patch ${name} signature valid, ${approvedBy === null ? `${status}` : 'signer authorized'}`];
}

function replayLines({ replay, audit }: AuditedRun): string[] {
  if (replay === null) return [NO_RUN];
  const impure = audit.impure.map(
    ({ tool, replay: id, seq }) =>
      `${MARK.unknown} Tool ${harmless(tool)} is impure: in replay ${id.slice(0, 16)} (entry ${seq}) its output differed from the record. Make it pure: false`,
  );
  const mark = { matches: '✓ Replay successful', diverges: '✗ Replay diverged', unknown: '? Not replayed' };
  const final = replay.outcome === 'matches' ? [`✓ Final state hash matches: ${replay.finalStateHash}`] : [];
  return [`${mark[replay.outcome]}: ${harmless(replay.message)}`, ...final, ...impure];
}

function decisionLines({ decisions }: RunAudit): string[] {
  if (decisions.size === 0) return ['none on record'];
  return [...decisions].map(([word, count]) => `${harmless(word)}: ${count}`);
}

function usageLines({ usage, init }: RunAudit): string[] {
  const of = (most: number | undefined): string => (most === undefined ? '' : ` of ${most}`);
  return [
    `calls: ${usage.calls}${of(init?.limits.calls)}`,
    `denials: ${usage.denials}`,
    `time in tools: ${usage.ms} ms`,
    `output: ${usage.outputBytes} bytes`,
    `fuel: ${usage.fuel ?? 'not measured'}`,
  ];
}

export function runAuditJson(
  { audit, agent, state, broken, replay, points, denied }: AuditedRun,
  shown: Shown,
): unknown {
  const { sections, isWhole, isFull } = shown;
  const has = (name: Section): boolean => sections.includes(name);
  const { usage } = audit;
  return {
    run: audit.run,
    agent,
    state,
    broken,
    ...(has('hashes') ? { events: audit.events, hashes: audit.counts } : {}),
    ...(has('capabilities')
      ? {
          capabilities: {
            findings: authorityOf(audit),
            denials: usage.denials,
            denied,
            unjudged: audit.callsUnjudged,
          },
        }
      : {}),
    ...(has('memory')
      ? {
          memory: memoryShown(audit, shown).map(({ version, ...write }) => ({
            ...write,
            version: { node_id: version.nodeId, counter: version.counter },
          })),
        }
      : {}),
    ...(has('patches') ? { patches: audit.patches } : {}),
    ...(isFull
      ? {
          policy_decisions: Object.fromEntries(audit.decisions),
          resource_usage: {
            calls: usage.calls,
            denials: usage.denials,
            ms: usage.ms,
            output_bytes: usage.outputBytes,
            fuel_consumed: usage.fuel,
            limits: audit.init?.limits ?? null,
          },
          replay_does_not_prove: NOT_PROVEN,
        }
      : {}),
    ...(isWhole
      ? { replay, impure_tools: audit.impure, final_state_hash: audit.finalStateHash, points }
      : {}),
  };
}
