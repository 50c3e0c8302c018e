// What the calls of a recorded session needed. In a session that had grants each call says so itself, by how the machine
// was then. In any other it follows from the arguments that were kept, by how the files are now, and as if every command
// began in the root of the work tree. Unverified, as everything that only reads.

import { callNeeds, keptValue, realOf } from '../app/index.ts';
import { adapterOf } from '../capture/hooks/index.ts';
import { isObject, ParseError } from '../core/index.ts';
import {
  type CallAuthority,
  type Entry,
  parseCallAuthority,
  parseGrantsRecord,
  parseRunPayload,
  RUN_EVENT,
} from '../format/index.ts';
import { type Ledger, type Located, type LogReader, readOperatorTrail } from '../ledger/index.ts';
import { type CallNeeds, mcpNeeds, type Need, namedCall, parseNeed } from '../policy/index.ts';
import {
  contentReader,
  parseSessionPrefix,
  type ReadContent,
  type Session,
  visitSession,
} from '../report/index.ts';

export interface SessionNeeds {
  readonly session: Session;
  /** The work tree. */
  readonly root: string;
  readonly needs: readonly Need[];
  /** Calls that ran, or may have run. */
  readonly calls: number;
  /** Calls that were refused: what they needed is left out. */
  readonly refused: number;
  readonly refusedNeeds: readonly Need[];
  /** The denials of the grants that it began with. */
  readonly deny: readonly string[];
  /** Calls whose needs follow from kept arguments, and not from what the entry says. */
  readonly derived: number;
  /** Calls of which it can't be told, or that would need leave to run anything. */
  readonly unread: readonly { readonly seq: number; readonly tool: string; readonly why: string }[];
  readonly ambient: readonly string[];
}

type Told = Pick<CallAuthority, 'needs' | 'more' | 'unread' | 'ambient'>;
type Found = CallNeeds & { readonly isDerived: boolean };

export async function sessionNeeds(ledger: Ledger, located: Located, prefix: string): Promise<SessionNeeds> {
  const [calls, refused]: [Entry[], Set<number>] = [[], new Set()];
  let granted: unknown = null;
  const { store } = ledger;
  const session = await visitSession(store, (await store.head()).seq, parseSessionPrefix(prefix), (entry) => {
    const { kind, cause, seq, payload } = entry;
    const isDenial = kind === RUN_EVENT && payload.kind === 'Denial';
    if (kind === 'tool.call' || isDenial || (kind === RUN_EVENT && payload.kind === 'ToolCall'))
      calls.push(entry);
    if (isDenial) refused.add(seq);
    else if (kind === 'session.start') granted ??= payload.capabilities;
    else if (kind === 'tool.denied' && cause !== null) refused.add(cause);
  });
  const made = calls.filter(({ seq }) => !refused.has(seq));
  const read = contentReader(ledger, located);
  const root = realOf(session.workspace_root ?? '/');
  const unread: SessionNeeds['unread'][number][] = [];
  const [needs, ambient]: [Need[], Set<string>] = [[], new Set()];
  let derived = 0;
  for (const entry of made) {
    const tool = toolOf(entry);
    const found = toldNeeds(entry) ?? (await derivedNeeds(entry, tool, root, read));
    if (found.isDerived) derived++;
    if (found.unread !== null) unread.push({ seq: entry.seq, tool, why: found.unread });
    else needs.push(...found.needs);
    for (const program of found.ambient) ambient.add(program);
  }
  return {
    session,
    root,
    needs,
    calls: made.length,
    refused: refused.size,
    refusedNeeds: calls.filter(({ seq }) => refused.has(seq)).flatMap((call) => toldNeeds(call)?.needs ?? []),
    deny: await denialsOf(store, granted),
    derived,
    unread,
    ambient: [...ambient],
  };
}

/** Who accepted them isn't asked: a denial takes away only. */
async function denialsOf(store: LogReader, grantsHash: unknown): Promise<readonly string[]> {
  if (typeof grantsHash !== 'string') return [];
  const { entries } = await readOperatorTrail(store);
  const entry = entries.find(({ kind, payload }) => kind === 'grants' && payload.grants_hash === grantsHash);
  return entry === undefined ? [] : parseGrantsRecord(entry.payload).grants.deny;
}

function toolOf({ payload }: Entry): string {
  const { tool } = isObject(payload.payload) ? payload.payload : payload;
  return typeof tool === 'string' ? tool : 'a tool';
}

/** Null where the entry says nothing of it. */
function toldNeeds({ kind, payload }: Entry): Found | null {
  try {
    const told = kind === RUN_EVENT ? runCall(payload) : parseCallAuthority(payload);
    if (told === null) return null;
    const needs = told.needs.map(parseNeed);
    const isWhole = told.more === 0 && !needs.includes(null);
    return {
      needs: needs.filter((need) => need !== null),
      unread: told.unread ?? (isWhole ? null : "its needs aren't fully on record"),
      ambient: told.ambient,
      isDerived: false,
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { ...NOTHING, unread: 'its needs are malformed in the entry' };
  }
}

/** What a tool of a run said that the call needs. Throws ParseError. */
function runCall({ kind, payload }: Entry['payload']): Told {
  if (!isObject(payload))
    return { needs: [], more: 0, unread: "its request isn't in the entry", ambient: [] };
  const parsed = parseRunPayload(kind === 'Denial' ? kind : 'ToolCall', payload);
  return { needs: 'request' in parsed ? parsed.request.required : [], more: 0, unread: null, ambient: [] };
}

const NOTHING = { needs: [], ambient: [], isDerived: false };

async function derivedNeeds(entry: Entry, tool: string, root: string, read: ReadContent): Promise<Found> {
  const { mcp } = entry.payload;
  if (isObject(mcp) && typeof mcp.server === 'string')
    return { ...NOTHING, ...namedCall(mcpNeeds(mcp.server, tool)), isDerived: true };
  const args = await keptValue(read, entry, 'args');
  if (args === undefined) return { ...NOTHING, unread: 'its arguments were not kept' };
  const adapter = adapterOf(entry.source.replace(/^hook:/, ''));
  const call = adapter?.call(tool, args) ?? { tool, id: null, args };
  return { ...callNeeds(call, root, adapter ?? {}), isDerived: true };
}
