// foil evidence: what a claim, a validation or a session's claims rest on, entry by entry: the commands, how they ended,
// the work tree before and after, and whether the validator's signature holds. Unverified beyond that.

import { findSession, keptValue, reading, textOf } from '../../app/index.ts';
import { isObject, type Json, StoreError } from '../../core/index.ts';
import { type Entry, parseResultFacts } from '../../format/index.ts';
import { type Placed, readSessionRecord, type SessionRecord, signatureProblem } from '../../gate/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import {
  contentReader,
  harmless,
  type ReadContent,
  readEntry,
  shorten,
  summarizeTests,
  weakenedWords,
} from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const evidence: Command = {
  name: 'evidence',
  summary: 'show the evidence for a claim, a validation or a session, entry by entry',
  usage: '[ID]',
  arguments: [0, 1],
  options: {},
  examples: ['foil evidence', 'foil evidence 42', 'foil evidence 3f9a --json'],
  run,
};

interface Item {
  readonly seq: number;
  readonly tool: string | null;
  readonly commands: readonly string[];
  readonly exit_code: number | null;
  readonly exit_origin: string;
  readonly tests: unknown;
  readonly files: readonly { readonly path: string; readonly op: string }[];
  readonly tree_before: string | null;
  readonly tree: string | null;
  readonly forged: boolean;
}

interface ValidationShown {
  readonly seq: number;
  readonly validator: string;
  readonly args: unknown;
  readonly outcome: string;
  readonly code: string | null;
  readonly grade: string;
  readonly tree: string | null;
  readonly contract: number | null;
  readonly policy_hash: string;
  /** Null: not known. */
  readonly weakened: readonly unknown[] | null;
  readonly signature: 'good' | string;
  readonly evidence: readonly Item[];
}

interface ClaimShown {
  readonly seq: number;
  readonly type: string;
  readonly quote: string | null;
  readonly status: string | null;
  readonly code: string | null;
  readonly gate: number | null;
  readonly validations: readonly ValidationShown[];
}

async function run(context: Context): Promise<Outcome> {
  const located = place(context);
  return reading(located, async (ledger) => {
    const { record, claims } = await find(ledger, context, context.arguments[0]);
    const read = contentReader(ledger, located);
    const { origin } = await ledger.identity();
    const keys = await ledger.validatorKeys();
    const shown: ClaimShown[] = [];
    for (const { entry, value } of claims) {
      const gate = record.gateOf(entry.seq);
      const told = gate?.value.claims.find((each) => each.claim === entry.seq);
      shown.push({
        seq: entry.seq,
        type: value.type,
        quote: await textOf(read, entry, 'quote'),
        status: told?.status ?? null,
        code: told?.code ?? null,
        gate: gate?.entry.seq ?? null,
        validations: [...record.validations.values()]
          .filter((each) => each.value.claim === entry.seq)
          .map((each) => validationOf(each, record, signatureProblem(each.entry, each.value, keys, origin))),
      });
    }
    const commands = await allCommands(read, record, shown);
    const json = { session: record.session, claims: shown, malformed: record.malformed };
    return { json, text: render(json, commands, await weakerTests(read, record, shown)) };
  });
}

async function find(
  ledger: Ledger,
  context: Context,
  given: string | undefined,
): Promise<{
  record: SessionRecord;
  claims: SessionRecord['claims'] extends Map<number, infer T> ? T[] : never;
}> {
  const { seq: last } = await ledger.store.head();
  const isSeq = given !== undefined && /^[1-9]\d{0,15}$/.test(given) && Number(given) <= last;
  const entry = isSeq ? await readEntry(ledger.store, Number(given)) : undefined;
  if (entry === undefined) {
    const { id } = await findSession(ledger, context, given);
    const record = await readSessionRecord(ledger.store, id);
    return { record, claims: [...record.claims.values()] };
  }
  if (entry.session_id === null)
    throw new StoreError(
      'NOT_FOUND',
      `entry ${given} isn't a claim or a validation. It doesn't belong to any session.`,
    );
  const record = await readSessionRecord(ledger.store, entry.session_id);
  const seqs = claimsOf(entry, record);
  if (seqs.length === 0)
    throw new StoreError(
      'NOT_FOUND',
      `entry ${given} is a ${entry.kind}, not a claim, a validation or a gate. See \`foil log --kind claim,validation\`.`,
    );
  return { record, claims: seqs.flatMap((seq) => record.claims.get(seq) ?? []) };
}

function claimsOf({ kind, seq }: Entry, record: SessionRecord): readonly number[] {
  if (kind === 'claim') return [seq];
  if (kind === 'validation') return [record.validations.get(seq)?.value.claim ?? 0];
  return kind === 'gate' ? (record.gates.get(seq)?.value.claims.map(({ claim }) => claim) ?? []) : [];
}

function validationOf(
  { entry, value }: Placed<Parameters<typeof signatureProblem>[1]>,
  record: SessionRecord,
  problem: string | null,
): ValidationShown {
  return {
    seq: entry.seq,
    validator: value.validator,
    args: value.args,
    outcome: value.outcome,
    code: value.code,
    grade: value.grade,
    tree: value.tree,
    contract: value.contract,
    policy_hash: value.policyHash,
    weakened: value.weakened,
    signature: problem ?? 'good',
    evidence: value.evidence.flatMap((seq) => itemOf(seq, record)),
  };
}

