// One run as an auditor asks about it: its events with their hashes, what was called and denied, who wrote its memory, its
// patches and what it used. A session of a host is audited as far as it goes: it has calls and gates, and no events. Judged by
// the same checks as a ledger; what is wrong is counted by code, however much there is of it.
import { encodeVerifierKey, type Json, ParseError, type VerifierKey } from '../core/index.ts';
import {
  type AgentInit,
  type Entry,
  type FinalUsage,
  parseCallAuthority,
  parseGate,
  RUN_REPLAY,
  type RunEventKind,
} from '../format/index.ts';
import { type AuditedDenial, AuditedDenials } from './audited-denials.ts';
import { AuthorityCheck } from './authority-check.ts';
import type { Code, Finding } from './codes.ts';
import { Findings } from './findings.ts';
import { IdentityCheck } from './identity-check.ts';
import { type AuditedPatch, PatchAudit } from './patch-audit.ts';
import { PatchCheck } from './patch-check.ts';
import { type ImpureTool, RunCheck, type RunEvidence, type SeenEvent } from './run-check.ts';

export interface AuditedEvent {
  readonly sequence: number;
  readonly kind: RunEventKind;
  /** Its place in the ledger. */
  readonly seq: number;
  readonly payload: SeenEvent['hash'];
  /** Null for the first, which follows none. */
  readonly chain: 'valid' | 'broken' | null;
  readonly flaws: readonly string[];
}

export interface MemoryTrace {
  readonly key: string;
  /** The event that wrote it. */
  readonly event: number;
  /** What it followed from; null where it names no valid cause. */
  readonly cause: {
    readonly event: number;
    readonly kind: RunEventKind;
    readonly tool: string | null;
  } | null;
  readonly version: { readonly nodeId: number; readonly counter: number };
  readonly value: Json;
}

/** How often something was found, and what was said of it first. */
export interface FoundCode {
  readonly count: number;
  readonly seq: number | null;
  readonly message: string;
}

export interface RunAudit {
  readonly run: string;
  /** Null where the session is of no agent made with counterfoil/runtime, or its beginning can't be read. */
  readonly init: AgentInit | null;
  readonly entries: number;
  /** As far as they are listed; those with something wrong always are. */
  readonly events: readonly AuditedEvent[];
  readonly counts: {
    readonly events: number;
    readonly valid: number;
    readonly wrong: number;
    readonly unknown: number;
  };
  /** Kinds of events whose payload is not here. */
  readonly unread: ReadonlySet<RunEventKind>;
  readonly isClosed: boolean;
  /** What the last event says; null where there is none. */
  readonly finalStateHash: string | null;
  readonly memory: readonly MemoryTrace[];
  readonly patches: readonly AuditedPatch[];
  /** What was decided about calls and turns, by the word for it. */
  readonly decisions: ReadonlyMap<string, number>;
  readonly denials: readonly AuditedDenial[];
  readonly usage: FinalUsage & { readonly fuel: number | null };
  /** Calls that took longer than they may and were not ended. */
  readonly overtime: readonly string[];
  /** Tools that replays on record found impure. */
  readonly impure: readonly ImpureTool[];
  /** Whether its session began with grants. */
  readonly isGranted: boolean;
  /** Calls of a host that nobody held against grants. */
  readonly callsUnjudged: number;
  readonly found: ReadonlyMap<Code, FoundCode>;
  /** What was found, by facets and in order, as far as it is listed. */
  readonly findings: readonly Finding[];
}

const FACETS = ['authority', 'replay', 'patches'] as const;
const MOST_EVENTS = 100_000;
const MOST_WRITES = 100_000;
const MOST_NOTES = 1000;

class CountedFindings extends Findings {
  readonly found = new Map<Code, FoundCode>();

  override add(code: Code, seq: number | null, message: string, file?: string): void {
    const known = this.found.get(code);
    this.found.set(code, { ...(known ?? { seq, message }), count: (known?.count ?? 0) + 1 });
    super.add(code, seq, message, file);
  }
}

/** Takes the entries of the run and those of the ledger itself, in order. Never throws for what is in them. */
export class RunAuditor {
  readonly #run: string;
  readonly #findings = new CountedFindings();
  readonly #identity = new IdentityCheck(new Findings());
  readonly #authority: AuthorityCheck;
  readonly #patchAudit: PatchAudit;
  readonly #patches: PatchCheck;
  readonly #events: AuditedEvent[] = [];
  readonly #counts = { events: 0, valid: 0, wrong: 0, unknown: 0 };
  readonly #unread = new Set<RunEventKind>();
  /** What each event was, for those that name it as their cause. */
  readonly #kinds: { readonly kind: RunEventKind; readonly tool: string | null }[] = [];
  readonly #memory: MemoryTrace[] = [];
  readonly #decisions = new Map<string, number>();
  readonly #denials = new AuditedDenials();
  readonly #usage = { calls: 0, ms: 0, outputBytes: 0, fuel: null as number | null };
  readonly #overtime: string[] = [];
  #init: AgentInit | null = null;
  #entries = 0;
  #final: string | null = null;
  #isClosed = false;
  readonly #runs = new RunCheck(this.#findings, (event) => this.#see(event));

