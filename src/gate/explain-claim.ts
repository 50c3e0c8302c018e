// Why the gate said of a claim what it said: judged again from the entries before it, for the sentence that the ledger
// does not hold. Where that comes to another status, the recorded one is what counts, and its code is put into words.
import type { ClaimStatus } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
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
  readonly store: LogReader;
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
  if (claim === undefined) throw new RangeError(`entry ${seq} isn't a claim of this session`);
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

function listSeqs(seqs: readonly number[]): string {
  if (seqs.length === 0) return 'the work tree';
  return `${seqs.length === 1 ? 'entry' : 'entries'} ${seqs.join(', ')}`;
}

const EXCUSES: Readonly<Record<Excuse, string>> = {
  disclosed: 'The message says what was not verified, so the claim is excused.',
  'nothing-changed': 'Nothing was changed that could be run.',
  declarative: 'Only declarations changed, and no test run would show that.',
  looked: 'The result was looked at with a tool, though not with a check, so the claim is excused.',
  tried: 'Something that was tried failed, so the claim is excused.',
  asked: 'The message asks for something that only the user knows, so the claim is excused.',
  'earlier-prompt':
    'The failing tests belong to an earlier prompt, and a check of this prompt’s work passed, so the claim is excused.',
  recap:
    'Nothing was done for this prompt. The message repeats what was said before, so the claim is excused.',
  shipped: 'No code was changed for this prompt. The message is about what was committed or sent.',
  background: 'A command of the agent was still running in the background, so the claim is excused for now.',
};

const CODES: Readonly<Record<string, string>> = {
  'nothing-ran': 'Nothing was run that could show it.',
  'change-only': 'Code was changed, but nothing was run that shows that it works.',
  'no-change': 'No such change is on record.',
  stale: 'The run that showed it came before the last code change.',
  failed: 'The command failed.',
  weakened: 'Tests or their configuration were weakened in the session, so a pass proves nothing.',
  forged: 'The event that would show it did not come from the host.',
  masked: 'Something replaced the exit code of the command, so nobody knows how it ended.',
  background: 'It ran in the background, so nobody knows how it ended.',
  'dry-run': 'The command only lists tests, or skips them.',
  shadowed: 'The command is not the real tool.',
  'not-a-check': 'The command checks nothing.',
  'only-skips': 'All tests were skipped.',
  'no-summary': 'The command printed no test summary, so nothing shows that any test ran.',
  'unknown-exit': 'Nobody knows how the command ended, and that never counts as success.',
  'too-few-runs': 'The tests passed fewer times than was asked for.',
  'fewer-passed': 'The claim names more tests than passed.',
  narrowed: 'The command left out what changed.',
  'another-target': 'The command does not cover what changed.',
  'another-directory': 'The command ran in another directory.',
  'another-sort': 'The command does not settle such a claim.',
  'not-tried': 'Not everything that the prompt names was tried.',
  'nothing-named': 'The prompt does not name it, and nothing that was tried failed.',
  grade: 'The policy requires better evidence than a report.',
  'no-validator': 'The policy accepts no evidence for such a claim.',
};

function inWords(status: ClaimStatus, code: string | null): string {
  const known: Readonly<Record<string, string>> = status === 'excused' ? EXCUSES : CODES;
  const words = known[code ?? ''];
  return words ?? `It is ${status}${code === null ? '' : ` (${code})`}.`;
}
