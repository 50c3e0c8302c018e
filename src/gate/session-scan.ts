// One session as its transcript tells it, judged by the same rules as a recorded one, turn by turn. There is no ledger
// and no work tree: freshness goes by the edits that the transcript shows, by tools and by the words of commands, and
// nothing here is proof. It answers one question: had somebody been looking, what would they have seen?
import type { Json } from '../core/index.ts';
import { type CheckKind, type Exit, isOwn } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import {
  attemptOf,
  CHANGED_MEANWHILE,
  exitCode,
  type HostEvent,
  httpStatus,
  type JobEnd,
  outputText,
  shellLine,
  testCounts,
} from '../record/index.ts';
import {
  actsIn,
  type Evidence,
  evidenceIn,
  forgetBackground,
  type GateMemory,
  isShownWhole,
  judge,
  NO_MEMORY,
  type ProjectCommands,
  readContract,
  rememberChange,
  rememberPrompt,
  rememberResult,
  unconsented,
  withConsent,
} from '../rules/index.ts';
import {
  completeChecks,
  namesTarget,
  readCommand,
  readsFiles,
  triedBy,
  triesSomething,
  type Written,
} from '../shell/index.ts';
import { classOf } from './claim-class.ts';
import { quietDeeds } from './quiet-deeds.ts';
import { readClaims } from './read-claims.ts';
import {
  ASKS_AFTER,
  commandsIn,
  IS_OVER,
  inBackground,
  isBackground,
  isLook,
  LEFT_AS_IT_WAS,
  LONGEST_COMMAND,
  MAY_WRITE,
  NOTHING,
  outputMatters,
} from './scan-commands.ts';
import { isApart, pathWithin } from './scan-paths.ts';
import { ScannedFiles } from './scanned-files.ts';
import { type ScannedTurn, seenIn } from './scanned-turn.ts';

const UNKNOWN_PROJECT: ProjectCommands = { test: null, build: null, types: null, lint: null };
const LONGEST_PROMPT = 400;
/** A session that goes on from another. */
const CONTINUED = /^This session is being continued from a previous conversation/;
/** These tools show the agent only its own notes. */
const NOTES = /^(?:Todo\w*|\w*[Pp]lan\w*|Task(?:Create|Update|List|Get)|ToolSearch)$/;
const ASKS_FOR_CHANGE = /^(?:fix|add|change|remove|document)$/;

/** A check that goes on in the background. */
interface ScannedJob {
  readonly command: string;
  readonly cwd: string | null;
  readonly tree: number;
  /** How it ended, and where it printed to, once the host told that. */
  readonly code?: number;
  readonly output?: string;
}

