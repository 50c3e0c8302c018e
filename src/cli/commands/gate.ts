// foil gate: the gate again, for an operator: would this turn have passed, and why? With what the ledger has of the session
// where it has it, else from the transcript alone. Nothing is written, and nothing is blocked.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { TRANSCRIPTS, type TranscriptKind } from '../../capture/transcripts/index.ts';
import { StoreError } from '../../core/index.ts';
import {
  finalProblem,
  judgeRecord,
  type LastMessage,
  lastMessage,
  readClaims,
  readSessionRecord,
  type ScannedTurn,
  withFinal,
} from '../../gate/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  commandOf,
  contractYaml,
  gateMessage,
  type JudgedClaim,
  type Judgement,
  readContract,
} from '../../rules/index.ts';
import { type Command, type Context, EXIT, type Outcome, UsageError } from '../command.ts';
import { openToRead, place } from '../place.ts';
import { scanFile } from '../scan-file.ts';
import { commandsOf, currentPolicy, filePolicy, sessionIntake, treeNow } from '../session-evidence.ts';
import { listSessions } from '../sessions.ts';
import { harmless, shorten } from '../text.ts';

export const gate: Command = {
  name: 'gate',
  summary:
    'judge the last turn of a transcript again, and say why (exit 0 would pass, 5 would block, 3 no turn in it)',
  usage: '--transcript FILE [--explain]',
  arguments: [0, 0],
  options: {
    transcript: { type: 'string', value: 'FILE', help: "the agent's own transcript" },
    explain: { type: 'boolean', help: 'also the contract, the policy, and what the agent would be told' },
  },
  examples: [
    'foil gate --transcript ~/.claude/projects/app/4f1a2b3c.jsonl',
    'foil gate --transcript session.jsonl --explain --json',
  ],
  run,
};

interface Claimed {
  readonly type: string;
  readonly quote: string;
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
  readonly validator: string | null;
  readonly command: string | null;
  readonly evidence: readonly number[];
}

interface Gated {
  readonly transcript: string;
  /** The host's id of the session. */
  readonly host_session: string | null;
  /** The ledger's; null where it has none of that host's. */
  readonly session: string | null;
  readonly extraction: LastMessage['extraction'];
  /** Unknown where the transcript has no turn that could be judged. */
  readonly verdict: 'silent' | 'pass' | 'block' | 'unknown';
  readonly why: string | null;
  readonly policy_hash: string;
  readonly claims: readonly Claimed[];
  /** What a pass does not say. */
  readonly note: string | null;
  /** What the agent would be told. */
  readonly message: string | null;
  readonly contract: string | null;
}

async function run(context: Context): Promise<Outcome> {
  const given = context.values.text('transcript');
  if (given === undefined) throw new UsageError('which transcript? foil gate --transcript FILE');
  const path = resolve(context.cwd, given);
  if (!existsSync(path)) throw new StoreError('NOT_FOUND', `there is no file ${path}.`);
  const kind = kindOf(path);
  const last = lastTurn(kind, path);
  const said = lastMessage(null, path);
  // One document instead of lines is read as what it is.
  const extraction = kind.whole && last !== null ? 'ok' : said.extraction;
  const text = kind.whole ? (last?.turn.message ?? '') : said.text;
  const gated = await judged(context, { path, extraction, text, last });
  return {
    exit: EXITS[gated.verdict],
    json: gated,
    text: render(gated, context.values.flag('explain')),
  };
}

/** A block is a claim that nothing proves, as in a verdict. */
const EXITS = {
  silent: EXIT.FINE,
  pass: EXIT.FINE,
  block: EXIT.VIOLATION,
  unknown: EXIT.NOT_FOUND,
} as const;

interface Read {
  readonly path: string;
  readonly extraction: LastMessage['extraction'];
  readonly text: string;
  readonly last: { readonly turn: ScannedTurn; readonly session: string } | null;
}

