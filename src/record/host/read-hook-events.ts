// What a host told a hook: the events in what it sent, and the one that the answer is about.
import type { Json } from '../../core/index.ts';
import type { HostEvent, Problem } from './host-event.ts';
import { parseHostJson } from './host-json.ts';
import type { Adapter } from './ruling.ts';

export interface HookInput {
  readonly adapter: Adapter;
  /** As it came, or that it was too large to be read. */
  readonly body: Uint8Array | 'too-large';
  /** The event's name as the command line gave it. */
  readonly event: string | null;
}

/** Of several events in one call, the one that the answer is about. */
const DECISIVE: ReadonlySet<string> = new Set(['tool.call', 'prompt', 'stop', 'tool.result']);

export function decisiveEvent(events: readonly HostEvent[]): HostEvent | undefined {
  return events.find(({ type }) => DECISIVE.has(type)) ?? events[0];
}

/** Never throws: what can't be read is an observation. */
export function readHookEvents({ adapter, body, event }: HookInput): {
  readonly events: readonly HostEvent[];
  readonly problem: Problem | null;
  readonly lossy: number;
} {
  if (body === 'too-large')
    return { events: [unreadable(adapter, event, body, '')], problem: body, lossy: 1 };
  const parsed = parseHostJson(body);
  const { lossy } = parsed;
  if ('problem' in parsed) {
    const { problem, text } = parsed;
    return { events: [unreadable(adapter, event, problem, text)], problem, lossy };
  }
  const events = adapter.read(parsed.value, event);
  const problems = events.map((each) => (each.type === 'observation' ? each.problem : null));
  return { events, problem: problems.find((problem) => problem !== null) ?? null, lossy };
}

function unreadable(adapter: Adapter, event: string | null, problem: Problem, content: Json): HostEvent {
  return {
    type: 'observation',
    problem,
    content,
    name: event ?? 'unknown',
    agent: adapter.agent,
    session: null,
    cwd: null,
    transcript: null,
    agentId: null,
    promptId: null,
    at: null,
    facts: {},
  };
}
