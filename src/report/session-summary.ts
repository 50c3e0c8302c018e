// What happened in one session, counted from its entries: tools, denials, approvals, files, redactions, gaps, and what
// never came to an end. Lists are bounded; what is left out is counted.
import type { Json, JsonObject } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import { type Entry, NO_KEY } from '../format/index.ts';

/** Of each list. */
const LIMIT = 1000;

interface ToolCount {
  calls: number;
  /** Results that are no success, and exit codes other than 0. */
  failed: number;
  denied: number;
  ms: number;
}

interface FileCount {
  writes: number;
  op: string;
  /** Of what was written last. */
  bytes: number | null;
}

interface BlockPlace {
  height: number;
  hash: string;
}

interface ModelCount {
  calls: number;
  input: number;
  output: number;
}

export interface SessionSummary {
  content: string | null;
  hashes: string | null;
  trigger: string | null;
  reason: string | null;
  exit_code: number | null;
  /** What it is bound to; null where its start is not here. */
  bound: {
    auth_key: string | null;
    branch: string | null;
    start: BlockPlace | null;
    end: BlockPlace | null;
  } | null;
  interactions: number;
  final_hash: string | null;
  /** By the API's name for them. */
  models: Record<string, ModelCount>;
  kinds: Record<string, number>;
  tools: Record<string, ToolCount>;
  denials: { seq: number; tool: string; by: string | null; reason: string | null }[];
  approvals: { seq: number; tool: string; state: string; waited_ms: number | null }[];
  files: Record<string, FileCount>;
  redacted: Record<string, number>;
  gaps: { seq: number; payload: JsonObject }[];
  /** Calls that have neither a result nor a denial. */
  unfinished: { seq: number; tool: string; tool_use_id: string | null; ts: string }[];
  /** The calls of one that has no id can't be told from others: null. */
  subagents: { id: string | null; type: string | null; calls: number | null; ended: boolean }[];
  tests: { seq: number; tests: JsonObject }[];
  /** What the lists leave out. */
  left_out: number;
}

