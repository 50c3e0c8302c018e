// Do the events of each run follow from one another? Held against spec/run.md from the entries alone: the states themselves
// are rebuilt by nobody here, so the best that is said of a run is unknown, until it is replayed. A payload that is content
// is compared by who replays.

import { utf8Encode } from '#platform';
import { type Blake3, canonicalize, derivedKey, ParseError, plainBlake3 } from '../core/index.ts';
import {
  type Entry,
  parseRunEvent,
  parseRunPayload,
  parseSalt,
  RUN_EVENT,
  RUN_KEY,
  type RunEvent,
  type RunPayload,
  saltPath,
} from '../format/index.ts';
import type { PatchEffect } from '../policy/index.ts';
import { RunJudge } from '../rules/index.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';

export const RUN_KINDS = [RUN_EVENT, 'session.start'];

const MOST_RUNS = 65_536;

const SALT_BYTES = 65;

interface Judged {
  readonly judge: RunJudge;
  readonly seq: number;
  /** Undefined until the run says how it hashes, null where the key is not here. */
  hash: Blake3 | null | undefined;
  unread: number;
}

export class RunCheck {
  readonly #files: Files;
  readonly #findings: Findings;
  readonly #runs = new Map<string, Judged>();
  /** What sessions began with, until their first event. */
  readonly #granted = new Map<string, unknown>();
  #events = 0;
  #more = 0;

  constructor(files: Files, findings: Findings) {
    this.#files = files;
    this.#findings = findings;
  }

  get counts(): { readonly runs: number; readonly runEvents: number } {
    return { runs: this.#runs.size, runEvents: this.#events };
  }

  async entry(entry: Entry): Promise<void> {
    const { kind, seq, session_id: session, payload } = entry;
    if (kind === 'session.start' && session !== null && this.#granted.size < MOST_RUNS)
      this.#granted.set(session, payload.capabilities ?? null);
    if (kind !== RUN_EVENT) return;
    this.#events++;
    try {
      const event = parseRunEvent(payload);
      if (event.run !== session) throw new ParseError('BAD_MEMBER', 'of another run', 'payload.id');
      const run = this.#run(event.run, seq);
      if (run !== undefined) await this.#judge(run, event, seq);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('RUN_MALFORMED', seq, error.message);
    }
  }

  /** A patch that counts is applied to a run, or undone. A run without events has no state that could be patched. */
  patched(effect: PatchEffect, seq: number): void {
    const run = this.#run(effect.id.run, seq);
    for (const { code, message } of run?.judge.patch(effect) ?? []) this.#findings.add(code, seq, message);
  }

  finish(): void {
    for (const { judge, seq, unread } of this.#runs.values()) {
      const name = judge.run.slice(0, 16);
      if (unread > 0)
        this.#findings.add(
          'RUN_PAYLOAD_UNKNOWN',
          seq,
          `${unread} payloads of run ${name} can't be held against their hashes here`,
        );
      const open = judge.isClosed ? '' : ', which has no end yet,';
      this.#findings.add(
        'RUN_NOT_REPLAYED',
        seq,
        `run ${name}${open} was not replayed. Try \`foil replay ${name} --verify\``,
      );
    }
    if (this.#more > 0)
      this.#findings.add(
        'RUN_NOT_REPLAYED',
        null,
        `${this.#more} events are of more runs than are looked at`,
      );
  }

  #run(id: string, seq: number): Judged | undefined {
    const known = this.#runs.get(id);
    if (known !== undefined) return known;
    if (this.#runs.size >= MOST_RUNS) {
      this.#more++;
      return undefined;
    }
    const run: Judged = { judge: new RunJudge(id), seq, hash: undefined, unread: 0 };
    this.#runs.set(id, run);
    return run;
  }

  async #judge(run: Judged, event: RunEvent, seq: number): Promise<void> {
    let payload: RunPayload | null = null;
    try {
      payload = event.payload === null ? null : parseRunPayload(event.kind, event.payload);
    } finally {
      // Its place counts, whatever stands in it.
      for (const { code, message } of run.judge.event(event, payload, seq))
        this.#findings.add(code, seq, message);
    }
    if (payload?.kind === 'AgentInit') {
      const granted = this.#granted.get(event.run);
      if (granted !== undefined && granted !== payload.init.capabilitiesHash)
        this.#findings.add(
          'RUN_CAPABILITIES',
          seq,
          'the run began with other capabilities than its session was granted',
        );
      this.#granted.delete(event.run);
      run.hash ??= payload.init.hashes === 'blake3' ? plainBlake3() : await this.#keyed(event.run);
    }
    if (event.payload === null || run.hash === null || run.hash === undefined) run.unread++;
    else if (run.hash(utf8Encode(canonicalize(event.payload))) !== event.payloadHash)
      this.#findings.add(
        'RUN_PAYLOAD_HASH',
        seq,
        `the payload of event ${event.sequence} is not the one that its hash is of`,
      );
  }

  /** Null where the salt is not here, or is none. */
  async #keyed(session: string): Promise<Blake3 | null> {
    const bytes = await this.#files.read(saltPath(session), 0, SALT_BYTES + 1);
    if (bytes === undefined) return null;
    try {
      const salt = parseSalt(bytes);
      return salt.every((byte) => byte === 0) ? null : plainBlake3(derivedKey(salt, RUN_KEY));
    } catch {
      return null;
    }
  }
}
