// Does each claim of completion rest on a signed, fresh, matching validation? The gate said so when it let a turn end; here
// it is held against the entries, as if nobody had looked: signatures, places, and the validators' judgement itself. An
// unproven claim is a fail in every mode, because the question is the same; the record of it may well be sound.
// Memory is bounded: see session-trail.ts. Work is, too: past a bound nothing is judged again, and that is said.
import { ParseError } from '../core/index.ts';
import { isCache, isDocument, isGenerated } from '../ecosystems/index.ts';
import {
  type ClaimType,
  claimEnd,
  type Entry,
  type Gate,
  type GatedClaim,
  parseClaim,
  parseContract,
  parseGate,
  parseValidation,
  type SignedValidation,
} from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import { mayExcuse, RULES_VERSION } from '../rules/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { BlindTimes } from './blind-times.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';
import { RecordedPolicies } from './recorded-policies.ts';
import { type Rejudged, rejudge } from './rejudge.ts';
import { type SeenValidation, type Trail, Trails } from './session-trail.ts';
import { ValidatorEpochs } from './validator-epochs.ts';

/** What it must be shown, besides calls and results with a member `tree`, and ends of sessions. */
export const EVIDENCE_KINDS = [
  'session.start',
  'contract',
  'claim',
  'validation',
  'gate',
  'validator.key',
  'policy',
  'model.tool_use',
  'model.tool_result',
  'agent.end',
];

const OF_SESSION: ReadonlySet<string> = new Set(['contract', 'claim', 'validation', 'gate']);
/** Recorders whose own sessions have no gate. */
const WIRES: ReadonlySet<string> = new Set(['gateway', 'mcp']);
/** Claims that may be passed over in silence: the others say that something happened, or can't be. */
const EXCUSABLE: ReadonlySet<string> = new Set(['done', 'changed']);
const HAPPENED: ReadonlySet<string> = new Set(['tested', 'checked', 'shipped']);
/** Runs, changes and attempts that are looked at again, over all validations. */
const MOST_WORK = 20_000_000;

/** Claims whose time is held against what was blind. */
const MOST_PASSED = 65_536;

interface Passed {
  readonly claim: number;
  readonly session: string;
  readonly since: string;
  readonly until: string;
}

export interface EvidenceCounts {
  readonly gates: number;
  readonly claims: number;
  readonly claimsProven: number;
  readonly claimsUnproven: number;
  readonly validations: number;
}

const KNOWS_NOBODY: Pick<AuthorityCheck, 'isOperator' | 'knowsOperators'> = {
  isOperator: () => 'unknown',
  knowsOperators: false,
};

