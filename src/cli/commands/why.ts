// foil why: what was claimed, what became of it and why, and what would settle it. Of a claim on record, or of one that
// `foil scan` found in a transcript.
import { homedir } from 'node:os';
import { commandsOf, currentPolicy, findSession, keptValue, reading, textOf } from '../../app/index.ts';
import { isObject, type Json, StoreError, UsageError } from '../../core/index.ts';
import { explainClaim, readSessionRecord } from '../../gate/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  CLASS_WORDS,
  columns,
  contentReader,
  findScannedClaim,
  findTranscripts,
  harmless,
  readEntry,
  shorten,
} from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const why: Command = {
  name: 'why',
  summary: 'explain why a claim is backed or not, and what would settle it',
  usage: 'CLAIM [DIR …]',
  arguments: [1, 64],
  options: {},
  examples: [
    'foil why 42',
    'foil why 4f1a2b3c4d5e.3.1',
    'foil why 4f1a2b3c4d5e.3.1 ~/backup/projects --json',
  ],
  run,
};

interface Why {
  readonly claim: number | string;
  readonly session: string;
  readonly type: string;
  readonly quote: string | null;
  readonly prompt: string | null;
  readonly status: string;
  readonly code: string | null;
  readonly reason: string;
  /** What would settle it. */
  readonly validator: string | null;
  readonly command: string | null;
  /** What else can be done about it. */
  readonly or: string | null;
  readonly verdict: string | null;
  readonly gate: number | null;
  readonly validation: number | null;
}

const LONGEST = 600;

async function run(context: Context): Promise<Outcome> {
  const [id = '', ...directories] = context.arguments;
  let found: Why;
  if (/^[1-9]\d{0,15}$/.test(id)) {
    const located = place(context);
    found = await reading(located, (ledger) => recorded(ledger, located, context, Number(id)));
  } else if (/^[^.\s]+\.\d+\.\d+$/.test(id)) found = await scanned(id, directories, context);
  else
    throw new UsageError(
      `${JSON.stringify(id)} isn't a claim. Use the number of a claim entry, or an id that \`foil scan\` prints, SESSION.TURN.N.`,
    );
  return { json: found, text: render(found) };
}

async function recorded(ledger: Ledger, located: Located, context: Context, seq: number): Promise<Why> {
  const entry = await readEntry(ledger.store, seq);
  if (entry === undefined) throw new StoreError('NOT_FOUND', `there is no entry ${seq}.`);
  if (entry.kind !== 'claim' || entry.session_id === null)
    throw new StoreError('NOT_FOUND', `entry ${seq} isn't a claim. See \`foil log --kind claim\`.`);
  const session = await findSession(ledger, context, entry.session_id);
  const record = await readSessionRecord(ledger.store, session.id);
  const read = contentReader(ledger, located);
  const quote = await textOf(read, entry, 'quote');
  const { policy } = await currentPolicy(ledger, context);
  const project = commandsOf(session, record);
  const explained = await explainClaim(seq, { store: ledger.store, record, policy, project, quote });
  const prompt = [...record.prompts.values()].findLast((each) => each.seq < seq) ?? null;
  // What the agent was told then says more than what can be found again from the entries alone.
  const gate = explained.gate === null ? undefined : record.gates.get(explained.gate);
  const index = gate?.value.claims.findIndex(({ claim }) => claim === seq) ?? -1;
  const told = gate === undefined ? null : detailIn(await keptValue(read, gate.entry, 'details'), index);
  return {
    claim: seq,
    session: session.id,
    type: record.claims.get(seq)?.value.type ?? '?',
    quote,
    prompt: await textOf(read, prompt, 'text'),
    status: explained.status,
    code: explained.code,
    reason: told?.reason ?? explained.reason,
    validator: explained.suggestion?.validator ?? null,
    command: told?.command ?? explained.suggestion?.command ?? null,
    or: told?.or ?? null,
    verdict: explained.gate === null ? null : (record.gates.get(explained.gate)?.value.verdict ?? null),
    gate: explained.gate,
    validation: explained.validation,
  };
}

interface Detail {
  readonly reason: string | null;
  readonly command: string | null;
  readonly or: string | null;
}

function detailIn(details: Json | undefined, index: number): Detail | null {
  const claims = isObject(details) ? details.claims : undefined;
  const each = Array.isArray(claims) ? (claims as readonly Json[])[index] : undefined;
  if (!isObject(each)) return null;
  const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
  return { reason: text(each.reason), command: text(each.command), or: text(each.or) };
}

async function scanned(id: string, directories: readonly string[], { env, progress }: Context): Promise<Why> {
  const files = findTranscripts({ given: directories, home: env.HOME ?? homedir(), env });
  progress('looking through the transcripts');
  const found = findScannedClaim(id, files);
  progress('');
  if (found === undefined)
    throw new StoreError('NOT_FOUND', `no transcript has a claim ${id}. See \`foil scan\`.`);
  const backed = found.status === 'backed' ? 'The transcript backs it.' : 'It is excused.';
  return {
    claim: id,
    session: found.session,
    type: found.type,
    quote: found.quote,
    prompt: found.prompt,
    // The gate's word for it may be one that a transcript does not bear out.
    status: found.class ?? found.status,
    code: null,
    reason: found.reason ?? backed,
    validator: null,
    command: found.command,
    or: null,
    verdict: null,
    gate: null,
    validation: null,
  };
}

function render(found: Why): string {
  const words: Readonly<Record<string, string>> = CLASS_WORDS;
  const text = (value: string | null): string =>
    value === null ? 'not kept' : `"${shorten(harmless(value.trim()), LONGEST)}"`;
  const rows: [string, string][] = [
    ['claimed', `${text(found.quote)} (${found.type})`],
    ['asked', text(found.prompt)],
    [
      'status',
      `${words[found.status] ?? found.status}${found.code === null || found.code === found.status ? '' : ` (${found.code})`}`,
    ],
    ['why', shorten(harmless(found.reason), LONGEST)],
    ...(found.command === null ? [] : [['to settle it', harmless(found.command)] as [string, string]]),
    ...(found.or === null ? [] : [['then', harmless(found.or)] as [string, string]]),
    ...(found.validator === null ? [] : [['settled by', found.validator] as [string, string]]),
    ...(found.gate === null
      ? []
      : [['gate', `entry ${found.gate}: the turn was judged ${found.verdict}`] as [string, string]]),
    ...(found.validation === null
      ? []
      : [['validation', `entry ${found.validation}: foil evidence ${found.validation}`] as [string, string]]),
    ['session', found.session],
  ];
  return `${columns(rows, '')}\n`;
}
