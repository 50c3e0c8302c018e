// Sessions in a store, as recorders write them, without any recorder: what the git repository follows from.
import { sha256Hex } from '#platform';
import type { JsonObject } from '../../../src/core/index.ts';
import {
  type BlockFact,
  encodeInteraction,
  encodeSessionCut,
  encodeSessionEnd,
} from '../../../src/format/index.ts';
import { encodeBlock, type NewEntry, type Store } from '../../../src/ledger/index.ts';
import {
  advance,
  beginEntries,
  bindBlock,
  type Chain,
  closingOf,
  newChain,
} from '../../../src/session/index.ts';

export const FIRST = Date.parse('2026-11-15T10:00:00.000Z');

/** Nothing about it is true but its height. */
export function blockAt(height: number): BlockFact {
  return { height, hash: sha256Hex(`block ${height}`), time: 1_763_200_000, header: '00'.repeat(80) };
}

export const START = {
  agent: 'test',
  agentSession: null,
  workspaceRoot: null,
  trigger: 'test',
  resumes: null,
  pack: null,
  interaction: 'sdk',
  interactionKind: 'response' as const,
  mode: 'observe',
  content: 'none',
  hashes: 'plain',
  redaction: 'test',
  configHash: null,
  transcript: null,
  hostProcess: null,
};
const COUNTS = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };

export class Sessions {
  readonly store: Store;
  readonly #chains = new Map<string, Chain>();
  #branches: Uint8Array | undefined;
  #time: number;

  constructor(store: Store, first = FIRST) {
    this.store = store;
    this.#time = first;
  }

  /** Begins one at the block of that height, or at none; gives its id. */
  async begin(height: number | null): Promise<string> {
    let session = '';
    await this.store.append((head) => {
      const bound = { authKey: null, ...bindBlock(height === null ? null : blockAt(height), true) };
      const begun = beginEntries(head, {
        source: 'sdk',
        start: START,
        bound,
        shared: this.#branches,
        finish: (payload) => payload,
      });
      session = begun.session;
      this.#branches = begun.states.shared;
      return encodeBlock(begun.drafts, head, this.#tick());
    });
    this.#chains.set(session, newChain(session));
    return session;
  }

  async interact(
    session: string,
    prompt: string | null = 'p',
    response: string | null = 'r',
  ): Promise<number> {
    const chain = this.#chains.get(session) ?? newChain(session);
    const [promptHash, responseHash] = [prompt, response].map((text) =>
      text === null ? null : sha256Hex(text),
    );
    const next = advance(chain, promptHash ?? null, responseHash ?? null);
    this.#chains.set(session, next.chain);
    if (promptHash !== null)
      await this.write('prompt', session, {
        prompt_hash: promptHash ?? null,
        sequence: next.interaction.sequence,
      });
    await this.write('response', session, {
      response_hash: responseHash ?? null,
      ...encodeInteraction(next.interaction),
    });
    return next.interaction.sequence;
  }

  async end(session: string, height: number | null = null): Promise<string> {
    const chain = this.#chains.get(session) ?? newChain(session);
    const closing = closingOf(chain, height === null ? null : blockAt(height));
    await this.write(
      'session.end',
      session,
      encodeSessionEnd({ reason: 'done', exitCode: null, counts: COUNTS }, closing),
    );
    return closing.finalHash;
  }

  async cut(session: string): Promise<void> {
    const payload = encodeSessionCut({
      reason: 'process-gone',
      hostProcess: { pid: 1, started: null, boot: null },
      interactions: 0,
      chainHash: null,
    });
    await this.write('session.cut', session, payload);
  }

  async write(kind: string, session: string | null, payload: JsonObject): Promise<void> {
    const draft: NewEntry = { kind, source: 'sdk', session_id: session, payload };
    await this.store.append((head) => encodeBlock([draft], head, this.#tick()));
  }

  #tick(): number {
    this.#time += 1500;
    return this.#time;
  }
}
