// Do the events of each run follow from one another? Held against spec/run.md from the entries alone: the states themselves
// are rebuilt by nobody here, so the best that is said of a run is unknown, until a replay of all of it is on record. A payload
// that is content is compared where whoever asks has it.

import {
  type Blake3,
  canonicalize,
  derivedKey,
  type JsonObject,
  ParseError,
  plainBlake3,
} from '../core/index.ts';
import {
  type AgentInit,
  type Entry,
  isWordOf,
  parseRunEvent,
  parseRunPayload,
  parseRunReplay,
  parseSalt,
  RUN_EVENT,
  RUN_KEY,
  RUN_REPLAY,
  type RunEvent,
  type RunPayload,
  type RunReplay,
  saltPath,
} from '../format/index.ts';
import type { PatchEffect } from '../policy/index.ts';
import { type RunFlaw, RunJudge } from '../rules/index.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';

export const RUN_KINDS = [RUN_EVENT, RUN_REPLAY, 'session.start'];

const MOST_RUNS = 65_536;

const SALT_BYTES = 65;
/** So many tools are named in a finding. */
const MOST_NAMED = 8;

/** What is known of an event besides its entry. */
export interface RunEvidence {
  /** Of the hashes of the run that begins here; null where it is not here. */
  readonly key?: Uint8Array | null;
  /** The payload where it is content; null where it is not here. */
  readonly payload?: JsonObject | null;
}

/** An event as it was judged. */
export interface SeenEvent {
  readonly seq: number;
  readonly event: RunEvent;
  /** Null where it is not here, or malformed. */
  readonly payload: RunPayload | null;
  /** As it was written. */
  readonly raw: JsonObject | null;
  readonly hash: 'valid' | 'wrong' | 'unknown';
  readonly flaws: readonly RunFlaw[];
}

interface Judged {
  readonly judge: RunJudge;
  readonly seq: number;
  /** Undefined until the run says how it hashes, null where the key is not here. */
  hash: Blake3 | null | undefined;
  /** The code that it began with. */
  code: string | null;
  unread: number;
  /** A replay on record rebuilt all that stands before it, and nothing stands behind it. */
  isReplayed: boolean;
  /** What the newest replay came to that diverged, unless one rebuilt the whole run since. */
  diverged: string | null;
  /** Tools that replays found impure, by their names. */
  readonly impure: Map<string, ImpureTool>;
}

/** A tool that is said to be pure and gave another output, by the entry of the replay that found it first. */
export interface ImpureTool {
  readonly tool: string;
  readonly replay: string;
  readonly seq: number;
}

/** Calls of tools by runs: those that were held against grants, refused ones among them, and those that can't be read. */
interface RunCalls {
  judged: number;
  denied: number;
  unread: number;
}

export class RunCheck {
  readonly #findings: Findings;
  readonly #seen: (event: SeenEvent) => void;
  readonly #runs = new Map<string, Judged>();
  /** What sessions began with, until their first event. */
  readonly #begun = new Map<string, { readonly granted: unknown; readonly root: unknown }>();
  readonly #calls: RunCalls = { judged: 0, denied: 0, unread: 0 };
  #events = 0;
  #more = 0;

  /** `seen` is told of every event that is one. */
  constructor(findings: Findings, seen: (event: SeenEvent) => void = () => undefined) {
    this.#findings = findings;
    this.#seen = seen;
  }