async function judged(context: Context, read: Read): Promise<Gated> {
  const { path, extraction, text, last } = read;
  const base = { transcript: path, host_session: last?.session ?? null, extraction };
  const located = place(context);
  const ledger = openIfThere(located);
  try {
    const policy = ledger === null ? filePolicy(context.cwd) : await currentPolicy(ledger, context.cwd);
    const unread = {
      ...base,
      policy_hash: policy.hash,
      session: null,
      claims: [],
      contract: null,
      note: null,
    };
    // Of a file that holds no turn at all nobody knows that there should be one.
    const isNothing = last === null && text === '' && (extraction === 'ok' || extraction === 'unreadable');
    if (isNothing) return { ...unread, verdict: 'unknown', why: 'no-turn', message: null };
    if (extraction !== 'ok')
      return { ...unread, verdict: 'block', why: extraction, message: 'The message could not be read.' };
    const sessions = ledger === null ? [] : await listSessions(ledger.store, (await ledger.store.head()).seq);
    const session = sessions.findLast(
      ({ agent_session: id }) => id !== null && (id === last?.session || path.includes(id)),
    );
    if (ledger === null || session === undefined) {
      if (last === null) return { ...unread, verdict: 'silent', why: 'no-claim', message: null };
      const { judgement, contract } = last.turn;
      const shown = judgement.claims.map((each) => ({ ...shownClaim(each), evidence: [] }));
      return {
        ...unread,
        ...verdictOf(judgement),
        claims: shown,
        contract: contract === null ? null : contractYaml(contract, null),
      };
    }
    const record = await readSessionRecord(ledger.store, session.id);
    const intake = await sessionIntake(ledger, record.start, context.cwd);
    const none = { tree: null, changed: null, weakened: [], editedSince: new Map() };
    const { runs } = record.evidence.evidence(none);
    const moment = await treeNow(located, session, intake)(session.id, runs);
    const { policy: inForce } = policy;
    const found = withFinal(readClaims(text, inForce.phrases), inForce);
    const judgement = judgeRecord(
      record,
      moment,
      { ...found, formal: inForce.finalBlock !== 'off' && found.final !== null },
      { policy: inForce, project: commandsOf(session) },
    );
    const contract = record.contract?.value ?? null;
    const isWanted = contract?.responseMode === 'foil_final';
    const evidence = record.evidence.evidence({ forged: record.forged, ...moment });
    const end = { found, policy: inForce, isWanted, judgement, evidence };
    const problem = await finalProblem(end, async () => ({
      contract: contract ?? readContract('', inForce),
      root: textOrNull(record.start?.payload.workspace_root),
      record,
    }));
    return {
      ...unread,
      session: session.id,
      ...verdictOf(judgement),
      ...(problem === null ? {} : blockedBy(problem, judgement)),
      claims: judgement.claims.map(shownClaim),
      contract: record.contract === null ? null : contractYaml(record.contract.value, null),
    };
  } finally {
    await ledger?.close();
  }
}

function verdictOf(judgement: Judgement): Pick<Gated, 'verdict' | 'why' | 'note' | 'message'> {
  const { verdict, why, note = null } = judgement;
  return { verdict, why, note, message: verdict === 'block' ? gateMessage(judgement) : null };
}

function blockedBy(problem: string, judgement: Judgement): Pick<Gated, 'verdict' | 'why' | 'message'> {
  const open = judgement.verdict === 'block' ? [gateMessage(judgement)] : [];
  return { verdict: 'block', why: 'final-block', message: [problem, ...open].join('\n') };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function shownClaim(each: JudgedClaim): Claimed {
  return {
    type: each.claim.type,
    quote: each.claim.quote,
    status: each.status,
    code: each.code,
    reason: each.reason === '' ? null : each.reason,
    validator: each.validator,
    command: commandOf(each),
    evidence: each.evidence,
  };
}

/** A transcript can be judged where there is no ledger, too. */
function openIfThere(located: Located): Ledger | null {
  try {
    return openToRead(located);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NOT_FOUND' && located.how !== 'option') return null;
    throw error;
  }
}

/** The one whose names are most of its own first; Claude Code's where no name tells. */
function kindOf(path: string): TranscriptKind {
  const own = TRANSCRIPTS.filter(({ agent }) => agent !== 'claude-code').find((kind) => kind.matches(path));
  const [first] = TRANSCRIPTS;
  const found = own ?? TRANSCRIPTS.find(({ agent }) => agent === 'claude-code') ?? first;
  if (found === undefined) throw new StoreError('NOT_FOUND', 'no kind of transcript is known.');
  return found;
}

function lastTurn(kind: TranscriptKind, path: string): Read['last'] {
  let last: Read['last'] = null;
  for (const found of scanFile({ kind, path, bytes: 0, changed: 0 }))
    if (found !== null) last = { turn: found.turn, session: found.session };
  return last;
}

const VERDICTS = {
  silent: 'would pass: nothing to judge',
  pass: 'would pass',
  block: 'would block',
  unknown: 'unknown: there is nothing to judge in it',
} as const;

function render(gated: Gated, explain: boolean): string {
  const { claims, verdict, why } = gated;
  const lines = [
    `${VERDICTS[verdict]}${why === null ? '' : ` (${why})`}`,
    `  message    ${gated.extraction}`,
    `  evidence   ${gated.session === null ? 'from the transcript alone: no recorded session is of this host' : `session ${gated.session}`}`,
    ...(explain ? [`  policy     ${gated.policy_hash}`] : []),
    ...(gated.note === null ? [] : [`  note       ${gated.note}`]),
    ...(why === 'final-block' ? [`  block      ${harmless(gated.message?.split('\n')[0] ?? '')}`] : []),
  ];
  claims.forEach((claim, index) => {
    const code = claim.code === null || claim.code === claim.status ? '' : ` (${claim.code})`;
    lines.push('', `${index + 1}. "${shorten(harmless(claim.quote), 120)}" (${claim.type})`);
    lines.push(
      `   ${claim.status}${code}${claim.reason === null ? '' : `: ${shorten(harmless(claim.reason), 300)}`}`,
    );
    if (claim.evidence.length > 0) lines.push(`   rests on ${claim.evidence.join(', ')}`);
    if (claim.command !== null) lines.push(`   run: ${harmless(claim.command)}`);
  });
  if (explain && gated.contract !== null)
    lines.push(
      '',
      'contract',
      ...gated.contract
        .trimEnd()
        .split('\n')
        .map((line) => `  ${harmless(line)}`),
    );
  if (explain && gated.message !== null)
    lines.push(
      '',
      'the agent would be told',
      ...gated.message.split('\n').map((line) => `  ${harmless(line)}`),
    );
  return `${lines.join('\n')}\n`;
}