/** Give it the session's entries in order. */
export function summarizeSession(): { add(entry: Entry): void; done(): SessionSummary } {
  const summary: SessionSummary = {
    content: null,
    hashes: null,
    trigger: null,
    reason: null,
    exit_code: null,
    bound: null,
    interactions: 0,
    final_hash: null,
    models: {},
    kinds: {},
    tools: {},
    denials: [],
    approvals: [],
    files: {},
    redacted: {},
    gaps: [],
    unfinished: [],
    subagents: [],
    tests: [],
    left_out: 0,
  };
  const open = new Map<number, SessionSummary['unfinished'][number]>();
  const asked = new Map<string, SessionSummary['approvals'][number]>();
  const ownGaps: SessionSummary['gaps'] = [];
  const counts = new Map<string, number>();
  const tools = new Map<string, ToolCount>();
  const files = new Map<string, FileCount>();
  const redacted = new Map<string, number>();
  const models = new Map<string, ModelCount>();
  let first = 0;
  let last = 0;

  const push = <T>(list: T[], item: T): void => {
    if (list.length < LIMIT) list.push(item);
    else summary.left_out++;
  };
  const toolOf = (payload: JsonObject): ToolCount => {
    const name = text(payload.tool) ?? '?';
    return getOrAdd(tools, tools.size < LIMIT || tools.has(name) ? name : 'others', () => ({
      calls: 0,
      failed: 0,
      denied: 0,
      ms: 0,
    }));
  };
  const close = ({ cause, payload }: Entry): void => {
    if (cause !== null && open.delete(cause)) return;
    for (const [seq, call] of open)
      if (call.tool_use_id !== null && call.tool_use_id === payload.tool_use_id) open.delete(seq);
  };

  const interacted = (payload: JsonObject): void => {
    summary.interactions = Math.max(summary.interactions, number(payload.sequence) ?? 0);
  };

  const visitors: Readonly<Record<string, (entry: Entry) => void>> = {
    'session.start': ({ payload }) => {
      summary.content = text(payload.content);
      summary.hashes = text(payload.hashes);
      summary.trigger = text(payload.trigger);
      const key = text(payload.auth_key);
      summary.bound = {
        auth_key: key === NO_KEY ? null : key,
        branch: text(payload.branch),
        start: blockPlace(payload.block),
        end: null,
      };
    },
    'anchor.block': ({ payload }) => {
      if (summary.bound !== null) summary.bound.start ??= blockPlace(payload);
    },
    'session.end': ({ payload }) => {
      summary.reason = text(payload.reason);
      summary.exit_code = number(payload.exit_code);
      summary.final_hash = text(payload.final_hash);
      if (summary.bound !== null) summary.bound.end = blockPlace(payload.block);
    },
    response: ({ payload }) => interacted(payload),
    'model.result': ({ payload }) => {
      interacted(payload);
      const name = text(payload.model) ?? '?';
      const model = getOrAdd(models, models.size < LIMIT || models.has(name) ? name : 'others', () => ({
        calls: 0,
        input: 0,
        output: 0,
      }));
      model.calls++;
      if (!isObject(payload.tokens)) return;
      model.input += number(payload.tokens.input) ?? 0;
      model.output += number(payload.tokens.output) ?? 0;
    },
    'tool.call': ({ seq, ts, payload }) => {
      toolOf(payload).calls++;
      const id = text(payload.tool_use_id);
      if (open.size < 10 * LIMIT)
        open.set(seq, { seq, ts, tool: text(payload.tool) ?? '?', tool_use_id: id });
      const agent = summary.subagents.findLast((each) => each.id !== null && each.id === payload.agent_id);
      if (agent !== undefined) agent.calls = (agent.calls ?? 0) + 1;
    },
    'tool.result': (entry) => {
      const { seq, payload } = entry;
      close(entry);
      const tool = toolOf(payload);
      const exit = number(payload.exit_code);
      if (payload.result !== 'ok' || (exit !== null && exit !== 0)) tool.failed++;
      tool.ms += number(payload.duration_ms) ?? 0;
      if (isObject(payload.tests)) push(summary.tests, { seq, tests: payload.tests });
      for (const file of Array.isArray(payload.files) ? payload.files : []) {
        if (!isObject(file) || file.op === 'read') continue;
        const path = text(file.path) ?? '?';
        if (!files.has(path) && files.size >= LIMIT) {
          summary.left_out++;
          continue;
        }
        const counted = getOrAdd(files, path, () => ({ writes: 0, op: '', bytes: null }));
        counted.writes++;
        counted.op = text(file.op) ?? 'write';
        counted.bytes = number(file.bytes);
      }
    },
    'tool.denied': (entry) => {
      const { seq, payload } = entry;
      close(entry);
      toolOf(payload).denied++;
      const tool = text(payload.tool) ?? '?';
      push(summary.denials, { seq, tool, by: text(payload.by), reason: text(payload.reason) });
    },
    approval: ({ seq, cause, payload }) => {
      const state = text(payload.state) ?? '?';
      const approval = {
        seq,
        tool: text(payload.tool) ?? '?',
        state,
        waited_ms: number(payload.waited_ms),
      };
      // An answer takes the place of its question.
      const question = asked.get(`seq ${cause}`) ?? asked.get(`id ${text(payload.tool_use_id)}`);
      if (state !== 'asked' && question !== undefined) Object.assign(question, approval);
      else {
        push(summary.approvals, approval);
        if (state !== 'asked') return;
        asked.set(`seq ${seq}`, approval);
        if (typeof payload.tool_use_id === 'string') asked.set(`id ${payload.tool_use_id}`, approval);
      }
    },
    'agent.start': ({ payload }) => {
      if (isHost(payload)) return;
      const [id, type] = [text(payload.agent_id), text(payload.agent_type)];
      push(summary.subagents, { id, type, calls: id === null ? null : 0, ended: false });
    },
    'agent.end': ({ payload }) => {
      if (isHost(payload)) return;
      const agent = summary.subagents.findLast(({ id }) => id === text(payload.agent_id));
      if (agent !== undefined) agent.ended = true;
    },
    gap: ({ seq, payload }) => push(summary.gaps, { seq, payload }),
  };

  return {
    add(entry) {
      const { seq, kind, payload, session_id } = entry;
      if (session_id === null) {
        if (kind === 'gap' && first > 0) push(ownGaps, { seq, payload });
        return;
      }
      if (first === 0) first = seq;
      last = seq;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (isObject(payload.redacted))
        for (const [rule, times] of Object.entries(payload.redacted))
          redacted.set(rule, (redacted.get(rule) ?? 0) + (number(times) ?? 0));
      if (Object.hasOwn(visitors, kind)) visitors[kind]?.(entry);
    },
    done() {
      // A gap of the ledger itself, while the session went on, is a gap in the session.
      for (const gap of ownGaps) if (gap.seq < last) push(summary.gaps, gap);
      for (const call of open.values()) push(summary.unfinished, call);
      const sorted = <T>(map: ReadonlyMap<string, T>, by: (value: T) => number): Record<string, T> =>
        Object.fromEntries([...map].sort(([, a], [, b]) => by(b) - by(a)));
      summary.kinds = sorted(counts, (count) => count);
      summary.models = sorted(models, ({ calls }) => calls);
      summary.tools = sorted(tools, ({ calls }) => calls);
      summary.redacted = sorted(redacted, (count) => count);
      summary.files = sorted(files, ({ writes }) => writes);
      return summary;
    },
  };
}

function getOrAdd<T>(map: Map<string, T>, name: string, make: () => T): T {
  const found = map.get(name);
  if (found !== undefined) return found;
  const made = make();
  map.set(name, made);
  return made;
}

/** A host that joined the session of a run, as its agent. It is nobody's subagent. */
function isHost({ agent, agent_id, agent_type }: JsonObject): boolean {
  return text(agent) !== null && text(agent_id) === null && text(agent_type) === null;
}

function blockPlace(block: Json | undefined): BlockPlace | null {
  if (!isObject(block)) return null;
  const [height, hash] = [number(block.height), text(block.hash)];
  return height === null || hash === null ? null : { height, hash };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