function itemOf(seq: number, record: SessionRecord): Item[] {
  const entry = record.results.get(seq);
  if (entry === undefined) return [];
  const call = entry.cause === null ? undefined : record.calls.get(entry.cause);
  try {
    const facts = parseResultFacts(entry.payload);
    const before = call?.payload.tree;
    return [
      {
        seq,
        tool: typeof entry.payload.tool === 'string' ? entry.payload.tool : null,
        commands: (facts.checks ?? []).map(({ command }) => command),
        exit_code: facts.exit.code,
        exit_origin: facts.exit.origin,
        tests: facts.tests,
        files: facts.files.filter(({ op }) => op !== 'read').map(({ path, op }) => ({ path, op })),
        tree_before: typeof before === 'string' ? before : null,
        tree: facts.tree,
        forged: record.forged.includes(seq),
      },
    ];
  } catch {
    return [];
  }
}

/** Whole command lines, as they were kept, by the seq of the result. */
async function allCommands(
  read: ReadContent,
  record: SessionRecord,
  claims: readonly ClaimShown[],
): Promise<ReadonlyMap<number, string>> {
  const lines = new Map<number, string>();
  for (const { seq } of claims.flatMap(({ validations }) => validations.flatMap((each) => each.evidence))) {
    const cause = record.results.get(seq)?.cause ?? null;
    const text = cause === null ? null : await textOf(read, record.calls.get(cause) ?? null, 'args');
    try {
      const { command } = JSON.parse(text ?? '') as { command?: unknown };
      if (typeof command === 'string') lines.set(seq, command);
    } catch {
      // No command, or not kept: its checks are in the entry.
    }
  }
  return lines;
}

/** What the gate told of weaker tests, by the seq of the claim that they keep from being backed. */
async function weakerTests(
  read: ReadContent,
  record: SessionRecord,
  claims: readonly ClaimShown[],
): Promise<ReadonlyMap<number, string>> {
  const told = new Map<number, string>();
  for (const { seq, status, gate } of claims) {
    const found = gate === null || status !== 'weakened' ? undefined : record.gates.get(gate);
    if (found === undefined) continue;
    const details = await keptValue(read, found.entry, 'details');
    const each =
      isObject(details) && Array.isArray(details.claims) ? (details.claims as readonly Json[]) : [];
    const detail = each[found.value.claims.findIndex(({ claim }) => claim === seq)];
    if (isObject(detail) && typeof detail.reason === 'string') told.set(seq, detail.reason);
  }
  return told;
}

function render(
  { session, claims }: { session: string; claims: readonly ClaimShown[] },
  commands: ReadonlyMap<number, string>,
  weaker: ReadonlyMap<number, string>,
): string {
  const lines = [`session ${session}`];
  if (claims.length === 0) lines.push('', 'No claims.');
  for (const claim of claims) {
    const status = claim.status === null ? 'not judged by a gate' : claim.status;
    lines.push(
      '',
      `claim ${claim.seq}  ${claim.type}: ${claim.quote === null ? '<not kept>' : `"${shorten(harmless(claim.quote), 100)}"`}`,
      `  ${status}${claim.code === null || claim.code === claim.status ? '' : ` (${harmless(claim.code)})`}${claim.gate === null ? '' : `, by the gate in entry ${claim.gate}`}`,
    );
    const reason = weaker.get(claim.seq);
    if (reason !== undefined) lines.push(`  ${shorten(harmless(reason), 400)}`);
    if (claim.validations.length === 0) lines.push(`  no evidence: see foil why ${claim.seq}`);
    for (const each of claim.validations) lines.push(...renderValidation(each, commands));
  }
  return `${lines.join('\n')}\n`;
}

function renderValidation(each: ValidationShown, commands: ReadonlyMap<number, string>): string[] {
  const args = shorten(harmless(JSON.stringify(each.args)), 120);
  const signed = each.signature === 'good' ? 'signature good' : `SIGNATURE BAD: ${each.signature}`;
  return [
    `  validation ${each.seq}  ${harmless(each.validator)} ${args}  ${each.outcome}, ${each.grade}, ${signed}`,
    `    work tree ${short(each.tree)}, policy ${each.policy_hash.slice(0, 16)}${each.contract === null ? ', no contract' : `, contract ${each.contract}`}`,
    `    ${harmless(weakenedWords(each.weakened))}`,
    ...(each.evidence.length === 0 ? ['    based on the work tree'] : []),
    ...each.evidence.flatMap((item) => renderItem(item, commands.get(item.seq))),
  ];
}

function renderItem(item: Item, command: string | undefined): string[] {
  const exit = item.exit_code === null ? 'exit unknown' : `exit ${item.exit_code} (${item.exit_origin})`;
  const what =
    command ?? (item.commands.join(' && ') || item.files.map(({ path, op }) => `${op} ${path}`).join(', '));
  const tests = summarizeTests(item.tests as Parameters<typeof summarizeTests>[0]);
  const tree =
    item.tree === null && item.tree_before === null
      ? ''
      : `, work tree ${item.tree_before === item.tree ? short(item.tree) : `${short(item.tree_before)} → ${short(item.tree)}`}`;
  return [
    `    ${item.seq}  ${shorten(harmless(what), 160)}`,
    `      ${exit}${tests === null ? '' : `, ${harmless(tests)}`}${tree}${item.forged ? ", NOT THE HOST'S" : ''}`,
  ];
}

function short(tree: string | null): string {
  return tree === null ? 'not seen' : tree.slice(0, 12);
}
