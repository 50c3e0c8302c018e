// Was every call of a tool within what its session was granted? The recorder said what a call needs when it was made, by
// how the machine was then; here that is held against the grants on record, as if nobody had looked. What a program did by
// itself nobody saw, and without grants nobody said what agents may do: both are unknown.
import { ed25519Verify } from '#platform';
import { grantsMessage, isHash, ParseError, parseBase64, policyHashOf } from '../core/index.ts';
import {
  type CallAuthority,
  type Entry,
  encodeGrants,
  OPERATOR_KINDS,
  operatorKey,
  parseCallAuthority,
  parseGrantsRecord,
  parsePolicyRecord,
} from '../format/index.ts';
import {
  firstOperators,
  Grants,
  isKnownOperator,
  type Operators,
  operatorsAfter,
  parseGrants,
  parseNeed,
  type Standing,
  standingOf,
} from '../policy/index.ts';
import type { Findings, Status } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

/** What it must be shown, besides calls and results with a member `tree`. */
export const AUTHORITY_KINDS = [
  ...Object.keys(OPERATOR_KINDS),
  'grants',
  'policy',
  'session.start',
  'tool.denied',
];

const BOUNDS = { grants: 1024, sessions: 65_536, calls: 65_536, programs: 32 };
const FROM_HOOKS = 'hook:';
/** The source, and the tool, of what `foil run` starts. */
const RUN = 'run';

/** How sessions begin that take the grants in force, by their source. Those of programs, gateways and imports never enforce any. */
const TAKES_GRANTS: ReadonlyMap<string, readonly unknown[]> = new Map([
  [RUN, ['run', 'run inside of a run']],
  ['cli', ['cli']],
  ['mcp', ['mcp', 'begin_session']],
  ['runtime', ['run', 'fork']],
]);

export interface AuthorityCounts {
  /** Calls that were held against grants. */
  readonly callsJudged: number;
  /** Calls that were refused for want of a grant. */
  readonly callsDenied: number;
}

type Known = ReturnType<typeof parseGrants>;

export class AuthorityCheck {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin'>;
  #operators: Operators;
  readonly #accepted = new Map<string, Known>();
  /**
   * Grants by whoever accepted them: those in force, and those of keys since which the verifier does not know as operators'.
   * The recorder may know them, or not, so a session may begin with any of these.
   */
  readonly #candidates = new Map<string, string>();
  /** One of these is in force whoever is an operator. */
  #isSettled = false;
  /** The grants that sessions began with. */
  readonly #sessions = new Map<string, string>();
  /** Calls that were refused, until the refusal stands there; then they must have no result. */
  readonly #refused = new Map<number, 'due' | 'told'>();
  /** Programs that acted by themselves, told once for each session. */
  readonly #ambient = new Map<string, { readonly seq: number; readonly programs: Set<string> }>();
  /** What `foil run` started, until hooks tell what it does; null from then on. */
  readonly #started = new Map<string, number | null>();
  #decided: { readonly key: string; readonly grants: Grants } | undefined;
  #unjudged = 0;
  #judged = 0;
  #denied = 0;

