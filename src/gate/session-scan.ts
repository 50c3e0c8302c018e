// One session as its transcript tells it, judged by the same rules as a recorded one, turn by turn. There is no ledger
// and no work tree: freshness goes by the edits that the transcript shows, by tools and by the words of commands, and
// nothing here is proof. It answers one question: had somebody been looking, what would they have seen?

import type { Json } from '../core/index.ts';
import { isCode, isLeftBehind } from '../ecosystems/index.ts';
import { type Check, type CheckKind, commandText, type Exit, isOwn } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import {
  attemptOf,
  CHANGED_MEANWHILE,
  exitCode,
  type HostEvent,
  httpStatus,
  type JobEnd,
  outputText,
  pathsOf,
  shellLine,
  testCounts,
} from '../record/index.ts';
import {
  actsIn,
  bearsOnTests,
  type Change,
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
} from '../rules/index.ts';
import {
  type CommandFacts,
  completeChecks,
  loadedIn,
  looksLikeCheck,
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
import { isApart, isElsewhere, pathWithin } from './scan-paths.ts';
import { type ScannedTurn, seenIn } from './scanned-turn.ts';
import { TestVersions } from './test-versions.ts';

const UNKNOWN_PROJECT: ProjectCommands = { test: null, build: null, types: null, lint: null };
const LONGEST_PROMPT = 400;
const NOTHING: Omit<CommandFacts, 'feedsHooks' | 'writes' | 'unparsed'> = {
  views: new Map(),
  told: [],
  reached: new Set(),
  after: new Map(),
  single: true,
  foreign: 0,
  pasted: null,
  says: false,
  checks: [],
  attempts: [],
  background: false,
  wrote: [],
};
/** Of commands that are no checks, those that may write files by their words are taken apart, and no others. */
const MAY_WRITE =
  />(?!&|\s*\/dev\/)|\b(?:g?sed|perl|ruby)\b[^|;&\n]*\s-{1,2}\w*i|\bfind\b[^|;&\n]*\s-(?:delete|exec|ok)|\b(?:tee|sponge|truncate|rm|unlink|mv|cp|patch)\b|&\s*$/;
const MOVES_TREE =
  /\bpatch\b|\bgit\b[^;&|\n]*\b(?:pull|merge|rebase|stash|switch|checkout|reset|revert|cherry-pick|am|apply|rm|mv|restore|clean)\b/;
const HERE_TEXT = /<<-?\s*['"]?(\w{1,40})['"]?[^\n]*\n[\s\S]*?\n\s*\1(?=\s|$)/g;
const PUTS_BACK = /\bgit (?:-[cC] \S+ )*(?:checkout (?:HEAD )?-- |restore (?!.*(?:\s-s|--source)))/;
/** The tree was as it should be already. */
const LEFT_AS_IT_WAS = /Already up to date|Already on '|No local changes to save|is up to date\.$/m;
/** Tools of others that write files, by their names. */
const WRITING_TOOL =
  /^mcp__.*(?:^|_)(?:write|edit|create|replace|insert|patch|delete|move|rename)(?:_|$)(?!.*(?:issue|comment|branch|pull|memor|thought|page|task|note|event))/i;
/** What tells of a command or an agent in the background, and how it says that it is over. */
const ASKS_AFTER = /^(?:BashOutput|TaskOutput|AgentOutputTool|KillShell|KillBash|TaskStop)$/;
/** The file in which a host keeps what a command in the background printed. */
const JOB_OUTPUT = /[/\\]\w{1,64}\.output$/;
const IS_OVER = /completed|failed|killed|stopped|exited|success/i;
/** Tools that do no more than the transcript shows: they look, plan and ask. */
/** A session that goes on from another. */
const CONTINUED = /^This session is being continued from a previous conversation/;
const ASKS_FOR_CHANGE = /^(?:fix|add|change|remove|document)$/;
const LONGEST_COMMAND = 4096;

/** Does what a call gave matter, beyond how it ended? Most of a transcript is what does not. */
export function resultMatters(tool: string, input: Json): boolean {
  const command = commandText(input);
  if (command !== null) return outputMatters(command);
  if (typeof input === 'object' && input !== null && 'file_path' in input)
    return tool === 'Read'
      ? JOB_OUTPUT.test(String(input.file_path))
      : /^(?:Edit|MultiEdit|Write)$/.test(tool) && bearsOnTests(String(input.file_path));
  return /^(?:Agent|Task)/.test(tool) || ASKS_AFTER.test(tool);
}

/** Of a command that is no check and moves no work tree, nothing that it printed is looked at. */
function outputMatters(command: string): boolean {
  return looksLikeCheck(command) || MOVES_TREE.test(command);
}

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
  readonly #tests = new TestVersions();
  /** Of files that were written whole. */
  readonly #texts = new Map<string, string>();
  #prompt = '';
  #turn = 0;
  #judged = 0;
  #seq = 0;
  /** Stands for the state of the code: another number with every change. */
  #tree = 0;
  #root: string | null = null;
  #idle = true;
  #called = false;
  /** Of the newest prompt. */
  #since = 0;
  /** Something was done that the transcript does not show whole; and when last. */
  #outside = false;
  #outsideAt = 0;
  /** Kinds of checks that ran in this session: the memory keeps the newest alone. */
  readonly #kinds = new Set<CheckKind>();
  /** Files that the session itself made. */
  readonly #made = new Set<string>();
  readonly #touched = new Set<string>();
  /** Files and folders that it deleted, and that nobody has made again. */
  readonly #gone = new Set<string>();
  /** Files that a tool tried to write, and could not. */
  readonly #refused = new Set<string>();
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
    if (mayWrite) this.#tree++;
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
      this.#jobs.set(event.leaves, { command, cwd, tree: this.#tree });
    const printed = read.checks.length === 0 ? '' : outputText(output);
    const counts = read.pasted === null && read.checks.some((check) => !isLook(check));
    const tests = counts ? testCounts(printed, !read.says) : null;
    const checks = completeChecks(read, {
      output: printed,
      exit: exit.code,
      tests,
      changed: this.#changedFiles(),
    }).map((check) =>
      isOwn(check) && (background || (job !== null && job.tree !== this.#tree))
        ? inBackground(check, background ? undefined : CHANGED_MEANWHILE)
        : this.#withLoaded(check),
    );
    const isOver = ASKS_AFTER.test(tool) && IS_OVER.test(JSON.stringify(output).slice(0, 2000));
    if (isOver) this.#memory = forgetBackground(this.#memory, JSON.stringify(args));
    // A line that failed has done what it did before its check; of the rest nobody knows.
    const wrote =
      job === null && (ok || checks.length > 0) ? this.#counted(read.wrote, command, output, ok) : [];
    this.#wrote(
      wrote.filter(({ last }) => !last || checks.length === 0),
      command,
    );
    const files = (event.files ?? []).map(({ path, op }) => ({
      path: pathWithin(path, cwd, this.#root),
      op,
    }));
    if (outcome === 'ok') this.#edited(event, files);
    else for (const { path, op } of files) if (op !== 'read') this.#refused.add(path);
    for (const { kind } of checks) this.#kinds.add(kind);
    if (job === null && command !== null) {
      this.#lines.push(command.slice(0, LONGEST_COMMAND));
      if (ok && command.length <= LONGEST_COMMAND) this.#commands.push(...commandsIn(command));
    }
    if (command === null && files.length === 0) this.#called = true;
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
      tree: String(this.#tree),
      background,
      files: [],
      callSeq: null,
    });
    this.#wrote(
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

  /** A script of the session shows what it loads; one whose text the transcript does not have may load anything. */
  #withLoaded(check: Check): Check {
    const [script] = check.targets;
    if (check.kind !== 'run' || script === undefined || !this.#touched.has(script)) return check;
    const text = this.#texts.get(script);
    return {
      ...check,
      targets: [...check.targets, ...(text === undefined ? ['.'] : loadedIn(text, check.runner))],
    };
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

  /** What a command wrote by its own words. What it wrote to a place without a name may lie anywhere, but for git's. */
  #wrote(written: readonly Written[], command: string | null): void {
    for (const { path, op, to } of written) {
      if (path === '') {
        if (MOVES_TREE.test((command ?? '').replace(HERE_TEXT, '\n'))) this.#tree++;
      } else {
        // What git puts back, and the session had not changed, was no work of the session's.
        if (PUTS_BACK.test(command ?? '') && !this.#touched.has(path)) continue;
        this.#changed(path, op, 'command');
        if (to !== undefined) this.#tests.moved(path, to);
        else if (op === 'delete') this.#tests.deleted(path);
        else if (op === 'write') this.#tests.written(path);
      }
    }
  }

  #edited(
    event: HostEvent & { readonly type: 'tool.result' },
    files: readonly { readonly path: string; readonly op: Change['op'] | 'read' }[],
  ): void {
    for (const { path, op } of files) {
      if (op === 'read') continue;
      this.#changed(path, op, 'tool');
      const text = (event.args as { readonly content?: Json } | null)?.content;
      if (typeof text === 'string') this.#texts.set(path, text.slice(0, LONGEST_COMMAND));
      else this.#texts.delete(path);
      if (op === 'delete') this.#tests.deleted(path);
      else this.#tests.edited(path, event.args, event.output);
    }
    if (files.length === 0 && WRITING_TOOL.test(event.tool))
      for (const path of pathsOf(event.args, event.cwd, this.#root)) this.#changed(path, 'edit', 'tool');
  }

  #changed(given: string, op: Change['op'], by: Change['by']): void {
    const path = given.replace(/(?<=.)\/$/, '');
    if (path === '') return;
    if (isElsewhere(path)) {
      this.#touched.add(path);
      return;
    }
    // What is gone already can't go: `git rm` after `rm` only tells git.
    if (op === 'delete' && this.#gone.has(path)) return;
    if (op === 'delete') this.#gone.add(path);
    else for (const gone of this.#gone) if (`${path}/`.startsWith(`${gone}/`)) this.#gone.delete(gone);
    // A folder that is deleted is what it holds.
    if (by === 'command' && (!isCode(`${path}/x`) || isLeftBehind(path))) return;
    if (isCode(path)) this.#tree++;
    if (!this.#touched.has(path)) {
      if (op === 'write') this.#made.add(path);
      this.#readings.clear();
    }
    this.#touched.add(path);
    this.#memory = rememberChange(this.#memory, { seq: this.#seq, path, op, by });
  }

  #stop(message: string, at: string | null): ScannedTurn {
    const policy = this.#policy;
    const { claims, disclosures, failures } = readClaims(message, policy.phrases);
    const found = evidenceIn(this.#memory);
    const tests = this.#tests;
    let weakened: Evidence['weakened'] | undefined;
    const evidence: Evidence = {
      ...found,
      tree: String(this.#tree),
      root: this.#root,
      // To compare all tests takes long, and few claims ask for it.
      get weakened() {
        weakened ??= tests.weakened;
        return weakened;
      },
    };
    const contract = readContract(claims.length === 0 ? '' : this.#prompt, policy);
    const judgement = judge({
      claims,
      disclosures,
      failures,
      evidence,
      contract,
      policy,
      project: UNKNOWN_PROJECT,
      since: this.#since,
      idle: this.#idle,
      still: this.#seq === this.#since,
      called: this.#called,
      outside: this.#outside,
    });
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
      touched: this.#touched,
      refused: this.#refused,
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
    const unmentioned = quietDeeds({ changes, made: this.#made, commands: this.#commands, said });
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

/** What such programs print may look like a report of tests, and is none. */
function isLook({ kind, runner }: Check): boolean {
  return (
    kind === 'run' && /^(?:cat|sed|rg|grep|find|ls|head|tail|nl|wc|git|gh|jq|ps|diff|sleep)\b/.test(runner)
  );
}

/** The commands of a line, roughly: each as it is written. */
function commandsIn(line: string): string[] {
  return line
    .split(/&&|\|\||[;\n]/)
    .map((command) => command.trim())
    .filter((command) => /^(?:git|gh|npm|pnpm|yarn|bun|cargo|poetry|uv|twine) /.test(command));
}

function isBackground({ background, output }: HostEvent & { readonly type: 'tool.result' }): boolean {
  if (background === true) return true;
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return false;
  const { isAsync, status, backgroundTaskId } = output as Readonly<Record<string, unknown>>;
  return isAsync === true || status === 'async_launched' || typeof backgroundTaskId === 'string';
}

function inBackground(check: Check, detail = 'the host ran it in the background'): Check {
  const flaw = { code: 'background', detail } as const;
  return { ...check, flaw: check.flaw ?? flaw };
}