  get counts(): { readonly runs: number; readonly runEvents: number } {
    return { runs: this.#runs.size, runEvents: this.#events };
  }

  get calls(): Readonly<RunCalls> {
    return this.#calls;
  }

  /** Whether the key of a run's hashes is to be given with this entry. */
  wantsKey({ kind, session_id: session, payload }: Entry): boolean {
    return (
      kind === RUN_EVENT &&
      payload.kind === 'AgentInit' &&
      session !== null &&
      this.#runs.get(session)?.hash === undefined
    );
  }

  entry({ kind, seq, session_id: session, payload }: Entry, evidence: RunEvidence = {}): void {
    if (kind === 'session.start' && session !== null && this.#begun.size < MOST_RUNS)
      this.#begun.set(session, { granted: payload.capabilities ?? null, root: payload.workspace_root });
    if (kind === RUN_REPLAY && session === null) this.#replayed(payload, seq);
    if (kind !== RUN_EVENT) return;
    this.#events++;
    try {
      const event = parseRunEvent(payload);
      if (event.run !== session) throw new ParseError('BAD_MEMBER', 'of another run', 'payload.id');
      const run = this.#run(event.run, seq);
      if (run !== undefined) this.#judge(run, event, seq, evidence);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('RUN_MALFORMED', seq, error.message);
    }
  }

  /** A patch that counts is applied to a run, or undone. A run without events has no state that could be patched. */
  patched(effect: PatchEffect, seq: number): void {
    const run = this.#run(effect.id.run, seq);
    if (run !== undefined) run.isReplayed = false;
    for (const { code, message } of run?.judge.patch(effect) ?? []) this.#findings.add(code, seq, message);
  }

  /** A later replay overrules an earlier one. */
  #replayed(payload: JsonObject, seq: number): void {
    const replay = replayIn(payload);
    const run = replay === null ? undefined : this.#runs.get(replay.run);
    if (replay === null || run === undefined) return;
    if (replay.outcome !== 'unknown') run.isReplayed = rebuiltAll(run, replay);
    if (replay.divergence !== null)
      run.diverged = `the replay at entry ${seq} diverged at event ${replay.divergence.event}`;
    else if (run.isReplayed) run.diverged = null;
    markImpure(run, replay, seq);
  }

  /** Takes no more from a replay than which tools it found impure: whether the run was rebuilt is for others to say. */
  marked({ payload, seq }: Entry): void {
    const replay = replayIn(payload);
    const run = replay === null ? undefined : this.#runs.get(replay.run);
    if (replay !== null && run !== undefined) markImpure(run, replay, seq);
  }

  /** Tools of a run that replays found impure. */
  impureIn(run: string): readonly ImpureTool[] {
    return [...(this.#runs.get(run)?.impure.values() ?? [])];
  }

  /** `replayed` are runs whose states somebody rebuilt. */
  finish(replayed: ReadonlySet<string> = new Set()): void {
    for (const { judge, seq, unread, isReplayed, diverged, impure } of this.#runs.values()) {
      const name = judge.run.slice(0, 16);
      if (unread > 0)
        this.#findings.add(
          'RUN_PAYLOAD_UNKNOWN',
          seq,
          `${unread} payloads of run ${name} can't be checked against their hashes here`,
        );
      if (isReplayed || replayed.has(judge.run)) continue;
      const open = judge.isClosed ? '' : ', which has no end yet,';
      this.#findings.add(
        'RUN_NOT_REPLAYED',
        seq,
        diverged === null
          ? `run ${name}${open} was not replayed. Run \`foil replay ${name} --verify\``
          : `run ${name}${open} was replayed, and ${diverged}${impureTools(impure)}. See \`foil audit run ${name} --full-report\``,
      );
    }
    if (this.#more > 0)
      this.#findings.add(
        'RUN_NOT_REPLAYED',
        null,
        `${this.#more} events belong to more runs than this verifier checks`,
      );
  }

  #run(id: string, seq: number): Judged | undefined {
    const known = this.#runs.get(id);
    if (known !== undefined) return known;
    if (this.#runs.size >= MOST_RUNS) {
      this.#more++;
      return undefined;
    }
    const run: Judged = {
      judge: new RunJudge(id),
      seq,
      hash: undefined,
      code: null,
      unread: 0,
      isReplayed: false,
      diverged: null,
      impure: new Map(),
    };
    this.#runs.set(id, run);
    return run;
  }