  /** `operators` are those that the auditor trusts. */
  constructor(run: string, operators: readonly VerifierKey[] = []) {
    this.#run = run;
    const pinned = operators.map((key) => encodeVerifierKey(key));
    this.#authority = new AuthorityCheck(this.#findings, this.#identity, pinned);
    this.#patchAudit = new PatchAudit();
    this.#patches = new PatchCheck(this.#findings, this.#identity, this.#authority, (step) =>
      this.#patchAudit.step(step),
    );
  }

  /** Whether the key of the run's hashes is to be given with this entry. */
  wantsKey(entry: Entry): boolean {
    return this.#runs.wantsKey(entry);
  }

  entry(entry: Entry, evidence: RunEvidence = {}): void {
    const { kind, session_id: session } = entry;
    if (session !== null && session !== this.#run) return;
    if (session !== null) this.#entries++;
    if (kind === 'ledger.open') this.#identity.open(entry);
    this.#authority.entry(entry);
    if (kind === RUN_REPLAY && session === null) this.#runs.marked(entry);
    if (session === null) return;
    this.#runs.entry(entry, evidence);
    const effect = this.#patches.entry(entry);
    if (effect !== null) this.#runs.patched(effect, entry.seq);
    this.#decided(entry);
  }

  /** `isReplayed`: somebody rebuilt its states. */
  done(isReplayed = false): RunAudit {
    this.#authority.finish();
    this.#runs.finish(new Set(isReplayed ? [this.#run] : []));
    return {
      run: this.#run,
      init: this.#init,
      entries: this.#entries,
      events: this.#events,
      counts: this.#counts,
      unread: this.#unread,
      isClosed: this.#isClosed,
      finalStateHash: this.#final,
      memory: this.#memory,
      patches: this.#patchAudit.patches,
      decisions: this.#decisions,
      denials: this.#denials.list,
      usage: { ...this.#usage, denials: this.#denials.count },
      overtime: this.#overtime,
      impure: this.#runs.impureIn(this.#run),
      isGranted: this.#authority.isGranted(this.#run),
      callsUnjudged: this.#authority.unjudged,
      found: this.#findings.found,
      findings: FACETS.flatMap((facet) => this.#findings.of(facet)),
    };
  }

  #see(seen: SeenEvent): void {
    const { seq, event, payload, hash, flaws } = seen;
    const { sequence, kind } = event;
    this.#counts.events++;
    this.#counts[hash]++;
    if (payload === null) this.#unread.add(kind);
    const isBroken = flaws.some(({ code }) => code === 'RUN_STATE_CHAIN');
    const isSound = hash === 'valid' && flaws.length === 0;
    if (this.#events.length < MOST_EVENTS || (!isSound && this.#events.length < 2 * MOST_EVENTS))
      this.#events.push({
        sequence,
        kind,
        seq,
        payload: hash,
        chain: isBroken ? 'broken' : sequence === 0 ? null : 'valid',
        flaws: flaws.map(({ code, message }) => `${code}: ${message}`),
      });
    this.#final = event.stateAfter;
    if (kind === 'Final') this.#isClosed = true;
    this.#note(seen);
  }

  #note({ seq, event: { sequence, kind, cause }, payload, raw, flaws }: SeenEvent): void {
    let tool: string | null = null;
    if (payload?.kind === 'AgentInit') this.#init ??= payload.init;
    else if (payload?.kind === 'ToolCall') {
      tool = payload.request.tool;
      this.#count('allow');
    } else if (payload?.kind === 'Denial') {
      tool = payload.request.tool;
      this.#denials.ofRun(seq, sequence, payload.request, raw?.denial_reason);
      this.#count(`deny ${payload.code}`);
    } else if (payload?.kind === 'ToolResult') {
      tool = payload.tool;
      this.#spent(payload, sequence);
    } else if (payload?.kind === 'MemoryWrite' && this.#memory.length < MOST_WRITES) {
      const at = cause === null ? null : Number(cause.slice(cause.indexOf(':') + 1));
      const known =
        at === null || flaws.some(({ code }) => code === 'RUN_MEMORY') ? undefined : this.#kinds[at];
      this.#memory.push({
        key: payload.key,
        event: sequence,
        cause: known === undefined || at === null ? null : { event: at, ...known },
        version: payload.version,
        value: raw?.value ?? null,
      });
    }
    if (sequence === this.#kinds.length) this.#kinds.push({ kind, tool });
  }

  #spent(
    {
      tool,
      outcome,
      usage,
    }: { tool: string; outcome: string; usage: { ms: number; outputBytes: number; fuel: number | null } },
    sequence: number,
  ): void {
    this.#usage.calls++;
    this.#usage.ms += usage.ms;
    this.#usage.outputBytes += usage.outputBytes;
    if (usage.fuel !== null) this.#usage.fuel = (this.#usage.fuel ?? 0) + usage.fuel;
    const most = this.#init?.tools.find(({ name }) => name === tool)?.limits.ms;
    if (most !== undefined && outcome === 'ok' && usage.ms > most && this.#overtime.length < MOST_NOTES)
      this.#overtime.push(`event ${sequence}: tool '${tool}' took ${usage.ms} ms, but may take only ${most}`);
  }

  /** What hooks and the gate decided, where the session is a host's. */
  #decided(entry: Entry): void {
    const { kind, payload } = entry;
    try {
      if (kind === 'gate') this.#count(`gate ${parseGate(payload).verdict}`);
      else if (kind === 'tool.denied') {
        this.#count('tool denied');
        this.#denials.ofHost(entry);
      } else if (kind === 'tool.result') this.#usage.calls++;
      else if (kind === 'override') this.#count('override');
      else if (kind === 'tool.call') {
        const authority = parseCallAuthority(payload);
        if (authority === null) return;
        this.#count(authority.verdict);
        if (authority.verdict === 'deny') this.#denials.ofGrants(entry, authority);
      }
    } catch (error) {
      // Whether it is well-formed is for its own check.
      if (!(error instanceof ParseError)) throw error;
    }
  }

  #count(word: string): void {
    this.#decisions.set(word, (this.#decisions.get(word) ?? 0) + 1);
  }
}
