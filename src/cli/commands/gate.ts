// foil gate: the gate again, for an operator: would this turn have passed, and why? With what the ledger has of the session
// where it has it, else from the transcript alone. Nothing is written, and nothing is blocked.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  commandsOf,
  currentPolicy,
  filePolicy,
  openToRead,
  sessionIntake,
  textOf,
  treeNow,
} from '../../app/index.ts';
import { TRANSCRIPTS, type TranscriptKind } from '../../capture/transcripts/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import {
  type Extraction,
  finalProblem,
  judgeRecord,
  readClaims,
  readSessionRecord,
  restingOn,
  type ScannedTurn,
  transcriptEnd,
  withFinal,
} from '../../gate/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  type Claimed,
  contentReader,
  type Gated,
  listSessions,
  redactedText,
  renderGate,
  scanFile,
} from '../../report/index.ts';
import {
  commandOf,
  type Evidence,
  gateMessage,
  type JudgedClaim,
  type Judgement,
  readContract,
} from '../../rules/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { contractYaml } from '../contract-yaml.ts';
import { place } from '../place.ts';

export const gate: Command = {
  name: 'gate',
  summary:
    'judge the last turn of a transcript again, and say why (exit 0: would pass, 5: would block, 3: no turn has ended)',
  usage: '--transcript FILE [--explain]',
  arguments: [0, 0],
  options: {
    transcript: { type: 'string', value: 'FILE', help: "the agent's own transcript" },
    explain: {
      type: 'boolean',
      help: 'also show the contract, the policy, and what the agent would be told',
    },
  },
  examples: [
    'foil gate --transcript ~/.claude/projects/app/4f1a2b3c.jsonl',
    'foil gate --transcript session.jsonl --explain --json',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const given = context.values.text('transcript');
  if (given === undefined) throw new UsageError('Which transcript? Use `foil gate --transcript FILE`.');
  const path = resolve(context.cwd, given);
  if (!existsSync(path)) throw new StoreError('NOT_FOUND', `there is no file ${path}.`);
  const kind = kindOf(path);
  const last = lastTurn(kind, path);
  const said = transcriptEnd(path);
  // One document instead of lines is read as what it is.
  const extraction = (kind.whole && last !== null) || said.unended ? 'ok' : said.extraction;
  const text = kind.whole ? (last?.turn.message ?? '') : said.text;
  const sessions = [said.session, last?.session].filter((id) => typeof id === 'string');
  const gated = await judged(context, { path, extraction, text, last, sessions, unended: said.unended });
  return {
    exit: EXITS[gated.verdict],
    json: gated,
    text: renderGate(gated, context.values.flag('explain')),
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
  readonly extraction: Extraction;
  readonly text: string;
  readonly last: { readonly turn: ScannedTurn; readonly session: string } | null;
  /** What the file calls the session, in its lines and by its name. */
  readonly sessions: readonly string[];
  /** The last turn goes on. */
  readonly unended: boolean;
}

async function judged(context: Context, given: Read): Promise<Gated> {
  const { path, extraction, text, last, sessions: ids, unended } = given;
  const base = { transcript: path, host_session: ids[0] ?? null, extraction };
  const located = place(context);
  const ledger = openIfThere(located);
  try {
    const policy = ledger === null ? filePolicy(context.cwd) : await currentPolicy(ledger, context);
    const unread = {
      ...base,
      policy_hash: policy.hash,
      session: null,
      claims: [],
      contract: null,
      note: null,
    };
    if (unended) return { ...unread, verdict: 'unknown', why: 'not-ended', message: null };
    // Of a file that holds no turn at all nobody knows that there should be one.
    const isNothing = last === null && text === '' && (extraction === 'ok' || extraction === 'unreadable');
    if (isNothing) return { ...unread, verdict: 'unknown', why: 'no-turn', message: null };
    if (extraction !== 'ok')
      return { ...unread, verdict: 'block', why: extraction, message: "The message couldn't be read." };
    const sessions = ledger === null ? [] : await listSessions(ledger.store, (await ledger.store.head()).seq);
    const session = sessions.findLast(
      ({ agent_session: id }) => id !== null && (ids.includes(id) || path.includes(id)),
    );
    if (ledger === null || session === undefined) {
      if (last === null) return { ...unread, verdict: 'silent', why: 'no-claim', message: null };
      const { judgement, contract, evidence, prompt } = last.turn;
      const shown = judgement.claims.map((each) => ({ ...shownClaim(each, evidence), evidence: [] }));
      return {
        ...unread,
        ...verdictOf(judgement),
        claims: shown,
        contract: contract === null ? null : contractYaml(contract, redactedText(prompt)),
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
      { policy: inForce, project: commandsOf(session, record) },
    );
    const { value: contract = null, entry: asked = null } = record.contract ?? {};
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
      claims: judgement.claims.map((each) => shownClaim(each, evidence)),
      contract:
        contract === null
          ? null
          : contractYaml(contract, await textOf(contentReader(ledger, located), asked, 'objective')),
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

function shownClaim(each: JudgedClaim, evidence: Evidence): Claimed {
  return {
    type: each.claim.type,
    quote: each.claim.quote,
    status: each.status,
    code: each.code,
    reason: each.reason === '' ? null : each.reason,
    validator: each.validator,
    command: commandOf(each),
    evidence: each.evidence,
    rests_on: restingOn(each.evidence, evidence).map(redactedText),
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
  if (found === undefined) throw new StoreError('NOT_FOUND', "foil can't read any kind of transcript.");
  return found;
}

function lastTurn(kind: TranscriptKind, path: string): Read['last'] {
  let last: Read['last'] = null;
  for (const found of scanFile({ kind, path, bytes: 0, changed: 0 }))
    if (found !== null) last = { turn: found.turn, session: found.session };
  return last;
}
