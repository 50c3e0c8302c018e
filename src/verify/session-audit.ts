// One session, with every hash in it made again: its id, its branch, the chain of its interactions, the final hash, its
// blocks' hashes from their headers, and what was said from the content that is kept. What is not kept, was erased or can't
// be opened here is counted as such, never as verified. Whether the ledger around it is intact is for its verifier.
import {
  type ContentAlgorithm,
  contentCommitment,
  headerHash,
  type JsonObject,
  ParseError,
  parseHex,
} from '../core/index.ts';
import {
  type BlockFact,
  type Closing,
  type ContentRef,
  type Entry,
  parseBlockFact,
  parseBranchCreate,
  parseBranchSwitch,
  parseContentRef,
  parseErase,
  parseInteraction,
  parseSessionCut,
  parseSessionEnd,
  parseSessionStart,
  type RecordedStart,
} from '../format/index.ts';
import { BlockJudge, type Network } from './block-judge.ts';
import { CODES, type Code, type Level } from './codes.ts';
import { MAX_FINDINGS, shortened } from './findings.ts';
import { SessionChain, type SessionCode, type SessionProblem } from './session-chain.ts';

/** `sealed`: it is there and can't be opened here. */
export type AuditedContent = Uint8Array | 'absent' | 'sealed';

export interface AuditPorts {
  /** What the session's hashes are keyed by; undefined where it is gone. */
  readonly salt: Uint8Array | undefined;
  /** Content as it was hashed, or why it can't be had. Never rejects. */
  readonly content: (ref: ContentRef) => Promise<AuditedContent>;
  /** The main chain unless given. */
  readonly network?: Network;
}

/** As the verifier's; CONTENT_MISMATCH is of a hash that the content which is kept does not have. */
type AuditCode =
  | SessionCode
  | Extract<
      Code,
      'CONTENT_MISMATCH' | 'BLOCK_INVALID' | 'BLOCK_REGTEST' | 'BLOCK_UNSURE' | 'SESSION_MALFORMED'
    >;

export interface AuditFinding {
  readonly code: AuditCode;
  readonly level: Level;
  readonly seq: number;
  readonly message: string;
}

/** An interaction, as its entry tells of it. */
export interface Turn {
  readonly sequence: number;
  /** Of the entry that completes it. */
  readonly seq: number;
  readonly time: string;
  readonly promptHash: string | null;
  readonly responseHash: string | null;
  readonly chainHash: string;
  readonly model: string | null;
  /** Git has no commit of it: it is behind the session's end, or the session began before sessions were bound. */
  readonly isApart: boolean;
}

/** More than people have; what is past it is counted. */
const MOST_TURNS = 100_000;

export interface SessionAudit {
  readonly session: string;
  readonly state: 'open' | 'ended' | 'cut';
  readonly startBlock: BlockFact | null;
  /** Told of after a start without one. */
  readonly lateBlock: BlockFact | null;
  /** What its end seals, the first of several; null where it has none, or one of before ends did. */
  readonly closing: Closing | null;
  /** That it names a key; whether that is good is for who has the keys. */
  readonly authKey: string | null;
  readonly branch: string | null;
  readonly interactions: number;
  /** Each of them, as far as they are listed. */
  readonly turns: readonly Turn[];
  readonly hashes: {
    readonly verified: number;
    readonly wrong: number;
    /** Content that was never kept, that is gone with a tombstone, that can't be opened here. */
    readonly notKept: number;
    readonly erased: number;
    readonly sealed: number;
    /** Chain hashes whose one before is not known. */
    readonly unfounded: number;
  };
  /** BROKEN where something is not what it must be; what can't be told does not break it. */
  readonly chain: 'VALID' | 'BROKEN';
  readonly findings: readonly AuditFinding[];
}

/** `entries` are those of the session, and the ledger's tombstones, in order. Never throws for what is in them. */
export async function auditSession(
  session: string,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  ports: AuditPorts,
): Promise<SessionAudit> {
  const audit = new Audit(session, ports);
  for await (const entry of entries) await audit.entry(entry);
  return audit.done();
}

type Tally = { -readonly [name in keyof SessionAudit['hashes']]: number };

