// One session as its transcript tells it, judged by the same rules as a recorded one, turn by turn. There is no ledger
// and no work tree: freshness goes by the edits that the transcript shows, and nothing here is proof. It answers one
// question: had somebody been looking, what would they have seen?
import { type ClaimStatus, type ClaimType, type Exit, isOwn } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import { commandText, factsOf, type HostEvent, outputText } from '../record/index.ts';
import {
  compareTests,
  completeChecks,
  evidenceIn,
  findClaims,
  forgetBackground,
  type GateMemory,
  isTestConfig,
  isTestFile,
  judge,
  looksLikeCheck,
  NO_MEMORY,
  type ProjectCommands,
  readCommand,
  readContract,
  rememberPrompt,
  rememberResult,
  type Weakening,
} from '../rules/index.ts';

export interface ScannedClaim {
  readonly type: ClaimType;
  readonly quote: string;
  readonly status: ClaimStatus;
  /** A sentence that says why it is not backed; null where it is. */
  readonly reason: string | null;
  /** What would have settled it. */
  readonly command: string | null;
}

export interface ScannedTurn {
  /** The nth prompt of the session. */
  readonly turn: number;
  readonly at: string | null;
  readonly prompt: string;
  readonly message: string;
  readonly verdict: 'silent' | 'pass' | 'block';
  readonly why: string | null;
  readonly claims: readonly ScannedClaim[];
}

const UNKNOWN_PROJECT: ProjectCommands = { test: null, build: null, types: null, lint: null };
const LONGEST_PROMPT = 400;

export class SessionScan {
  #memory: GateMemory = NO_MEMORY;
  #weakened: readonly Weakening[] = [];
  #prompt = '';
  #turn = 0;
  #seq = 0;
  #root: string | null = null;
  readonly #policy: ClaimPolicy;

  constructor(policy: ClaimPolicy) {
    this.#policy = policy;
  }

  /** Where the session worked: its first directory. */
  get root(): string | null {
    return this.#root;
  }

  /** Gives a turn when one ends. */
  take(event: HostEvent, at: string | null): ScannedTurn | undefined {
    this.#seq++;
    this.#root ??= event.cwd;
    switch (event.type) {
      case 'prompt':
        this.#turn++;
        this.#prompt = event.text;
        this.#memory = rememberPrompt(this.#memory, this.#seq, readContract(event.text, this.#policy));
        return undefined;
      case 'notice':
        this.#memory = forgetBackground(this.#memory, event.text);
        return undefined;
      case 'tool.result':
        this.#result(event);
        return undefined;
      case 'stop':
        return this.#stop(event.message ?? '', at);
      default:
        return undefined;
    }
  }

  #result(event: HostEvent & { readonly type: 'tool.result' }): void {
    const { tool, id, outcome, cwd, args } = event;
    const root = this.#root;
    const facts = factsOf(event, event.agent, cwd, root);
    const exit: Exit = { code: facts.exit_code, origin: facts.exit_origin };
    const ok = outcome === 'ok' && (exit.code ?? 0) === 0;
    const command = event.shell === true ? commandText(args) : null;
    const read =
      command !== null && (looksLikeCheck(command) || !ok)
        ? readCommand(command, { cwd, root, changed: this.#memory.changes.map(({ path }) => path) })
        : null;
    const background = event.background === true;
    const flaw = { code: 'background', detail: 'the host ran it in the background' } as const;
    const checks =
      read === null
        ? null
        : completeChecks(read.checks, outputText(event.output), exit.code).map((check) =>
            background && isOwn(check) ? { ...check, flaw } : check,
          );
    const files = (event.files ?? []).map(({ path, op }) => ({ path: within(path, root), op }));
    for (const { path, op } of files) if (op !== 'read' && outcome === 'ok') this.#weaken(path, op, event);
    this.#memory = rememberResult(this.#memory, {
      seq: this.#seq,
      id,
      tool,
      outcome,
      exit,
      tests: (read?.pasted ?? null) === null ? facts.tests : null,
      checks,
      attempts: [
        ...(read?.attempts ?? []).map((way) => ({ ...way, ok, status: null })),
        ...(event.sought === undefined ? [] : [{ ...event.sought, way: tool, ok, status: null }]),
        ...files
          .filter(({ op }) => op === 'read')
          .map(({ path }) => ({ capability: 'read' as const, status: null, way: tool, target: path, ok })),
      ],
      treeBefore: null,
      tree: null,
      background: background || read?.background === true,
      files,
      callSeq: null,
    });
  }

  /** An edit shows what it took away and what it put there. */
  #weaken(path: string, op: string, { args }: HostEvent & { readonly type: 'tool.result' }): void {
    if (!isTestFile(path) && !isTestConfig(path)) return;
    const pieces = op === 'delete' ? [] : piecesOf(args);
    for (const { before, after } of pieces)
      this.#weakened = [
        ...this.#weakened,
        ...compareTests(new Map([[path, before]]), new Map([[path, after]])),
      ];
  }

  #stop(message: string, at: string | null): ScannedTurn {
    const policy = this.#policy;
    const { claims, disclosures } = findClaims(message, { phrases: policy.phrases });
    const judgement = judge({
      claims,
      disclosures,
      evidence: { ...evidenceIn(this.#memory), weakened: this.#weakened },
      contract: this.#memory.contract?.contract ?? readContract('', policy),
      policy,
      project: UNKNOWN_PROJECT,
    });
    return {
      turn: this.#turn,
      at,
      prompt: this.#prompt.slice(0, LONGEST_PROMPT),
      message,
      verdict: judgement.verdict,
      why: judgement.why,
      claims: judgement.claims.map((each) => ({
        type: each.claim.type,
        quote: each.claim.quote,
        status: each.status,
        reason: each.reason === '' ? null : each.reason,
        command: each.suggestion?.command ?? null,
      })),
    };
  }
}

/** The texts that an edit replaced, by the names that hosts give them. */
function piecesOf(args: unknown): { before: string; after: string }[] {
  if (typeof args !== 'object' || args === null) return [];
  const members = args as Record<string, unknown>;
  const edits = Array.isArray(members.edits) ? (members.edits as unknown[]) : [members];
  return edits.flatMap((edit) => {
    if (typeof edit !== 'object' || edit === null) return [];
    const { old_string: before, new_string: after } = edit as Record<string, unknown>;
    return typeof before === 'string' && typeof after === 'string' ? [{ before, after }] : [];
  });
}

function within(path: string, root: string | null): string {
  return root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
