// What there is in a host's event, part by part: which text is kept whole, which calls it tells of, which words are the
// host's own; and what a call's own words and output say of it at a glance. Pure.
import type { Json, JsonObject } from '../../core/index.ts';
import {
  type AttemptFact,
  type BlockLimit,
  type Check,
  type Gate,
  type HostBlocks,
  isOwn,
} from '../../format/index.ts';
import type { GateMemory } from '../../rules/index.ts';
import type { FileTouched, HostCall, HostEvent } from './host-event.ts';
import type { Tried } from './judge.ts';

/** Why a check that ran in the background proves nothing, although its end is known. */
export const CHANGED_MEANWHILE = 'code changed while it ran in the background';

/** The exit code of what was only started is not its own. */
export function inBackground(
  checks: readonly Check[],
  background: boolean,
  detail = 'the host ran it in the background',
): readonly Check[] {
  if (!background) return checks;
  const flaw = { code: 'background', detail } as const;
  return checks.map((check) => (isOwn(check) ? { ...check, flaw } : check));
}

/** What a tool that fetches says of the answer it got. */
export function httpStatus(output: Json): number | null {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return null;
  const { code, status, statusCode } = output as JsonObject;
  const told = [code, status, statusCode].find((each) => Number.isInteger(each));
  return typeof told === 'number' && told >= 100 && told <= 599 ? told : null;
}

/** Whether a way worked: a page that answers 404 was not had, however the tool ended. */
export function attemptOf(way: Tried, ok: boolean): AttemptFact {
  return { ...way, ok: ok && way.ok !== false && (way.status ?? 0) < 400 };
}

/** Claude Code lets the ninth end of a turn through after eight that hooks blocked in a row. */
const CAPS: Readonly<Record<string, number>> = { 'claude-code': 8 };

/** What the host tells of ends that were blocked; undefined where it tells nothing. */
export function hostBlocks(event: HostEvent, { hostBlocks: blocks = 0 }: GateMemory): HostBlocks | undefined {
  if (event.type !== 'stop' || event.active === null) return undefined;
  return { blocks, cap: Object.hasOwn(CAPS, event.agent) ? (CAPS[event.agent] ?? null) : null };
}

/** Would the host let the turn end although a hook blocks it? */
export function isCapped(host: HostBlocks | undefined): boolean {
  return host !== undefined && host.cap !== null && host.blocks >= host.cap;
}

/** Who let a turn end that would have been blocked. */
export function endOf(limit: BlockLimit | null): Pick<Gate, 'endedBy' | 'limit'> {
  return limit === null ? { endedBy: 'host' } : { endedBy: 'limit', limit };
}

/** The verdict on a turn that the gate failed to judge. */
export function ungated(
  event: HostEvent,
  more: Pick<Gate, 'blocks' | 'mode' | 'policyHash' | 'endedBy' | 'limit' | 'host'> & {
    verdict: 'block' | 'ungated';
  },
): Gate {
  return {
    why: 'crash',
    claims: [],
    extraction: 'ok',
    textFrom: 'none',
    stopHookActive: event.type === 'stop' ? event.active : null,
    tree: null,
    background: [],
    forged: [],
    ...more,
  };
}

/** Does a command talk to us? Whatever hooks tell while it runs may be the agent's own word. */
export function feedsHooks(command: string): boolean {
  return (/foil/.test(command) && /\bhook\b/.test(command)) || command.includes('/v1/hook/');
}

export function membersOf(
  files: readonly FileTouched[] | undefined,
  which: 'argMembers' | 'outputMembers',
): ReadonlySet<string> {
  return new Set(files?.flatMap((file) => file[which]));
}

/** The host's clock beside ours. */
export function hostTime({ at }: HostEvent): JsonObject {
  return at === null ? {} : { host_time: at };
}

/** What is kept of it whole. */
export function contentOf(event: HostEvent): Json {
  switch (event.type) {
    case 'prompt':
    case 'notice':
      return event.text;
    case 'stop':
    case 'agent.end':
      return event.message;
    case 'observation':
      return event.content;
    case 'config.change':
      return event.detail;
    default:
      return null;
  }
}

export function callsOf(event: HostEvent): readonly HostCall[] {
  if (event.type === 'tool.batch') return event.calls;
  return 'tool' in event ? [event] : [];
}

/** The host's own short words, by name. */
export function wordsOf(event: HostEvent): Readonly<Record<string, string | null>> {
  const { name, promptId, agentId } = event;
  const member = (key: string): string | null => {
    const value = (event as unknown as Record<string, unknown>)[key];
    return typeof value === 'string' ? value : null;
  };
  return {
    name,
    promptId,
    agentId,
    origin: member('origin'),
    reason: member('reason'),
    by: member('by'),
    what: member('what'),
    trigger: member('trigger'),
    agentType: member('agentType'),
  };
}