export class SessionScan {
  #memory: GateMemory = NO_MEMORY;
  readonly #files = new ScannedFiles((change, isNew) => {
    if (isNew) this.#readings.clear();
    this.#memory = rememberChange(this.#memory, { seq: this.#seq, ...change });
  });
  #prompt = '';
  #turn = 0;
  #judged = 0;
  #seq = 0;
  #root: string | null = null;
  #idle = true;
  #called = false;
  /** No tool was called since the newest prompt. */
  #still = true;
  /** Of the newest prompt. */
  #since = 0;
  /** Something was done that the transcript does not show whole; and when last. */
  #outside = false;
  #outsideAt = 0;
  /** Kinds of checks that ran in this session: the memory keeps the newest alone. */
  readonly #kinds = new Set<CheckKind>();
  /** What commands were found to be, since another file was changed. */
  readonly #readings = new Map<string, typeof NOTHING>();
  /** Commands of the session, how many of them came before this turn, and those of this turn that ended well. */
  readonly #lines: string[] = [];
  #linesBefore = 0;
  #commands: string[] = [];
  #message = '';
  /** Checks in the background, by the host's name. */
  readonly #jobs = new Map<string, ScannedJob>();
  readonly #policy: ClaimPolicy;

  constructor(policy: ClaimPolicy) {
    this.#policy = policy;
  }

  /** Where the session works: its first directory, unless the user went on with it elsewhere. */
  get root(): string | null {
    return this.#root;
  }

  /** Something was done that can't be read: an agent's own transcript is not here. One that works on code may have changed it. */
  missed(mayWrite = false): void {
    if (mayWrite) this.#files.change();
    this.#outside = true;
    this.#outsideAt = this.#seq;
  }

  /** Gives a turn when one ends. */
  take(event: HostEvent, at: string | null): ScannedTurn | undefined {
    this.#seq++;
    this.#root ??= event.cwd;
    switch (event.type) {
      case 'prompt':
        this.#turn++;
        this.#judged = 0;
        this.#prompt = event.text;
        this.#since = this.#seq;
        this.#called = false;
        this.#still = true;
        this.#commands = [];
        this.#linesBefore = this.#lines.length;
        if (CONTINUED.test(event.text)) this.#goesOn();
        if (isApart(event.cwd, this.#root)) {
          // The user went on with it in another place, as in another work tree of the same project.
          this.#root = event.cwd;
          this.#readings.clear();
        }
        this.#memory = rememberPrompt(this.#memory, this.#seq, null);
        return undefined;
      case 'notice':
        this.#memory = forgetBackground(this.#memory, event.text);
        if (event.ends !== undefined) this.#ended(event.ends);
        return undefined;
      case 'tool.result':
        this.#idle = false;
        this.#still = false;
        this.#result(event);
        return undefined;
      case 'stop':
        return this.#stop(event.message ?? '', at);
      case 'compaction':
        this.#goesOn();
        return undefined;
      default:
        return undefined;
    }
  }

  /** What came before a summary is in another file, or further up in this one. */
  #goesOn(): void {
    if (this.#idle) this.missed();
    this.#outside = true;
  }

  #result(event: HostEvent & { readonly type: 'tool.result' }): void {
    const { tool, id, outcome, cwd, args, output } = event;
    const job = this.#jobOf(event);
    const { exit_code, exit_origin } = exitCode(event, event.agent);
    const exit: Exit =
      job?.code === undefined
        ? { code: exit_code, origin: exit_origin }
        : { code: job.code, origin: 'parsed' };
    const ok = outcome === 'ok' && (exit.code ?? 0) === 0;
    const command = job?.command ?? shellLine(event);
    const background = isBackground(event);
    const read = command === null ? NOTHING : this.#read(command, job?.cwd ?? cwd, ok, background);
    if (event.leaves !== undefined && command !== null && read.checks.length > 0)
      this.#jobs.set(event.leaves, { command, cwd, tree: this.#files.tree });
    const printed = read.checks.length === 0 ? '' : outputText(output);
    const counts = read.pasted === null && read.checks.some((check) => !isLook(check));
    const tests = counts ? testCounts(printed, !read.says) : null;
    const checks = completeChecks(read, {
      output: printed,
      exit: exit.code,
      tests,
      changed: this.#changedFiles(),
    }).map((check) =>
      isOwn(check) && (background || (job !== null && job.tree !== this.#files.tree))
        ? inBackground(check, background ? undefined : CHANGED_MEANWHILE)
        : this.#files.withLoaded(check),
    );
    const isOver = ASKS_AFTER.test(tool) && IS_OVER.test(JSON.stringify(output).slice(0, 2000));
    if (isOver) this.#memory = forgetBackground(this.#memory, JSON.stringify(args));
    // A line that failed has done what it did before its check; of the rest nobody knows.
    const wrote =
      job === null && (ok || checks.length > 0) ? this.#counted(read.wrote, command, output, ok) : [];
    this.#files.wrote(
      wrote.filter(({ last }) => !last || checks.length === 0),
      command,
    );
    const files = (event.files ?? []).map(({ path, op }) => ({
      path: pathWithin(path, cwd, this.#root),
      op,
    }));
    if (outcome === 'ok') this.#files.edited(event, files, this.#root);
    else for (const { path, op } of files) if (op !== 'read') this.#files.refused.add(path);
    for (const { kind } of checks) this.#kinds.add(kind);
    if (job === null && command !== null) {
      this.#lines.push(command.slice(0, LONGEST_COMMAND));
      if (ok && command.length <= LONGEST_COMMAND) this.#commands.push(...commandsIn(command));
    }
    if (command === null && files.length === 0 && !NOTES.test(tool)) this.#called = true;
    if (command === null && files.length === 0 && !isShownWhole(tool)) this.missed();
    const shown = read.attempts.length > 0 ? outputText(output) : '';
    const attempts = triedBy(read.attempts, {
      line: command ?? '',
      output: shown,
      exit: exit.code ?? (ok ? 0 : null),
      checks,
    }).map((way) => attemptOf(way, ok));
    if (event.sought !== undefined)
      attempts.push(attemptOf({ ...event.sought, way: tool, status: httpStatus(output) }, ok));
    for (const { path, op } of files)
      if (op === 'read') attempts.push({ capability: 'read', status: null, way: tool, target: path, ok });
    this.#seq++;
    this.#memory = rememberResult(this.#memory, {
      seq: this.#seq,
      id,
      tool,
      outcome,
      exit,
      tests,
      checks: event.shell === true || job !== null ? checks : null,
      attempts,
      acts: actsIn(checks, attempts, { line: command ?? '', output: printed }),
      treeBefore: null,
      tree: String(this.#files.tree),
      background,
      // What was changed is in `#files`.
      files: outcome === 'ok' ? [] : files,
      callSeq: null,
    });
    this.#files.wrote(
      wrote.filter(({ last }) => last && checks.length > 0),
      command,
    );
  }

  /** The job whose end a result tells, with its exit code: by itself, or because it is what the job printed. */
  #jobOf({ ends, files }: HostEvent & { readonly type: 'tool.result' }): ScannedJob | null {
    if (ends !== undefined) return this.#ended(ends);
    const [file, ...more] = files ?? [];
    if (file?.op !== 'read' || more.length > 0) return null;
    const jobs = [...this.#jobs.values()];
    return jobs.find(({ output }) => output !== undefined && output === file.path) ?? null;
  }

  #ended({ job: name, code, output }: JobEnd): ScannedJob | null {
    const job = this.#jobs.get(name);
    if (job === undefined) return null;
    const ended = { ...job, code, ...(output === undefined ? {} : { output }) };
    this.#jobs.set(name, ended);
    return ended;
  }

  #read(command: string, cwd: string | null, ok: boolean, background: boolean): typeof NOTHING {
    if (ok && !background && !outputMatters(command) && !MAY_WRITE.test(command) && !this.#tries(command))
      return NOTHING;
    // The same words mean the same until another file was changed: an agent runs its checks again and again.
    const key = `${cwd}\n${command}`;
    const before = this.#readings.get(key);
    if (before !== undefined) return before;
    const facts = readCommand(command, { cwd, root: this.#root, changed: this.#changedFiles() });
    this.#readings.set(key, facts);
    return facts;
  }

  #tries(command: string): boolean {
    const asked = this.#memory.contract;
    return (
      triesSomething(command) ||
      (asked !== null && readsFiles(command) && namesTarget(command, asked.contract))
    );
  }

  #changedFiles(): string[] {
    return this.#memory.changes.map(({ path }) => path);
  }

  #counted(wrote: readonly Written[], command: string | null, output: Json, ok: boolean): readonly Written[] {
    return wrote.filter(({ path, last }) => {
      if (!ok && last) return false;
      return path !== '' || (command !== null && !LEFT_AS_IT_WAS.test(outputText(output).slice(0, 4096)));
    });
  }

  #stop(message: string, at: string | null): ScannedTurn {
    const policy = this.#policy;
    const { claims, disclosures, failures } = readClaims(message, policy.phrases);
    const memory = this.#memory;
    const found = evidenceIn(memory);
    const tests = this.#files.tests;
    let weakened: Evidence['weakened'] | undefined;
    const evidence: Evidence = {
      ...found,
      tree: String(this.#files.tree),
      root: this.#root,
      // To compare all tests takes long, and few claims ask for it.
      get weakened() {
        weakened ??= unconsented(memory, tests.weakened);
        return weakened;
      },
    };
    const contract = readContract(claims.length === 0 ? '' : this.#prompt, policy);
    const judgement = judge({
      claims,
      message,
      disclosures,
      failures,
      evidence,
      contract,
      policy,
      project: UNKNOWN_PROJECT,
      since: this.#since,
      idle: this.#idle,
      still: this.#still,
      called: this.#called,
      outside: this.#outside,
    });
    // What the user asked for stays so.
    const asked = { ...memory, contract: { seq: this.#since, contract } };
    if (contract.allowsWeakening) this.#memory = { ...withConsent(asked, evidence, []), contract: null };
    const before = this.#judged;
    this.#judged += judgement.claims.length;
    const unsure = new Set(claims.filter((claim) => claim.unsure).map(({ quote }) => quote));
    const context = {
      evidence,
      since: this.#since,
      outsideAt: this.#outsideAt,
      message,
      prompt: this.#prompt,
      kinds: this.#kinds,
      touched: this.#files.touched,
      refused: this.#files.refused,
      isWork:
        ASKS_FOR_CHANGE.test(contract.intent) ||
        evidence.changes.some(({ by, seq }) => by === 'tool' && seq > this.#since),
      lines: this.#lines,
      turnLines: this.#lines.slice(this.#linesBefore),
    };
    const classes = judgement.claims.map((each) =>
      classOf(each, { ...context, unsure: unsure.has(each.claim.quote) }),
    );
    // An act that may have been done is no claim.
    const isHeld = (quote: string) => judgement.claims.some(({ claim }) => claim.quote === quote);
    const listed = claims.filter(({ act, quote }) => act === undefined || isHeld(quote));
    const said = `${this.#prompt}\n${message}\n${this.#message}`;
    const changes = evidence.changes.filter(({ seq }) => seq > this.#since);
    const unmentioned = quietDeeds({ changes, made: this.#files.made, commands: this.#commands, said });
    this.#message = message;
    return {
      turn: this.#turn,
      before,
      at,
      prompt: this.#prompt.slice(0, LONGEST_PROMPT),
      message,
      verdict: judgement.verdict,
      why: judgement.why,
      evidence,
      judgement,
      contract: claims.length === 0 ? null : contract,
      unmentioned,
      found: seenIn(listed, judgement, evidence, classes),
      claims: judgement.claims.map(({ claim, status, code, reason, suggestion }, index) => ({
        type: claim.type,
        quote: claim.quote,
        status,
        class: classes[index] ?? null,
        sure: !unsure.has(claim.quote),
        code,
        reason: reason === '' ? null : reason,
        command: suggestion?.command ?? null,
      })),
    };
  }
}
