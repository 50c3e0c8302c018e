// Entries of sessions, as recorders write them, for what reads them: each at its place in a chain of its own.
import { chainHashOf, finalHashOf, type JsonObject, sessionIdOf } from '../../src/core/index.ts';
import {
  type BlockFact,
  branchOf,
  type Entry,
  encodeBlockFact,
  encodeEntry,
  encodeInteraction,
  encodeSessionEnd,
  encodeSessionStart,
  GENESIS,
  type InteractionKind,
  parseEntry,
} from '../../src/format/index.ts';

export const KEY = '1a'.repeat(32);

/** Not a real one: its hash is made up. */
export function block(height: number): BlockFact {
  return {
    height,
    hash: height.toString(16).padStart(64, '0'),
    time: 1_767_000_000,
    header: '00'.repeat(80),
  };
}

export interface StartOptions {
  readonly authKey?: string | null;
  readonly block?: BlockFact | null;
  readonly branch?: string | null;
  readonly source?: string;
  readonly interactionKind?: InteractionKind;
  readonly hashes?: string;
  readonly more?: JsonObject;
}

/** A log that grows as it is told to. */
export class Entries {
  readonly all: Entry[] = [];
  #second = 0;

  add(kind: string, payload: JsonObject, more: Partial<Entry> = {}): Entry {
    const ts = new Date(Date.UTC(2026, 0, 2, 4, 0, this.#second++)).toISOString();
    const draft = { kind, payload, source: 'sdk', ts, session_id: null, cause: null, ...more };
    const { line } = encodeEntry(draft, this.all.length + 1, this.all.at(-1)?.entry_hash ?? GENESIS);
    const entry = parseEntry(Buffer.from(line));
    this.all.push(entry);
    return entry;
  }

  session(options: StartOptions = {}): SessionEntries {
    return new SessionEntries(this, options);
  }
}

export class SessionEntries {
  readonly id: string;
  readonly #to: Entries;
  readonly #source: string;
  readonly #kind: InteractionKind;
  sequence = 0;
  chain: string;

  constructor(to: Entries, options: StartOptions) {
    const { authKey = null, block: at = null, source = 'sdk', interactionKind = 'response' } = options;
    this.#to = to;
    this.#source = source;
    this.#kind = interactionKind;
    this.id = sessionIdOf({
      authKey,
      blockHash: at?.hash ?? null,
      prevHash: to.all.at(-1)?.entry_hash ?? GENESIS,
    });
    this.chain = this.id;
    const branch =
      options.branch === undefined && at !== null ? branchOf(at.height) : (options.branch ?? null);
    const start = encodeSessionStart(
      {
        agent: 'program',
        agentSession: null,
        workspaceRoot: '/work',
        trigger: 'program',
        resumes: null,
        pack: null,
        interaction: source,
        interactionKind,
        mode: 'guard',
        content: 'keep',
        hashes: options.hashes ?? 'salted',
        redaction: 'x',
        configHash: null,
        transcript: null,
        hostProcess: null,
      },
      { authKey, block: at, branch },
    );
    this.entry('session.start', { ...start, ...options.more });
  }

  entry(kind: string, payload: JsonObject, more: Partial<Entry> = {}): Entry {
    return this.#to.add(kind, payload, { session_id: this.id, source: this.#source, ...more });
  }

  prompt(hash: string, more: JsonObject = {}): Entry {
    return this.entry('prompt', { prompt_hash: hash, sequence: this.sequence + 1, text: null, ...more });
  }

  /** Completes an interaction. */
  response(promptHash: string | null, responseHash: string | null, more: JsonObject = {}): Entry {
    this.sequence++;
    this.chain = chainHashOf(this.chain, promptHash, responseHash);
    const interaction = { sequence: this.sequence, promptHash, chainHash: this.chain };
    return this.entry(this.#kind, {
      response_hash: responseHash,
      model: 'opus',
      text: null,
      ...encodeInteraction(interaction),
      ...more,
    });
  }

  end(at: BlockFact | null = null, more: JsonObject = {}): Entry {
    const chainHash = this.sequence === 0 ? null : this.chain;
    const counts = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };
    const closing = {
      block: at,
      interactions: this.sequence,
      chainHash,
      finalHash: finalHashOf(this.id, at?.hash ?? null, chainHash),
    };
    const end = encodeSessionEnd({ reason: 'end', exitCode: null, counts }, closing);
    return this.entry('session.end', { ...end, ...more });
  }

  anchor(at: BlockFact): Entry {
    return this.entry('anchor.block', encodeBlockFact(at));
  }
}
