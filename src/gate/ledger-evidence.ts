// One session as the ledger has it: the evidence, and what was asked, claimed, validated and judged, entry by entry. Reads
// what stands there, unverified: `foil verify` is what says whether it may be believed. Entries that can't be understood
// are counted, not hidden.
import {
  type Entry,
  type Gate,
  parseClaim,
  parseContract,
  parseEntry,
  parseGate,
  parseValidation,
  type RecordedClaim,
  type RecordedContract,
  type SignedValidation,
} from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { SessionEvidence } from '../rules/index.ts';

export interface Placed<T> {
  readonly entry: Entry;
  readonly value: T;
}

export class SessionRecord {
  readonly session: string;
  readonly evidence = new SessionEvidence();
  readonly contracts = new Map<number, Placed<RecordedContract>>();
  readonly claims = new Map<number, Placed<RecordedClaim>>();
  readonly validations = new Map<number, Placed<SignedValidation>>();
  /** What the newest gate says was not the host's. */
  forged: readonly number[] = [];
  readonly gates = new Map<number, Placed<Gate>>();
  readonly prompts = new Map<number, Entry>();
  readonly responses = new Map<number, Entry>();
  readonly calls = new Map<number, Entry>();
  readonly results = new Map<number, Entry>();
  start: Entry | null = null;
  /** Of the newest prompt; null where it asks for nothing. */
  contract: Placed<RecordedContract> | null = null;
  malformed = 0;

  constructor(session: string) {
    this.session = session;
  }

  /** In the order of the ledger. */
  add(entry: Entry): void {
    if (entry.session_id !== this.session) return;
    try {
      this.#take(entry);
    } catch {
      this.malformed++;
    }
  }

  get prompt(): Entry | null {
    return [...this.prompts.values()].at(-1) ?? null;
  }

  /** The gate that judged a claim. */
  gateOf(claim: number): Placed<Gate> | undefined {
    for (const gate of this.gates.values())
      if (gate.value.claims.some((each) => each.claim === claim)) return gate;
    return undefined;
  }

  /** The contract of the prompt that an entry serves. */
  contractAt(seq: number): Placed<RecordedContract> | null {
    const prompt = [...this.prompts.keys()].findLast((each) => each < seq) ?? 0;
    return (
      [...this.contracts.values()].findLast(({ entry }) => entry.seq < seq && entry.seq > prompt) ?? null
    );
  }

  /** The newest contract before an entry, of whichever prompt. */
  contractBefore(seq: number): Placed<RecordedContract> | null {
    return [...this.contracts.values()].findLast(({ entry }) => entry.seq < seq) ?? null;
  }

  #take(entry: Entry): void {
    const { seq, kind, payload } = entry;
    switch (kind) {
      case 'session.start':
        this.start ??= entry;
        return;
      case 'prompt':
        this.prompts.set(seq, entry);
        this.contract = null;
        return;
      case 'response':
      case 'agent.end':
        this.responses.set(seq, entry);
        return;
      case 'tool.call':
        this.calls.set(seq, entry);
        if (Object.hasOwn(payload, 'tree')) this.evidence.add(entry);
        return;
      case 'tool.result':
        this.results.set(seq, entry);
        // Recorders that know no gate may write what they like: it is no evidence.
        if (Object.hasOwn(payload, 'tree')) this.evidence.add(entry);
        return;
      case 'contract':
        this.contract = { entry, value: parseContract(payload) };
        this.contracts.set(seq, this.contract);
        return;
      case 'claim':
        this.claims.set(seq, { entry, value: parseClaim(payload) });
        return;
      case 'validation':
        this.validations.set(seq, { entry, value: parseValidation(payload) });
        return;
      case 'gate': {
        const value = parseGate(payload);
        this.forged = value.forged;
        this.gates.set(seq, { entry, value });
      }
    }
  }
}

/** The session of that id, up to and with entry `to`. */
export async function readSessionRecord(
  store: LogReader,
  session: string,
  to?: number,
): Promise<SessionRecord> {
  const record = new SessionRecord(session);
  const last = to ?? (await store.head()).seq;
  if (last < 1) return record;
  const needle = `"session_id":"${session}"`;
  for await (const piece of store.read(1, last)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    for (let at = bytes.indexOf(needle); at >= 0; ) {
      const start = bytes.lastIndexOf(0x0a, at) + 1;
      const end = bytes.indexOf(0x0a, at);
      try {
        record.add(parseEntry(bytes.subarray(start, end)));
      } catch {
        record.malformed++;
      }
      at = bytes.indexOf(needle, end);
    }
  }
  return record;
}