  #judge(
    run: Judged,
    event: RunEvent,
    seq: number,
    { key = null, payload: content = null }: RunEvidence,
  ): void {
    const raw = event.content === null ? event.payload : content;
    let payload: RunPayload | null = null;
    let malformed: ParseError | undefined;
    try {
      payload = raw === null ? null : parseRunPayload(event.kind, raw);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      malformed = error;
    }
    run.isReplayed = false;
    this.#count(event, payload);
    // Its place counts, whatever stands in it.
    const flaws = run.judge.event(event, payload, seq);
    for (const { code, message } of flaws) this.#findings.add(code, seq, message);
    if (malformed !== undefined) this.#findings.add('RUN_MALFORMED', seq, malformed.message);
    if (payload?.kind === 'AgentInit') {
      this.#begins(payload.init, event.run, seq);
      run.code ??= payload.init.code.root;
      run.hash ??= payload.init.hashes === 'blake3' ? plainBlake3() : key === null ? null : plainBlake3(key);
    }
    const hash = hashOf(run, raw, event.payloadHash);
    if (hash === 'unknown') run.unread++;
    else if (hash === 'wrong')
      this.#findings.add(
        'RUN_PAYLOAD_HASH',
        seq,
        `the payload of event ${event.sequence} doesn't match its hash`,
      );
    this.#seen({ seq, event, payload, raw, hash, flaws });
  }

  /** Does it begin with what its session began with? */
  #begins({ capabilitiesHash, root }: AgentInit, run: string, seq: number): void {
    const begun = this.#begun.get(run);
    this.#begun.delete(run);
    if (begun === undefined) return;
    if (begun.granted !== capabilitiesHash)
      this.#findings.add(
        'RUN_CAPABILITIES',
        seq,
        'the run began with other capabilities than its session was granted',
      );
    // Relative scopes begin there. In the session it is a word, which may be redacted.
    if (typeof begun.root === 'string' && !isWordOf(begun.root, root))
      this.#findings.add('RUN_CAPABILITIES', seq, 'the run began in another work tree than its session');
  }

  #count({ kind }: RunEvent, payload: RunPayload | null): void {
    const calls = this.#calls;
    if (kind === 'Denial') calls.denied++;
    if (kind === 'Denial' || (kind === 'ToolCall' && payload !== null)) calls.judged++;
    else if (kind === 'ToolCall') calls.unread++;
  }
}

/** From the first event to the one that is the last so far, by the code of the run, and to the same state. */
function rebuiltAll({ judge, code }: Judged, replay: RunReplay): boolean {
  return (
    replay.outcome === 'matches' &&
    replay.flaw === null &&
    replay.from === null &&
    replay.to === null &&
    replay.events === judge.events &&
    replay.finalStateHash === judge.state &&
    replay.code === code
  );
}

/** Null for one that can't be read: it is none. */
function replayIn(payload: JsonObject): RunReplay | null {
  try {
    return parseRunReplay(payload);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return null;
  }
}

/** It is a finding about this code. */
function markImpure({ code, impure }: Judged, replay: RunReplay, seq: number): void {
  if (replay.code !== code) return;
  for (const tool of replay.impure) if (!impure.has(tool)) impure.set(tool, { tool, replay: replay.id, seq });
}

function impureTools(impure: Judged['impure']): string {
  return impure.size === 0 ? '' : `; impure tools: ${[...impure.keys()].slice(0, MOST_NAMED).join(', ')}`;
}

function hashOf({ hash }: Judged, raw: JsonObject | null, expected: string): SeenEvent['hash'] {
  if (raw === null || hash === null || hash === undefined) return 'unknown';
  return hash(canonicalize(raw)) === expected ? 'valid' : 'wrong';
}

/** The key of a run's hashes, from its session's salt. Null where that is not here, or is none. */
export async function readRunKey(files: Files, session: string): Promise<Uint8Array | null> {
  const bytes = await files.read(saltPath(session), 0, SALT_BYTES + 1);
  if (bytes === undefined) return null;
  try {
    const salt = parseSalt(bytes);
    return salt.every((byte) => byte === 0) ? null : derivedKey(salt, RUN_KEY);
  } catch {
    return null;
  }
}
