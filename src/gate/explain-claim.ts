// Why the gate said of a claim what it said: judged again from the entries before it, for the sentence that the ledger
// does not hold. Where that comes to another status, the recorded one is what counts, and its code is put into words.
import type { ClaimStatus } from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import {
  type Excuse,
  type JudgeInput,
  type Judgement,
  judge,
  type ProjectCommands,
  quoteOf,
  readContract,
  type Suggestion,
} from '../rules/index.ts';
import { readSessionRecord, type SessionRecord } from './ledger-evidence.ts';
import type { TreeMoment } from './tree-moment.ts';

export interface ExplainedClaim {
  readonly status: ClaimStatus | 'silent' | 'unjudged';
  readonly code: string | null;
  /** A sentence. */
  readonly reason: string;
  readonly suggestion: Suggestion | null;
  readonly gate: number | null;
  readonly validation: number | null;
}

export interface ExplainOptions {
  readonly store: Pick<Store, 'read' | 'head'>;
  readonly record: SessionRecord;
  readonly policy: ClaimPolicy;
  readonly project: ProjectCommands;
  /** The claim's own words, where they are kept. */
  readonly quote: string | null;
}

const NO_MOMENT: TreeMoment = {
  tree: null,
  changed: null,
  weakened: null,
  inert: [],
  stubs: [],
  editedSince: new Map(),
  unseen: false,
};

export async function explainClaim(seq: number, options: ExplainOptions): Promise<ExplainedClaim> {
  const { store, record, policy, project } = options;
  const claim = record.claims.get(seq)?.value;
  if (claim === undefined) throw new RangeError(`entry ${seq} is no claim of the session`);
  const gate = record.gateOf(seq);
  const passed = [...record.validations.values()].find(
    ({ value }) => value.claim === seq && value.outcome === 'pass',
  );
  const told = gate?.value.claims.find((each) => each.claim === seq);
  const settled = { suggestion: null, gate: gate?.entry.seq ?? null, validation: passed?.entry.seq ?? null };
  if (told === undefined) {
    if (passed !== undefined)
      return {
        ...settled,
        status: 'backed',
        code: null,
        reason: `It was validated with ${passed.value.validator} in entry ${passed.entry.seq}.`,
      };
    return { ...settled, status: 'unjudged', code: null, reason: 'No gate has judged it.' };
  }
  if (told.status === 'backed')
    return {
      ...settled,
      status: 'backed',
      code: null,
      validation: told.validation,
      reason: `${passed?.value.validator ?? 'A validator'} passed on ${listSeqs(passed?.value.evidence ?? [])}.`,
    };
  const before = await readSessionRecord(store, record.session, (gate?.entry.seq ?? seq) - 1);
  const beside = [...record.validations.values()].find(
    ({ entry }) => entry.seq < (gate?.entry.seq ?? 0) && entry.seq > seq,
  );
  const moment = {
    ...NO_MOMENT,
    tree: gate?.value.tree ?? null,
    changed: beside?.value.changed ?? null,
    weakened: beside?.value.weakened?.map((each) => ({ ...each, lines: [] })) ?? null,
  };
  const evidence = before.evidence.evidence(moment);
  const { claims } = judge({
    claims: [{ ...claim, quote: options.quote ?? quoteOf(claim.names) }],
    disclosures: told.code === 'disclosed' ? ['told'] : [],
    evidence,
    contract: record.contractAt(seq)?.value ?? readContract('', policy),
    policy,
    project,
  });
  const [again] = claims;
  const same = again?.status === told.status && again.code === told.code;
  return {
    ...settled,
    status: told.status,
    code: told.code,
    reason: same && again.reason !== '' ? again.reason : inWords(told.status, told.code),
    suggestion: again?.suggestion ?? null,
  };
}

/** What is asked of a session that is read from the ledger, as the gate would ask it now. */
export function judgeRecord(
  record: SessionRecord,
  moment: TreeMoment,
  found: Pick<JudgeInput, 'claims' | 'disclosures' | 'failures' | 'formal'>,
  { policy, project }: Pick<ExplainOptions, 'policy' | 'project'>,
): Judgement {
  const evidence = record.evidence.evidence({ forged: record.forged, ...moment });
  const since = record.prompt?.seq ?? 0;
  const newest = [...record.results.keys()].at(-1) ?? 0;
  const known = [...evidence.runs, ...evidence.changes, ...evidence.attempts].map(({ seq }) => seq);
  return judge({
    ...found,
    evidence,
    contract: record.contract?.value ?? readContract('', policy),
    policy,
    project,
    since,
    idle: record.calls.size === 0,
    still: newest <= since,
    called: newest > since && !known.includes(newest),
  });
}

export function listSeqs(seqs: readonly number[]): string {
  if (seqs.length === 0) return 'what the work tree showed';
  return `${seqs.length === 1 ? 'entry' : 'entries'} ${seqs.join(', ')}`;
}

const EXCUSES: Readonly<Record<Excuse, string>> = {
  disclosed: 'The message says what was not verified, so nothing is held against it.',
  'nothing-changed': 'Nothing was changed that could be run.',
  declarative: 'Nothing was changed but what declares something: no run of tests would show it.',
  looked: 'It was looked at with a tool that is no check, so nothing is held against it.',
  tried: 'Something that was tried failed, so nothing is held against it.',
  asked: 'The message asks for what only the user can tell, so nothing is held against it.',
  'earlier-prompt':
    'The tests that fail are those of an earlier prompt, and a check of this prompt’s work passed, so nothing is held against it.',
  recap:
    'Nothing was done for this prompt: the message repeats what was said before, so nothing is held against it.',
  shipped: 'No code was changed for this prompt; the message speaks of what was committed or sent.',
  background: 'A command of the agent still ran in the background, so nothing is held against it yet.',
};

const CODES: Readonly<Record<string, string>> = {
  'nothing-ran': 'Nothing was run that could show it.',
  'change-only': 'Code was changed, and nothing was run that shows that it works.',
  'no-change': 'No such change is on record.',
  stale: 'What showed it was run before code changed again.',
  failed: 'What was run failed.',
  weakened: 'Tests or their configuration were weakened in the session, so a pass proves nothing.',
  forged: "The event that would show it was not the host's.",
  masked: 'Something replaced the exit code of what was run, so how it ended is not known.',
  background: 'It was run in the background, so how it ended is not known.',
  'dry-run': 'What was run only lists or skips.',
  shadowed: 'What was run is not the real tool.',
  'not-a-check': 'What was run checks nothing.',
  'only-skips': 'All tests were skipped.',
  'no-summary': 'No summary of tests was printed, so none is known to have run.',
  'unknown-exit': 'How the command ended is not known, and that is never a success.',
  'too-few-runs': 'The tests passed fewer times than was asked for.',
  'fewer-passed': 'The claim names more tests than passed.',
  narrowed: 'What was run left out what changed.',
  'another-target': 'What was run does not cover what changed.',
  'another-directory': 'What was run ran in another directory.',
  'another-sort': 'What was run does not settle such a claim.',
  'not-tried': 'Not everything that the prompt names was tried.',
  'nothing-named': 'The prompt names nothing of it, and nothing that was tried failed.',
  grade: 'The policy wants better evidence than a report.',
  'no-validator': 'The policy lets nothing settle such a claim.',
};

function inWords(status: ClaimStatus, code: string | null): string {
  const known: Readonly<Record<string, string>> = status === 'excused' ? EXCUSES : CODES;
  const words = known[code ?? ''];
  return words ?? `It is ${status}${code === null ? '' : ` (${code})`}.`;
}