  /** `operators` are verifier keys that the verifier pinned. */
  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin'>,
    operators: readonly string[] = [],
  ) {
    this.#findings = findings;
    this.#identity = identity;
    this.#operators = firstOperators(operators);
  }

  get counts(): AuthorityCounts {
    return { callsJudged: this.#judged, callsDenied: this.#denied };
  }

  /** Whether the session began with grants. */
  isGranted(session: string): boolean {
    return this.#sessions.has(session);
  }

  /** Calls of sessions without grants, and those that nothing but a recorder of its own told of. */
  get unjudged(): number {
    return this.#unjudged;
  }

  /** Whether the verifier named operators of its own. */
  get knowsOperators(): boolean {
    return this.#operators.pinned !== null;
  }

  /** Is the key an operator's, as of the entries so far? Without operators of the verifier's own nobody is known to be one. */
  isOperator(vkey: string): Status {
    if (this.standing(vkey) === 'revoked') return 'fail';
    return isKnownOperator(this.#operators, vkey) ? 'pass' : 'unknown';
  }

  /** Likewise; without operators of the verifier's own everybody is taken for one. */
  standing(vkey: string): Standing {
    return standingOf(this.#operators, vkey);
  }

  entry(entry: Entry): void {
    const { kind, seq, payload, cause } = entry;
    try {
      if (Object.hasOwn(OPERATOR_KINDS, kind)) this.#change(entry);
      else if (kind === 'grants') this.#accept(entry);
      else if (kind === 'policy') this.#acceptPolicy(entry);
      else if (kind === 'session.start') this.#begin(entry);
      else if (kind === 'tool.call') this.#call(entry);
      else if (kind === 'tool.denied' && cause !== null && this.#refused.has(cause))
        this.#refused.set(cause, 'told');
      else if (kind === 'tool.result' && cause !== null && this.#refused.has(cause)) {
        this.#refused.delete(cause);
        const tool = typeof payload.tool === 'string' ? payload.tool.slice(0, 100) : 'a tool';
        this.#findings.add(
          'DENIED_CALL_RAN',
          seq,
          `${tool} ran, although the call at entry ${cause} was refused`,
        );
      }
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      if (Object.hasOwn(OPERATOR_KINDS, kind)) this.#findings.add('OPERATOR_INVALID', seq, error.message);
      else if (kind === 'grants') this.#findings.add('GRANTS_INVALID', seq, error.message);
      else if (kind === 'policy')
        return; // The evidence says so.
      else this.#findings.add('AUTHORITY_INVALID', seq, error.message);
    }
  }

  finish(): void {
    for (const [session, seq] of this.#started)
      if (seq !== null) this.#note(session, seq, ['the command that `foil run` started']);
    for (const { seq, programs } of this.#ambient.values())
      this.#findings.add(
        'AMBIENT',
        seq,
        `it is unknown what these programs did by themselves: ${[...programs].join(', ')}`,
      );
    for (const [seq, state] of this.#refused)
      if (state === 'due')
        this.#findings.add(
          'DENIAL_UNTOLD',
          seq,
          `the call at entry ${seq} was refused, but no entry says so`,
        );
  }

  #accept({ seq, prev_hash: prevHash, payload }: Entry): void {
    const { grants, grantsHash, accepted } = parseGrantsRecord(payload);
    const { origin } = this.#identity;
    const isSigned =
      origin !== undefined &&
      ed25519Verify(
        operatorKey(accepted.by).publicKey,
        grantsMessage({ origin, seq, prevHash, grantsHash }),
        parseBase64(accepted.signature),
      );
    if (!isSigned || policyHashOf(encodeGrants(grants)) !== grantsHash) {
      const text = isSigned
        ? "they don't match the hash next to them"
        : 'no operator signed them for this place';
      this.#findings.add('GRANTS_INVALID', seq, text);
      return;
    }
    if (!this.#isOperators(this.standing(accepted.by), seq)) return;
    const { by } = accepted;
    if (isKnownOperator(this.#operators, by)) this.#candidates.clear();
    this.#isSettled ||= this.standing(by) === 'operator';
    if (this.#candidates.size < BOUNDS.grants || this.#candidates.has(by))
      this.#candidates.set(by, grantsHash);
    if (this.#accepted.size < BOUNDS.grants) this.#accepted.set(grantsHash, parseGrants(grants));
  }

  /** Whether the signature holds is asked with the evidence; here, whose it is. */
  #acceptPolicy({ seq, payload }: Entry): void {
    const { accepted } = parsePolicyRecord(payload);
    if (accepted !== null) this.#isOperators(this.standing(accepted.by), seq);
  }

  #change(entry: Entry): void {
    const { origin } = this.#identity;
    if (origin === undefined) return;
    const { operators, by } = operatorsAfter(this.#operators, entry, origin);
    if (by === 'unsigned')
      this.#findings.add('OPERATOR_INVALID', entry.seq, 'nobody signed it for this place');
    else if (this.#isOperators(by, entry.seq)) this.#operators = operators;
  }

  /** False where it counts for nothing. */
  #isOperators(by: Standing, seq: number): boolean {
    if (by === 'revoked')
      this.#findings.add('OPERATOR_REVOKED', seq, 'it was signed by an operator who had been revoked before');
    else if (by === 'unknown')
      this.#findings.add(
        'OPERATOR_UNKNOWN',
        seq,
        'it was signed by a key that is neither among your operators nor enrolled by one of them',
      );
    return by !== 'revoked';
  }

  #begin({ seq, session_id: session, payload, source }: Entry): void {
    const { capabilities = null, trigger } = payload;
    if (session === null) return;
    if (capabilities === null) {
      const isTaker = source.startsWith(FROM_HOOKS) || TAKES_GRANTS.get(source)?.includes(trigger) === true;
      if (this.#isSettled && isTaker)
        this.#findings.add(
          'GRANTS_PASSED_OVER',
          seq,
          'the session began without the grants that were in force',
        );
      return;
    }
    if (!isHash(capabilities) || ![...this.#candidates.values()].includes(capabilities))
      this.#findings.add('GRANTS_FOREIGN', seq, 'the session began with grants that were not in force');
    if (isHash(capabilities) && this.#sessions.size < BOUNDS.sessions)
      this.#sessions.set(session, capabilities);
  }

  #call(entry: Entry): void {
    const { seq, session_id: session, payload, source } = entry;
    const granted = session === null ? undefined : this.#sessions.get(session);
    const authority = parseCallAuthority(payload);
    const isHooks = source.startsWith(FROM_HOOKS);
    if (session !== null && granted !== undefined && this.#isStart(entry, session)) return;
    if (session !== null && isHooks && this.#started.has(session)) this.#started.set(session, null);
    if (session === null || granted === undefined) {
      this.#unjudged++;
      return;
    }
    if (authority === null || authority.grants !== granted) {
      this.#findings.add('CALL_UNJUDGED', seq, "nothing says which of its session's grants the call needs");
      return;
    }
    this.#judged++;
    this.#judge(authority, seq, session);
  }

  /** The command of `foil run` itself: a person's and not the agent's, so no grant speaks of it. There is one. */
  #isStart({ seq, source, payload }: Entry, session: string): boolean {
    const isFirst = source === RUN && payload.tool === RUN && !this.#started.has(session);
    if (isFirst && this.#started.size < BOUNDS.sessions) this.#started.set(session, seq);
    return isFirst;
  }

  #judge(authority: CallAuthority, seq: number, session: string): void {
    const { verdict, missing, ambient, unread, more } = authority;
    const refused = this.#lacking(authority);
    const [first] = refused ?? missing;
    if (verdict === 'allow' && refused !== null && first !== undefined)
      this.#findings.add(
        'CALL_NOT_GRANTED',
        seq,
        `the call needed ${first}, which was not granted, but it was let through`,
      );
    else if (verdict === 'would-deny')
      this.#findings.add(
        'CALL_NOT_GRANTED',
        seq,
        `the call needed ${first ?? 'more than it had'}, which was not granted`,
      );
    else if (verdict === 'deny') {
      this.#denied++;
      if (this.#refused.size < BOUNDS.calls) this.#refused.set(seq, 'due');
    } else if (refused === null || more > 0)
      this.#findings.add('CALL_UNJUDGED', seq, "the record doesn't have everything that the call needs");
    if (verdict === 'allow')
      this.#note(session, seq, unread === null ? ambient : [`it may run anything, because ${unread}`]);
  }

  #note(session: string, seq: number, programs: readonly string[]): void {
    if (programs.length === 0) return;
    const known = this.#ambient.get(session) ?? { seq, programs: new Set() };
    if (known.programs.size < BOUNDS.programs) for (const each of programs) known.programs.add(each);
    this.#ambient.set(session, known);
  }

  /** Null where it can't be told. */
  #lacking({ grants, root, needs }: CallAuthority): string[] | null {
    const known = this.#accepted.get(grants);
    if (known === undefined) return null;
    const key = `${grants} ${root}`;
    if (this.#decided?.key !== key)
      this.#decided = { key, grants: new Grants(known.allow, known.deny, root) };
    const decide = this.#decided.grants;
    const parsed = needs.map((text) => ({ text, need: parseNeed(text) }));
    if (parsed.some(({ need }) => need === null)) return null;
    return parsed.flatMap(({ text, need }) => (need !== null && !decide.decide(need).allowed ? [text] : []));
  }
}