export class EvidenceCheck {
  readonly #findings: Findings;
  readonly #epochs: ValidatorEpochs;
  readonly #policies: RecordedPolicies;
  readonly #trails = new Trails((trail, full) => this.#letGo(trail, full));
  readonly #counts = { gates: 0, claims: 0, claimsProven: 0, claimsUnproven: 0, validations: 0 };
  readonly #blind: Pick<BlindTimes, 'within'>;
  /** Claims that passed, with the time that they rest on: what was blind is known at the end. */
  #passed: Passed[] = [];
  #work = 0;
  #saidTooMuch = false;
  /** An agent within a session ended with a message of its own. */
  #agentSpoke = false;

  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin' | 'current'>,
    blind: Pick<BlindTimes, 'within'> = { within: () => undefined },
    authority = KNOWS_NOBODY,
  ) {
    this.#findings = findings;
    this.#blind = blind;
    this.#epochs = new ValidatorEpochs(findings, identity);
    this.#policies = new RecordedPolicies(findings, identity, authority);
  }

  get counts(): EvidenceCounts {
    return this.#counts;
  }

  /** Entries in the order of the ledger; `bytes` is the length of the line. */
  entry(entry: Entry, bytes: number): void {
    try {
      this.#take(entry, bytes);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('EVIDENCE_MALFORMED', entry.seq, error.message);
    }
  }

  /** `kinds` are those that the ledger holds. */
  finish(kinds: ReadonlySet<string>): void {
    this.#trails.finish();
    for (const { claim, session, since, until } of this.#passed) {
      const time = this.#blind.within(session, since, until);
      if (time === undefined) continue;
      this.#counts.claimsProven--;
      const text = `the claim rests on what was seen from ${since} to ${until}, but from ${time.since} to ${time.until} not everything could be seen (entry ${time.seq})`;
      this.#findings.add('CLAIM_BLIND', claim, text);
    }
    this.#passed = [];
    const { gates, claims, validations } = this.#counts;
    if (gates + claims + validations === 0 && (kinds.has('response') || this.#agentSpoke)) {
      const text = 'turns ended here, but no gate looked at them: it is unknown what they claimed';
      this.#findings.add('NO_GATE', null, text);
    }
  }

  #take(entry: Entry, bytes: number): void {
    const { kind, session_id: session } = entry;
    if (kind === 'validator.key') this.#epochs.key(entry);
    else if (kind === 'policy') this.#policies.take(entry);
    else if (kind === 'session.end' && session !== null) this.#trails.end(session);
    // A program or a server that joined a session ends there, too, and says nothing that could be judged.
    else if (kind === 'agent.end') this.#agentSpoke ||= Object.hasOwn(entry.payload, 'response_hash');
    else if (kind === 'tool.call' || kind === 'tool.result') {
      // Recorders that know no gate may write what they like: it is no evidence.
      if (session !== null && Object.hasOwn(entry.payload, 'tree')) {
        const trail = this.#trails.touch(session, bytes);
        trail.evidence.add(entry);
        trail.times.set(entry.seq, entry.ts);
      }
    } else if (kind === 'prompt') {
      const trail = session === null ? undefined : this.#trails.get(session);
      if (trail !== undefined) trail.promptAt = entry.ts;
    } else if (kind === 'session.start') {
      // What the wire sees of sessions that nobody gates is of no use here, and would need room.
      if (session !== null && !WIRES.has(entry.source)) this.#trails.touch(session, bytes);
    } else if (kind === 'model.tool_use' || kind === 'model.tool_result') {
      if (session !== null && this.#trails.get(session) !== undefined)
        this.#trails.touch(session, bytes).evidence.add(entry);
    } else if (OF_SESSION.has(kind)) this.#ofSession(entry, bytes);
  }

  #ofSession(entry: Entry, bytes: number): void {
    const { seq, kind, payload, session_id: session } = entry;
    if (kind === 'claim') this.#counts.claims++;
    if (kind === 'validation') this.#counts.validations++;
    if (kind === 'gate') this.#counts.gates++;
    if (session === null) throw new ParseError('BAD_MEMBER', `a ${kind} belongs to a session`, 'session_id');
    const trail = this.#trails.touch(session, bytes);
    if (kind === 'contract') trail.contracts.set(seq, parseContract(payload));
    else if (kind === 'claim') {
      trail.claims.set(seq, parseClaim(payload));
      // One that `foil validate` was asked about is written with its own answer; no gate will judge it.
      if (entry.source === 'cli') trail.asked.add(seq);
      else trail.open.add(seq);
    } else if (kind === 'validation') this.#validation(entry, trail);
    else this.#gate(entry, parseGate(payload), trail);
  }

  #validation(entry: Entry, trail: Trail): void {
    const { seq } = entry;
    const validation = parseValidation(entry.payload);
    const seen: SeenValidation = { seq, validation, state: 'good' };
    trail.validations.set(seq, seen);
    trail.newest.push(seen);
    this.#policies.check(validation.policyHash, seq);
    const forgery = this.#epochs.forgery(validation, entry);
    if (forgery !== undefined) {
      seen.state = 'bad';
      this.#findings.add('VALIDATION_FORGED', seq, `the validation is not valid: ${forgery}`);
      return;
    }
    const misplaced = this.#misplaced(entry, validation, trail);
    if (misplaced !== undefined) {
      seen.state = this.#trails.overflowed ? 'unknown' : 'bad';
      if (this.#trails.overflowed) this.#tooMuch(seq);
      else this.#findings.add('VALIDATION_MISPLACED', seq, `the validation ${misplaced}`);
      return;
    }
    if (validation.outcome === 'pass') seen.state = this.#rejudged(seen, trail);
    // What is unknown was told as such, and is no claim without an answer.
    const isAnswered = seen.state !== 'bad' && trail.asked.delete(validation.claim);
    const isProven = seen.state === 'good' && validation.outcome === 'pass';
    if (isAnswered && isProven) this.#counts.claimsProven++;
  }

  #misplaced(entry: Entry, validation: SignedValidation, { claims, contracts, evidence }: Trail) {
    const { claim, contract } = validation;
    if (!claims.has(claim)) return `is about entry ${claim}, which is not an earlier claim of its session`;
    if (entry.cause !== claim)
      return `is about the claim in entry ${claim}, but is placed as if it were about another`;
    if (contract !== null && !contracts.has(contract))
      return `is bound to entry ${contract}, which is not an earlier contract of its session`;
    const stranger = validation.evidence.find((seq) => !evidence.hasResult(seq));
    return stranger === undefined
      ? undefined
      : `rests on entry ${stranger}, which is not an earlier result of its session`;
  }

  #rejudged({ seq, validation }: SeenValidation, trail: Trail): SeenValidation['state'] {
    const { claims, contracts, evidence } = trail;
    const claim = claims.get(validation.claim);
    if (claim === undefined) return 'bad';
    const { policyHash: hash } = validation;
    const rivals = this.#policies.rivals(hash);
    this.#work += (evidence.size + 1) * (rivals.length + 1);
    if (this.#work > MOST_WORK) {
      this.#tooMuch(seq);
      return 'unknown';
    }
    const contract = validation.contract === null ? null : (contracts.get(validation.contract) ?? null);
    const judgedBy = (policy: ClaimPolicy | null): Rejudged =>
      policy === null ? { state: 'unknown' } : rejudge({ validation, claim, contract, evidence, policy });
    const judged = judgedBy(this.#policies.named(hash));
    if (judged.state === 'bad') {
      const text = `${validation.validator} is recorded as a pass, but it fails when judged again: ${judged.reason}`;
      this.#findings.add('VALIDATION_WRONG', seq, text);
    } else if (judged.state === 'unknown') {
      this.#unknown(seq, `version ${validation.validatorVersion} of ${validation.validator}, or the policy`);
    }
    if (judged.state !== 'good') return judged.state;
    const rival = rivals.find(({ policy }) => judgedBy(policy).state !== 'good');
    if (rival === undefined) return 'good';
    this.#policies.addUnsettled(hash, seq, 'it passes with less', rival);
    return 'unknown';
  }

  #unknown(seq: number, what: string): void {
    this.#findings.add('VALIDATOR_UNKNOWN', seq, `this verifier does not know ${what}`);
  }

  #gate({ seq, ts }: Entry, gate: Gate, trail: Trail): void {
    this.#policies.check(gate.policyHash, seq);
    if (gate.verdict !== 'block') this.#policies.checkReading(gate.policyHash, seq);
    this.#forgedRuns(gate, trail);
    if (gate.verdict === 'silent') this.#silence(seq, gate, trail);
    for (const { claim } of gate.claims) trail.open.delete(claim);
    // Claims are written together with the gate that judges them, so what is still open was left out.
    for (const claim of trail.open)
      this.#findings.add('GATE_MISMATCH', seq, `the gate leaves out the claim in entry ${claim}`);
    trail.open.clear();
    if (gate.verdict === 'silent') return;
    for (const each of gate.claims) {
      const claim = trail.claims.get(each.claim);
      if (claim !== undefined) this.#gatedClaim({ seq, ts }, gate, each, claim.type, trail);
      else if (this.#trails.overflowed) this.#tooMuch(seq);
      else this.#findings.add('GATE_MISMATCH', seq, `entry ${each.claim} is not a claim of this session`);
    }
    if (gate.verdict === 'ungated' && gate.claims.length === 0) {
      const text =
        gate.extraction === 'ok'
          ? `the turn ended without a verdict (${gate.why ?? 'no reason given'})`
          : `the turn ended without a verdict: its final message could not be read (${gate.extraction})`;
      this.#findings.add('TURN_UNGATED', seq, text);
    }
  }

  /** Is there a reason to say nothing? Then nothing is asked about these claims. */
  #silence(seq: number, { why, background }: Gate, { open, claims, evidence }: Trail): void {
    const files = evidence.changes
      .map(({ path }) => path)
      .filter((path) => !isCache(path) && !isGenerated(path));
    const types = [...open].map((claim) => claims.get(claim)?.type ?? '');
    const right =
      open.size === 0 ||
      (why === 'background' && background.length > 0 && types.every((type) => EXCUSABLE.has(type))) ||
      (why === 'nothing-changed' && files.length === 0 && types.every((type) => EXCUSABLE.has(type))) ||
      (why === 'documents-only' && files.every(isDocument) && !types.some((type) => HAPPENED.has(type)));
    if (!right)
      this.#findings.add('GATE_MISMATCH', seq, `the gate stayed silent (${why}), but should not have`);
    open.clear();
  }

  #gatedClaim(
    { seq, ts }: Pick<Entry, 'seq' | 'ts'>,
    gate: Gate,
    gated: GatedClaim,
    type: ClaimType,
    trail: Trail,
  ): void {
    const { verdict, rules = 1 } = gate;
    const { claim, status, code } = gated;
    const mismatch = (text: string): void =>
      this.#findings.add('GATE_MISMATCH', seq, `the claim in entry ${claim} (${type}) ${text}`);
    if (status === 'excused') {
      if (rules > RULES_VERSION) this.#unknown(seq, `version ${rules} of the gate's rules`);
      else if (!mayExcuse(type, code, rules)) mismatch('has no such excuse, but the gate excused it');
      else if (code === 'nothing-changed' && trail.evidence.changes.length > 0)
        mismatch('is excused because nothing changed, but something did');
      else if (code === 'background' && gate.background.length === 0)
        mismatch('is excused because something was still running, but nothing was');
    } else if (status !== 'backed') {
      const why = code === null ? status : `${status} (${code})`;
      if (verdict === 'pass') mismatch(`is ${why}, but the gate let it pass`);
      else if (claimEnd(verdict, status) === 'unproven')
        this.#unproven(claim, `the turn ended on a claim (${type}) that is ${why}`);
    } else {
      const seen = gated.validation === null ? undefined : trail.validations.get(gated.validation);
      if (seen === undefined && this.#trails.overflowed) this.#tooMuch(seq);
      else if (seen?.validation.claim !== claim || seen.validation.outcome !== 'pass')
        mismatch('is called backed, but the gate names no validation of it that passed');
      else if (verdict !== 'block' && seen.state === 'bad') {
        const text = `a claim (${type}) was let through on the validation in entry ${seen.seq}, which is not valid`;
        this.#unproven(claim, text);
      } else if (verdict !== 'block' && seen.state === 'good') this.#proven(claim, seen, trail, ts);
    }
  }

  /** From the first thing that it rests on to the moment it was judged. */
  #proven(
    claim: number,
    { validation }: SeenValidation,
    { session, promptAt, times }: Trail,
    until: string,
  ): void {
    this.#counts.claimsProven++;
    const moments = [promptAt, ...validation.evidence.map((seq) => times.get(seq))];
    const since = moments.filter((each) => typeof each === 'string').sort()[0] ?? until;
    if (this.#passed.length < MOST_PASSED) this.#passed.push({ claim, session, since, until });
    else this.#tooMuch(claim);
  }

  #unproven(claim: number, text: string): void {
    this.#counts.claimsUnproven++;
    this.#findings.add('CLAIM_UNPROVEN', claim, text);
  }

  /** Does a validation of this very moment rest on a result that the gate itself calls forged? */
  #forgedRuns({ forged }: Gate, trail: Trail): void {
    for (const seen of forged.length === 0 ? [] : trail.newest) {
      const { outcome, evidence } = seen.validation;
      const seq = outcome === 'pass' ? evidence.find((each) => forged.includes(each)) : undefined;
      if (seq === undefined || seen.state === 'bad') continue;
      seen.state = 'bad';
      const text = `the validation rests on entry ${seq}, an event that was not the host's (forged)`;
      this.#findings.add('VALIDATION_WRONG', seen.seq, text);
    }
    trail.newest = [];
  }

  #letGo({ open, asked, claims, validations }: Trail, full: boolean): void {
    for (const seq of asked) {
      if (full) this.#tooMuch(seq);
      else this.#unproven(seq, `no validation proves the claim (${claims.get(seq)?.type})`);
    }
    if (open.size === 0) return;
    const passes = [...validations.values()].filter(({ validation }) => validation.outcome === 'pass');
    const passedAs = (state: SeenValidation['state']): ReadonlySet<number> =>
      new Set(passes.filter((each) => each.state === state).map(({ validation }) => validation.claim));
    const [proven, unknown] = [passedAs('good'), passedAs('unknown')];
    for (const seq of open) {
      if (proven.has(seq)) this.#counts.claimsProven++;
      else if (unknown.has(seq)) continue;
      else if (full) this.#tooMuch(seq);
      else this.#unproven(seq, `no gate and no validation proves the claim (${claims.get(seq)?.type})`);
    }
  }

  #tooMuch(seq: number): void {
    if (this.#saidTooMuch) return;
    this.#saidTooMuch = true;
    const text = 'from here on, not everything could be judged again, because there is too much';
    this.#findings.add('EVIDENCE_TOO_MUCH', seq, text);
  }
}
