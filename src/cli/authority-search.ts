// foil grants check --all: every call of every run and session in the ledger that was made without a grant for it. What
// verification finds counts, and for runs also what stands in content that can be opened here.

import { reading } from '../app/index.ts';
import { isObject, ParseError } from '../core/index.ts';
import { type Entry, parseRunEvent, parseRunPayload, RUN_EVENT, type RunEvent } from '../format/index.ts';
import { entriesOf, type Ledger, type Located } from '../ledger/index.ts';
import {
  contentReader,
  contentValue,
  counted,
  harmless,
  type ReadContent,
  readEntry,
} from '../report/index.ts';
import { type RunFlawCode, RunJudge } from '../rules/index.ts';
import { CODES, type Code } from '../verify/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { verifyHere } from './verify-ledger.ts';

interface Violation {
  readonly session: string | null;
  readonly seq: number | null;
  readonly code: string;
  readonly message: string;
}

const LARGEST = 16 * 1024 * 1024;
const AUTHORITY: ReadonlySet<RunFlawCode> = new Set([
  'RUN_CALL_NOT_GRANTED',
  'RUN_CAPABILITIES',
  'RUN_TOOL_UNDECLARED',
]);

export async function searchViolations(context: Context, located: Located): Promise<Outcome> {
  const report = await verifyHere(context, located.directory);
  return reading(located, async (ledger) => {
    const runs = await searchRuns(ledger, contentReader(ledger, located));
    const { findings, status } = report.facets.authority;
    const others: Violation[] = [];
    for (const { code, seq, message } of findings) {
      if (code.startsWith('RUN_') || seq === null) continue;
      const entry = await readEntry(ledger.store, seq);
      others.push({ session: entry?.session_id ?? null, seq, code, message });
    }
    const isBreach = ({ code }: Violation): boolean => CODES[code as Code].level === 'fail';
    const violations = [...runs.violations, ...others.filter(isBreach)];
    const unclear = others.filter((each) => !isBreach(each));
    const isUnknown = runs.unread > 0 || unclear.length > 0;
    return {
      exit: violations.length > 0 ? EXIT.VIOLATION : isUnknown ? EXIT.FAILED : EXIT.FINE,
      json: {
        violations: violations.map((each) => ({ ...each })),
        runs: runs.count,
        calls: runs.calls,
        unread: runs.unread,
        authority: status,
      },
      text: textOf(violations, runs, unclear),
    };
  });
}

function textOf(violations: readonly Violation[], runs: Searched, unclear: readonly Violation[]): string {
  const line = (mark: string, { session, seq, message }: Violation): string =>
    `${mark} ${session === null ? '' : `${session.slice(0, 16)} `}entry ${seq}: ${harmless(message)}\n`;
  const looked =
    runs.count === 0
      ? 'all sessions'
      : `${counted(runs.count, 'run')} with ${counted(runs.calls, 'call')} and in all other sessions`;
  return [
    ...violations.map((each) => line('✗', each)),
    ...unclear.map((each) => line('?', each)),
    ...(runs.unread === 0
      ? []
      : [`? ${counted(runs.unread, 'call')} can't be judged, because content is missing\n`]),
    violations.length > 0
      ? `${counted(new Set(violations.map(({ seq }) => seq)).size, 'call')} outside the grants. Counterfoil looked in ${looked}. Run \`foil show SEQ\` to see an entry.\n`
      : runs.unread > 0 || unclear.length > 0
        ? `? No call outside the grants was found in ${looked}, but not all can be judged\n`
        : `✓ No call outside the grants, in ${looked}\n`,
  ].join('');
}

interface Searched {
  readonly violations: readonly Violation[];
  readonly count: number;
  readonly calls: number;
  readonly unread: number;
}

async function searchRuns({ store }: Ledger, read: ReadContent): Promise<Searched> {
  const judges = new Map<string, RunJudge>();
  const violations: Violation[] = [];
  let [calls, unread] = [0, 0];
  const { seq: to } = await store.head();
  for await (const entry of entriesOf(store, 1, to, [RUN_EVENT])) {
    const event = eventOf(entry);
    if (event === undefined) continue;
    const judge = judges.get(event.run) ?? new RunJudge(event.run);
    judges.set(event.run, judge);
    const payload = await payloadOf(event, read);
    if (event.kind === 'ToolCall') calls++;
    if (event.kind === 'ToolCall' && payload === null) unread++;
    for (const { code, message } of judge.event(event, payload, entry.seq))
      if (AUTHORITY.has(code)) violations.push({ session: event.run, seq: entry.seq, code, message });
  }
  return { violations, count: judges.size, calls, unread };
}

/** Undefined for what is none: verification says so. */
function eventOf({ payload, session_id: session }: Entry): RunEvent | undefined {
  try {
    const event = parseRunEvent(payload);
    return event.run === session ? event : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

async function payloadOf(
  { kind, payload, content, run }: RunEvent,
  read: ReadContent,
): Promise<ReturnType<typeof parseRunPayload> | null> {
  const kept = content === null ? undefined : await read(run, content, LARGEST);
  const value = kept?.state === 'kept' ? contentValue(kept.bytes) : payload;
  try {
    return isObject(value) ? parseRunPayload(kind, value) : null;
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