class Audit {
  readonly #ports: AuditPorts;
  readonly #chain: SessionChain;
  readonly #judgeBlock: BlockJudge;
  readonly #findings: AuditFinding[] = [];
  readonly #tally: Tally = { verified: 0, wrong: 0, notKept: 0, erased: 0, sealed: 0, unfounded: 0 };
  #state: SessionAudit['state'] = 'open';
  #start: RecordedStart | null = null;
  #lateBlock: BlockFact | null = null;
  #closing: Closing | null = null;
  #interactions = 0;
  readonly #turns: Turn[] = [];
  #isBroken = false;
  /** SHA-256 of the bytes themselves, as with `hashes: plain`. */
  #isPlain = false;
  /** By which a hash of content may have been made: a session that an older recorder began has both. */
  #algorithms: readonly ContentAlgorithm[] = ['keyed-sha256', 'hmac-sha256'];
  /** Salted content that is not here, before a tombstone. */
  #absent = 0;

  constructor(session: string, ports: AuditPorts) {
    this.#ports = ports;
    this.#judgeBlock = new BlockJudge(ports.network ?? 'main');
    this.#chain = new SessionChain(session);
  }

  async entry(entry: Entry): Promise<void> {
    try {
      await this.#read(entry);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#add('SESSION_MALFORMED', entry.seq, `entry ${entry.seq} is malformed: ${error.message}`);
    }
  }

  done(): SessionAudit {
    const { authKey = null, branch = null, block = null } = this.#start ?? {};
    return {
      session: this.#chain.session,
      state: this.#state,
      startBlock: block,
      lateBlock: this.#lateBlock,
      closing: this.#closing,
      authKey,
      branch,
      interactions: this.#interactions,
      turns: this.#turns,
      hashes: { ...this.#tally, notKept: this.#tally.notKept + this.#absent },
      chain: this.#isBroken ? 'BROKEN' : 'VALID',
      findings: this.#findings,
    };
  }

  async #read(entry: Entry): Promise<void> {
    const { kind, payload, seq } = entry;
    if (kind === 'erase') this.#erased(payload);
    else if (kind === 'session.start') this.#begins(entry);
    else if (kind === 'session.end') this.#ends(payload, seq);
    else if (kind === 'session.cut') {
      this.#state = 'cut';
      const { interactions, chainHash } = parseSessionCut(payload);
      this.#judge(seq, this.#chain.end({ blockHash: null, interactions, chainHash, finalHash: null }));
    } else if (kind === 'anchor.block') {
      const block = parseBlockFact(payload);
      this.#lateBlock ??= block;
      this.#header(block, seq);
    } else if (kind === 'branch.create') this.#branch(parseBranchCreate(payload), seq);
    else if (kind === 'branch.switch') this.#branch(parseBranchSwitch(payload).to, seq);
    else if (kind === 'prompt') {
      const { sequence = null } = payload;
      if (typeof sequence === 'number') this.#judge(seq, this.#chain.prompt(sequence));
      await this.#said(payload.prompt_hash, payload.text, seq);
    } else if (kind === 'response' || kind === 'model.result') {
      await this.#said(payload.response_hash, kind === 'response' ? payload.text : payload.response, seq);
      this.#interacts(entry);
    } else if (kind === 'model.call') await this.#asked(payload, seq);
  }

  #begins({ payload, prev_hash: prevHash, seq }: Entry): void {
    this.#isPlain = payload.hashes === 'plain';
    if (this.#isPlain) this.#algorithms = ['sha256'];
    if (!Object.hasOwn(payload, 'auth_key')) {
      this.#chain.startUnbound();
      return;
    }
    const start = parseSessionStart(payload);
    const { authKey, block, branch } = start;
    this.#start ??= start;
    const blockHash = block?.hash ?? null;
    const facts = { authKey, blockHash, height: block?.height ?? null, branch, prevHash };
    const problems = this.#chain.start(facts);
    this.#judge(seq, problems, branch === null ? 1 : 2);
    if (block !== null) this.#header(block, seq);
  }

