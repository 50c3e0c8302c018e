// What passes on a wire to a model and is neither a call nor an answer that is known: observations, kept as it came. They
// are written before whoever saw them hands them on.
import type { Json, JsonObject } from '../../core/index.ts';
import { withTraces } from '../../format/index.ts';
import type { NewEntry } from '../../ledger/index.ts';
import { type Intake, Traces } from '../intake.ts';
import { keptHeaders, type NamedValues, queryFacts } from './named-values.ts';

export interface PassedBy {
  /** `websocket`, `message`, `stream` … */
  readonly event: string;
  /** Why it can't be told for certain what its receiver makes of it; null where it is only nothing that is known. */
  readonly problem: string | null;
  /** Undefined where there is nothing to keep. */
  readonly content?: Json | undefined;
  /** Of a request that opens something. */
  readonly query?: string | null | undefined;
  /** Those that go on with it. */
  readonly headers?: NamedValues | undefined;
  /** Which way it went, and what carried it. */
  readonly wire: JsonObject;
}

/** Where a session's content goes. */
interface Keeping {
  readonly intake: Intake;
  readonly session: string;
  readonly source: string;
}

/** Content is durable when it resolves, the entry not yet. */
export async function passedByEntry(
  { intake, session, source }: Keeping,
  { event, problem, content, query = null, headers, wire }: PassedBy,
  cause: number | null,
): Promise<NewEntry> {
  const traces = new Traces();
  const kept = content === undefined ? null : await intake.keep(session, intake.clean(content, traces));
  const asked = query === null ? {} : { query: await queryFacts(intake, session, query, traces) };
  const said = headers === undefined ? {} : { headers: await keptHeaders(intake, session, headers) };
  const payload: JsonObject = {
    content: kept?.ref ?? null,
    content_bytes: kept?.bytes ?? null,
    content_hash: kept?.hash ?? null,
    event,
    problem,
    wire: { ...(await intake.small(session, wire, traces)), ...asked, ...said },
  };
  return { kind: 'observation', source, session_id: session, cause, payload: withTraces(payload, traces) };
}
