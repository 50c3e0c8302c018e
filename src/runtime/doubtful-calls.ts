// Calls that a run which goes on from a damaged one must not make again: those that its parent began and whose results are not
// good, and as many as may have stood in entries that are lost. Nobody knows what came of them, and the agent is told so. The
// record is read anew each time somebody goes on, so that a crash forgets none of them. spec/run.md.
import { canonicalize, type Json, ParseError, plainBlake3 } from '../core/index.ts';
import {
  parseRunPayload,
  RUN_KEY,
  type RunEvent,
  type RunParent,
  type ToolRequest,
} from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import type { Tool } from './define.ts';
import { callsLost, lostEntries } from './lost-entries.ts';
import { payloadOf, type ReadContent, readInit, readSteps } from './read-run.ts';
import { readImpure } from './replay-record.ts';
import { RunError } from './run-error.ts';
import type { Answers } from './run-parts.ts';
import { callKey, inDoubt, type ToolEnd } from './tool-run.ts';

export interface DoubtParts {
  readonly log: Pick<Store, 'head' | 'read' | 'deriveKey'>;
  /** Content of the session of a run. */
  readonly readOf: (run: string) => ReadContent;
}

type CalledTool = Pick<Tool, 'name' | 'pure' | 'idempotent'>;

const LOST = 'the run that this one goes on from may have made this call, and what came of it is lost';

/** Each is in doubt once, equal calls in their order. */
export class DoubtfulCalls implements Answers {
  /** The keys of those that are known. */
  readonly #keys = new Map<string, string[]>();
  /** How many there may be of which nothing is known. */
  #unknown = 0;
  /** Tools that a replay of a parent found impure, though they are said to be pure. */
  readonly impure = new Set<string>();

  add({ tool, input }: Pick<ToolRequest, 'tool' | 'input'>, key: string): void {
    const name = nameOf(tool, input);
    this.#keys.set(name, [...(this.#keys.get(name) ?? []), key]);
  }

  addUnknown(count = 1): void {
    this.#unknown += count;
  }

  refuses(): false {
    return false;
  }

  /** A tool that is idempotent runs again under the key that it had; without the key, that is lost with the rest. */
  take({ name, pure, idempotent }: CalledTool, input: Json): ToolEnd | { readonly key: string } | undefined {
    if (pure) return undefined;
    const key = this.#keys.get(nameOf(name, input))?.shift();
    if (key !== undefined) return idempotent ? { key } : inDoubt(LOST);
    if (this.#unknown === 0) return undefined;
    this.#unknown--;
    return inDoubt(LOST);
  }

  /** A call that is on record is in doubt no more. Gives the key that it ran under, where that is not its own. */
  taken(tools: readonly CalledTool[], request: ToolRequest | null): string | undefined {
    const tool = tools.find(({ name }) => name === request?.tool);
    if (request !== null && tool?.pure === true && this.impure.has(tool.name)) {
      // It may have run because nobody knew that it is impure. So it used up none of those of which nothing is known.
      this.#keys.get(nameOf(tool.name, request.input))?.shift();
      return undefined;
    }
    const answer = request === null || tool === undefined ? undefined : this.take(tool, request.input);
    return answer !== undefined && 'key' in answer ? answer.key : undefined;
  }
}

function nameOf(tool: string, input: Json): string {
  return canonicalize([tool, input]);
}

/** What is in doubt for the run that goes on from this parent and begins at entry `before`. */
export async function doubtfulCalls(
  { event }: Pick<RunParent, 'event'>,
  before: number,
  parts: DoubtParts,
): Promise<DoubtfulCalls> {
  const { log, readOf } = parts;
  const colon = event.indexOf(':');
  const [run, at] = [event.slice(0, colon), Number(event.slice(colon + 1))];
  const { init, seq } = await readInit(log, run, 1);
  const key = init.hashes === 'blake3' ? undefined : await log.deriveKey(run, RUN_KEY);
  const read = readOf(run);
  const hash = plainBlake3(key);
  const doubts =
    init.parent?.replay === 'recovery' ? await doubtfulCalls(init.parent, seq, parts) : new DoubtfulCalls();
  for (const tool of (await readImpure(log, init.code.root)).keys()) doubts.impure.add(tool);
  let open: { readonly event: RunEvent; readonly key: string } | undefined;
  let since = seq;
  const calls: RunEvent[] = [];
  const bad = (): void => doubts.addUnknown();
  for await (const steps of readSteps(log, run, seq, before, bad))
    for (const step of steps) {
      if (!('event' in step)) continue;
      const { kind, sequence } = step.event;
      if (kind === 'ToolCall' && sequence > at) calls.push(step.event);
      else if (kind === 'ToolCall') {
        const request = await requestOf(step.event, read, hash);
        const key = doubts.taken(init.tools, request) ?? callKey(run, sequence, init.nonce);
        open = { event: step.event, key };
      } else if (kind === 'ToolResult' && sequence <= at) open = undefined;
      if (sequence <= at) since = step.seq;
    }
  const behind = calls.map((each) => ({ event: each, key: callKey(run, each.sequence, init.nonce) }));
  for (const { event: call, key: under } of open === undefined ? behind : [open, ...behind]) {
    const request = await requestOf(call, read, hash);
    if (request === null) doubts.addUnknown();
    else doubts.add(request, under);
  }
  const lost = (await lostEntries(log, seq)).filter(({ at: place }) => place < before);
  doubts.addUnknown(callsLost(lost, seq, since));
  return doubts;
}

/** Null where it can't be read, or is not what its hash is of. */
export async function requestOf(
  event: RunEvent,
  read: ReadContent,
  hash: Parameters<typeof payloadOf>[2],
): Promise<ToolRequest | null> {
  try {
    const payload = await payloadOf(event, read, hash);
    const parsed = payload === null ? null : parseRunPayload(event.kind, payload);
    return parsed?.kind === 'ToolCall' ? parsed.request : null;
  } catch (error) {
    if (error instanceof ParseError || error instanceof RunError || error instanceof SyntaxError) return null;
    throw error;
  }
}