  #ends(payload: JsonObject, seq: number): void {
    this.#state = 'ended';
    const closing = parseSessionEnd(payload);
    if (closing === null) return;
    const { block, interactions, chainHash, finalHash } = closing;
    this.#closing ??= closing;
    const facts = { blockHash: block?.hash ?? null, interactions, chainHash, finalHash };
    this.#judge(seq, this.#chain.end(facts), 1);
    if (block !== null) this.#header(block, seq);
  }

  #interacts({ payload, seq, ts: time }: Entry): void {
    const interaction = parseInteraction(payload);
    if (interaction === null) return;
    this.#interactions++;
    if (this.#turns.length < MOST_TURNS) {
      const isApart = this.#state !== 'open' || this.#start === null;
      this.#turns.push({ ...interaction, seq, time, isApart });
    }
    const before = this.#chain.unfounded;
    const problems = this.#chain.interaction(interaction);
    const isFounded = this.#chain.unfounded === before;
    if (!isFounded) this.#tally.unfounded++;
    this.#judge(seq, problems, isFounded ? 1 : 0);
  }

  #branch(branch: string, seq: number): void {
    if (this.#chain.branch === undefined || branch === this.#chain.branch) return;
    const message = `names ${branch}, but its session began on ${this.#chain.branch ?? 'no branch'}`;
    this.#judge(seq, [{ code: 'BRANCH_WRONG', message }]);
  }

  /** The last of the messages: what the model was asked. */
  async #asked(payload: JsonObject, seq: number): Promise<void> {
    if (this.#start?.interactionKind !== 'model.result') return;
    const { prompt_hash: hash, messages } = payload;
    const added = members(messages)?.added;
    const last = members(Array.isArray(added) ? added.at(-1) : undefined);
    // One that is among those of an earlier call, or in a list of its own, is not looked for.
    await this.#said(hash, last?.hash === hash ? last?.content : null, seq);
  }

  /** A hash of content, against that content. */
  async #said(hash: unknown, kept: unknown, seq: number): Promise<void> {
    if (typeof hash !== 'string') return;
    const reference = members(kept);
    if (reference === undefined) {
      this.#tally.notKept++;
      return;
    }
    const { salt, content } = this.#ports;
    const ref = parseContentRef(reference, 'payload');
    const found = await content(ref);
    if (found === 'sealed') this.#tally.sealed++;
    else if (found === 'absent' || (salt === undefined && !this.#isPlain)) {
      // Plain content is never erased.
      if (ref.algorithm === 'sha256') this.#tally.notKept++;
      else this.#absent++;
    } else if (
      this.#algorithms.some((algorithm) => contentCommitment(algorithm, salt ?? null, found) === hash)
    )
      this.#tally.verified++;
    else {
      this.#tally.wrong++;
      const message = `entry ${seq} has a hash that doesn't match the stored content`;
      this.#add('CONTENT_MISMATCH', seq, message);
    }
  }

  /** What is missing by now is missing for a reason. */
  #erased(payload: JsonObject): void {
    const { sessions } = parseErase(payload);
    if (!sessions.some(({ session }) => session === this.#chain.session)) return;
    this.#tally.erased += this.#absent;
    this.#absent = 0;
  }

  /** What a header that is no block of the chain is worth is said of each session that names one. */
  #header(block: BlockFact, seq: number): void {
    const { height, hash, header } = block;
    if (headerHash(parseHex(header)) === hash) {
      this.#tally.verified++;
      const { status, reason } = this.#judgeBlock.judge(block);
      if (status === 'regtest')
        this.#add(
          'BLOCK_REGTEST',
          seq,
          `block ${height} is from a test network (regtest), so it proves nothing about time`,
        );
      else if (status === 'unknown')
        this.#add(
          'BLOCK_UNSURE',
          seq,
          `it is unknown whether block ${height} is in the main chain: ${reason}`,
        );
      return;
    }
    this.#tally.wrong++;
    this.#add('BLOCK_INVALID', seq, `entry ${seq} names a block whose header has a different hash`);
  }

  /** `hashes` were made again, and these are the problems with them. */
  #judge(seq: number, problems: readonly SessionProblem[], hashes = 0): void {
    const wrong = problems.filter(({ code }) => HASHES.includes(code)).length;
    this.#tally.wrong += Math.min(wrong, hashes);
    this.#tally.verified += Math.max(0, hashes - wrong);
    for (const { code, message } of problems) this.#add(code, seq, `entry ${seq} ${message}`);
  }

  #add(code: AuditCode, seq: number, message: string): void {
    const { level } = CODES[code];
    this.#isBroken ||= level === 'fail';
    if (this.#findings.length < MAX_FINDINGS)
      this.#findings.push({ code, level, seq, message: shortened(message) });
  }
}

/** Those that tell of a hash, or of what follows from one. */
const HASHES: readonly SessionCode[] = [
  'SESSION_ID_WRONG',
  'BRANCH_WRONG',
  'INTERACTION_CHAIN_BROKEN',
  'FINAL_HASH_WRONG',
];

function members(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}
