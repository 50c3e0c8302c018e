// A validator asked by a person or an agent, apart from the gate: about a claim on record, or about one of a type that is
// recorded together with the answer. Arguments are not trusted: they must be bound to the contract. What passes is signed
// and written, as the gate would have done; what does not, leaves nothing.
import type { Json, JsonObject } from '../core/index.ts';
import {
  type Claim,
  type ClaimType,
  encodeClaim,
  type Grade,
  leastGrade,
  type Validation,
} from '../format/index.ts';
import { type Clock, type EntryLog, encodeBlock, type NewEntry } from '../ledger/index.ts';
import { CLAIM_TYPES, VALIDATOR_IDS, validatorId } from '../policy/index.ts';
import { type Intake, Traces } from '../record/index.ts';
import {
  askValidator,
  type Fail,
  isBornSkipped,
  quoteOf,
  type Refused,
  type Run,
  scopeOf,
  VALIDATORS,
} from '../rules/index.ts';
import { genuine } from './host-judge.ts';
import { readSessionRecord, type SessionRecord } from './ledger-evidence.ts';
import type { Policy } from './policy-in-force.ts';
import type { TreeMoment } from './tree-moment.ts';
import type { ValidationSigner } from './validation-signer.ts';

export interface ValidateOptions {
  readonly store: Pick<EntryLog, 'read' | 'head' | 'append'>;
  readonly intake: Pick<Intake, 'clean' | 'keep'>;
  readonly policy: Policy;
  /** How the work tree is now. */
  readonly moment: (session: string, runs: readonly Run[]) => Promise<TreeMoment>;
  readonly signer: () => Promise<ValidationSigner>;
  readonly now?: Clock;
}

export interface ValidateQuestion {
  readonly session: string;
  /** The seq of a claim, or a type. */
  readonly claim: number | string;
  readonly validator: string;
  readonly args: Json;
}

export type Validated =
  | {
      readonly outcome: 'pass';
      /** Seqs of the validation and the claim. */
      readonly validation: number;
      readonly claim: number;
      readonly evidence: readonly number[];
      readonly grade: Grade;
      /** Tests that are weaker than when the session began; null where that could not be found out. */
      readonly weakened: Validation['weakened'];
    }
  | Fail
  | (Omit<Refused, 'code'> & { readonly code: Refused['code'] | 'no-claim' });

const SOURCE = 'cli';

export async function validate(options: ValidateOptions, question: ValidateQuestion): Promise<Validated> {
  const { store, policy } = options;
  const id = validatorId(question.validator);
  if (id === null)
    return refuse(
      'unknown-validator',
      `Unknown validator "${question.validator}". Use one of ${VALIDATOR_IDS.join(', ')}.`,
    );
  const { args } = question;
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return refuse('bad-arguments', 'The arguments are not a JSON object.');
  const record = await readSessionRecord(store, question.session);
  const claim = claimOf(question.claim, record);
  if ('outcome' in claim) return claim;
  // A prompt that names nothing ("thanks", "go on") goes on with what was asked before it.
  const contract = record.contractBefore(claim.seq ?? Number.POSITIVE_INFINITY);
  if (contract === null)
    return refuse(
      'no-contract',
      'No prompt of this session names anything that a validator could check, so there is no contract.',
    );
  const seen = await evidenceNow(record, options);
  const { evidence, moment } = seen;
  const context = {
    evidence,
    contract: contract.value,
    claim: claim.claim,
    scope: scopeOf(evidence, contract.value),
  };
  const outcome = askValidator(
    { validator: id, args: args as JsonObject, asked: true },
    context,
    policy.policy,
  );
  if (outcome.outcome !== 'pass') return outcome;
  const restsOn = outcome.evidence.filter((seq) => seq > 0);
  const grade = leastGrade(restsOn.map((seq) => record.evidence.gradeOf(seq)));
  const validation: Omit<Validation, 'claim'> = {
    validator: id,
    validatorVersion: VALIDATORS[id].version,
    contract: contract.entry.seq,
    args: args as JsonObject,
    outcome: 'pass',
    code: null,
    evidence: restsOn,
    tree: moment.tree,
    changed: moment.changed,
    weakened: moment.weakened?.map(({ lines: _, beside: __, ...each }) => each) ?? null,
    grade,
    policyHash: policy.hash,
  };
  const written = await write(options, record, claim, validation);
  return { outcome: 'pass', ...written, evidence: restsOn, grade, weakened: validation.weakened };
}

interface Asked {
  /** Null for one that is not on record. */
  readonly seq: number | null;
  readonly claim: Claim;
}

function claimOf(given: number | string, record: SessionRecord): Asked | Validated {
  if (typeof given === 'number') {
    const found = record.claims.get(given)?.value;
    if (found === undefined) return refuse('no-claim', `Entry ${given} isn't a claim of this session.`);
    // The words that a verifier has, too.
    return { seq: given, claim: { ...found, quote: quoteOf(found.names) } };
  }
  const type = CLAIM_TYPES.find((each) => each === given);
  if (type === undefined)
    return refuse('no-claim', `Unknown claim type "${given}". Use one of ${CLAIM_TYPES.join(', ')}.`);
  return { seq: null, claim: { type, quote: '', about: null, whole: false } };
}

async function evidenceNow(record: SessionRecord, options: ValidateOptions) {
  const { agent, transcript } = record.start?.payload ?? {};
  const none = { tree: null, changed: null, weakened: [], editedSince: new Map() };
  const { runs } = record.evidence.evidence(none);
  const forged: number[] = [];
  for (const run of runs) {
    const id = record.results.get(run.seq)?.payload.tool_use_id;
    const known = await genuine(
      { ...run, id: typeof id === 'string' ? id : null },
      String(agent),
      typeof transcript === 'string' ? transcript : null,
    );
    if (!known.genuine) forged.push(run.seq);
  }
  const found = await options.moment(record.session, runs);
  // Of a changed expectation only a message could tell what it means.
  const moment = {
    ...found,
    weakened: found.weakened?.filter((each) => !each.expects && !isBornSkipped(each)) ?? null,
  };
  return { evidence: record.evidence.evidence({ ...moment, forged }), moment };
}

async function write(
  { store, intake, signer: open, now = Date.now }: ValidateOptions,
  { session, prompt }: SessionRecord,
  asked: Asked,
  validation: Omit<Validation, 'claim'>,
): Promise<{ validation: number; claim: number }> {
  const signer = await open();
  const words = `${asked.claim.type satisfies ClaimType}, as asked of ${validation.validator}`;
  const quote = asked.seq === null ? await intake.keep(session, intake.clean(words, new Traces())) : null;
  let claim = asked.seq ?? 0;
  const head = await store.append((at) => {
    const drafts: NewEntry[] = [];
    if (quote !== null) {
      const payload = encodeClaim({ ...asked.claim, names: [], quote, agentId: null });
      drafts.push({
        kind: 'claim',
        payload,
        source: SOURCE,
        session_id: session,
        cause: prompt?.seq ?? null,
      });
      claim = at.seq + 1;
    }
    const payload = signer.sign({ ...validation, claim }, session);
    drafts.push({ kind: 'validation', payload, source: SOURCE, session_id: session, cause: claim });
    return encodeBlock(drafts, at, now());
  });
  return { validation: head?.seq ?? 0, claim };
}

function refuse(
  code: Refused['code'] | 'no-claim',
  reason: string,
): Extract<Validated, { outcome: 'refused' }> {
  return { outcome: 'refused', code, reason, evidence: [] };
}
