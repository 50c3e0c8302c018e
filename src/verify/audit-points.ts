// The sixteen points of an audit, each pass, fail or unknown, with a reason and the invariants that a failure breaks. They say
// nothing that the checks have not found: a point is a question, and the codes behind it are the answer. spec/audit.md.
import { type Invariant, POINT, POINTS, type Point } from './audit-table.ts';
import type { Code } from './codes.ts';
import { counted } from './counted.ts';
import type { Status } from './findings.ts';
import type { PatchFault, PatchGate } from './patch-audit.ts';
import type { FoundCode, RunAudit } from './run-audit.ts';

/** What a replay came to. */
export interface ReplayWord {
  readonly outcome: 'matches' | 'diverges' | 'unknown';
  readonly message: string;
  /** As it was rebuilt; null where nothing was. */
  readonly finalStateHash: string | null;
  /** What is wrong with the events that it went through; null where nothing is. */
  readonly flaw: string | null;
}

/** What an audit rests on besides the run's own entries. */
export interface AuditBeside {
  /** Whether the ledger around the run is intact: null where it is, else why not. */
  readonly broken: string | null;
  /** What the other facets say of the run's entries: claims, receipts, and whether recorders agree. */
  readonly policy: readonly {
    readonly code: Code;
    readonly level: 'fail' | 'unknown';
    readonly message: string;
  }[];
  /** Null where nobody replayed. */
  readonly replay: ReplayWord | null;
}

export interface AuditedPoint {
  readonly point: number;
  readonly question: string;
  readonly status: Status;
  readonly reason: string;
  /** Those that a failure breaks. */
  readonly invariants: readonly Invariant[];
  readonly codes: readonly string[];
}

const POINT_OF_GATE: Readonly<Record<PatchGate, number>> = {
  tested: POINT.tests,
  audited: POINT.audit,
  approved: POINT.approval,
};

interface Reason {
  readonly message: string;
  readonly code: string;
  readonly invariant: Invariant | null;
}

/** All sixteen, in order. */
export function auditPoints(audit: RunAudit, beside: AuditBeside): AuditedPoint[] {
  return POINTS.map((point, i) => {
    const number = i + 1;
    const failed = [...codesOf(point, audit), ...besideFails(number, audit, beside)];
    const open = failed.length > 0 ? [] : unknownOf(number, point, audit, beside);
    const [first] = failed.length > 0 ? failed : open;
    const more = (failed.length || open.length) - 1;
    return {
      point: number,
      question: point.question,
      status: failed.length > 0 ? 'fail' : open.length > 0 ? 'unknown' : 'pass',
      reason:
        first === undefined ? point.pass(audit) : `${first.message}${more > 0 ? ` (and ${more} more)` : ''}`,
      invariants: [...new Set(failed.flatMap(({ invariant }) => invariant ?? []))],
      codes: [...new Set([...failed, ...open].map(({ code }) => code))],
    };
  });
}

function codesOf({ fails }: Point, { found }: RunAudit): Reason[] {
  return Object.entries(fails).flatMap(([name, invariant]) => {
    const told = found.get(name as Code);
    return told === undefined ? [] : [{ message: messageOf(told), code: name, invariant }];
  });
}

function messageOf({ message, seq, count }: FoundCode): string {
  const where = seq === null || /\bevent \d/.test(message) ? '' : `entry ${seq}: `;
  return `${where}${message}${count > 1 ? ` (${count} times)` : ''}`;
}

function besideFails(point: number, audit: RunAudit, { broken, policy, replay }: AuditBeside): Reason[] {
  if (point === POINT.log && broken !== null) return [{ message: broken, code: 'BROKEN', invariant: null }];
  if (point === POINT.replay && replay?.outcome === 'diverges')
    return [{ message: replay.message, code: 'DIVERGED', invariant: 'Deterministic Reconstruction' }];
  if (point === POINT.replay && replay !== null && replay.flaw !== null)
    return [{ message: replay.flaw, code: 'REPLAY_FLAW', invariant: null }];
  if (point === POINT.policy)
    return policy
      .filter(({ level }) => level === 'fail')
      .map(({ code, message }) => ({ code, message, invariant: null }));
  if (point === POINT.limits)
    return audit.overtime.map((message) => ({ message, code: 'OVERTIME', invariant: null }));
  if (point === POINT.final && replay !== null && audit.isClosed && isOther(audit, replay))
    return [
      {
        message: `the log says ${audit.finalStateHash}, but the replay ended at ${replay.finalStateHash}`,
        code: 'DIVERGED',
        invariant: 'Hash Verifiability',
      },
    ];
  return orderFaults(point, audit);
}

function isOther({ finalStateHash }: RunAudit, replay: ReplayWord): boolean {
  return (
    replay.outcome === 'diverges' &&
    replay.finalStateHash !== null &&
    replay.finalStateHash !== finalStateHash
  );
}

/** A step out of order went past the gates that it needed; one that went past none was taken twice, or back too early. */
function orderFaults(point: number, { patches }: RunAudit): Reason[] {
  const isHere = ({ code, past }: PatchFault): boolean =>
    code === 'PATCH_ORDER' &&
    (past.length === 0 ? point === POINT.approval : past.some((gate) => POINT_OF_GATE[gate] === point));
  return patches.flatMap(({ number, faults }) =>
    faults.filter(isHere).map(({ seq, step, past }) => ({
      message: `entry ${seq}: patch ${number} was ${step} ${past.length === 0 ? 'out of order' : `without having been ${past.join(' and ')}`}`,
      code: 'PATCH_ORDER',
      invariant: past.length === 0 ? ('Reversibility' as const) : ('Gate Sequentiality' as const),
    })),
  );
}

function unknownOf(number: number, point: Point, audit: RunAudit, { policy, replay }: AuditBeside): Reason[] {
  const unknown = (message: string, code: string): Reason[] => [{ message, code, invariant: null }];
  if (audit.counts.events === 0 && point.ofHosts !== true)
    return unknown(
      'the session has no events of a run: its agent was not made with counterfoil/runtime',
      'NOT_A_RUN',
    );
  const open = (point.unknown ?? []).flatMap((code) => {
    const told = audit.found.get(code);
    return told === undefined ? [] : unknown(messageOf(told), code);
  });
  const unread = point.reads?.find((kind) => audit.unread.has(kind));
  if (unread !== undefined)
    open.push(...unknown(`the payload of a ${unread} is not here`, 'RUN_PAYLOAD_UNKNOWN'));
  if (number === POINT.capabilities && audit.callsUnjudged > 0)
    open.push(
      ...unknown(
        audit.isGranted
          ? `${counted(audit.callsUnjudged, 'call')} compared with none of the grants in force`
          : `the session began without grants, so nothing says whether ${counted(audit.callsUnjudged, 'call')} could be made`,
        'NO_GRANTS',
      ),
    );
  if (number === POINT.policy)
    open.push(
      ...policy
        .filter(({ level }) => level === 'unknown')
        .map(({ code, message }) => ({ code, message, invariant: null })),
    );
  if (number === POINT.replay || number === POINT.final) {
    if (replay === null) open.push(...unknown('no state was rebuilt here', 'RUN_NOT_REPLAYED'));
    else if (replay.outcome !== 'matches') open.push(...unknown(replay.message, 'RUN_NOT_REPLAYED'));
    else if (number === POINT.final && !audit.isClosed)
      open.push(...unknown('the run has no final event yet', 'RUN_OPEN'));
  }
  return open;
}
