// A forensic replay: the states of a run are rebuilt from its events by the code that it ran, in a sandbox, and compared with
// those on record. The cell is never given a recorded state hash, so it can't repeat one. spec/run.md.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { type Blake3, encodeHex, type JsonObject, ParseError, plainBlake3 } from '../core/index.ts';
import { type AgentInit, parseRunPayload, type RunEvent, type SnapshotFact } from '../format/index.ts';
import type { AttestingSandbox } from '../gate/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { RunJudge } from '../rules/index.ts';
import { type Compared, compare, type Expected } from './compare-replay.ts';
import { findSnapshot } from './find-snapshot.ts';
import { LaidCode, layDefine } from './lay-code.ts';
import { FOUND, GIVEN, Laying } from './lay-events.ts';
import type { KeptCode } from './patched-code.ts';
import { payloadInEntry, payloadOf, type ReadContent, readInit, readSteps, startOf } from './read-run.ts';
import { type CellInput, REPLAY_FILES } from './replay-form.ts';
import { readImpure } from './replay-record.ts';
import { RunError } from './run-error.ts';

export interface ReplayParts {
  readonly log: LogReader;
  readonly run: string;
  /** Where its session begins, or an entry before that. */
  readonly first: number;
  /** Of its hashes; null where the salt is gone. */
  readonly key: Uint8Array | null;
  readonly read: ReadContent;
  readonly sandbox: AttestingSandbox;
  readonly cell: ReplayCell;
  /** Begin at this snapshot, or at the newest one, instead of event 0. */
  readonly from?: number | 'last' | undefined;
  /** Stop behind this event, and show its state. */
  readonly to?: number | undefined;
  /** Run pure tools again, but for those that an earlier replay found impure. */
  readonly execute?: boolean | undefined;
  /** How long the code of the run may work (five minutes). */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was built for it. */
export interface ReplayCell {
  readonly main: string;
  /** The module that stands in for counterfoil/runtime. */
  readonly define: string;
  /** Of tools that run in cells of their own: the thread and the engine. */
  readonly thread: string;
  readonly wasm: Uint8Array;
}

export interface ReplayReport extends Compared {
  readonly run: string;
  /** The sequence of the snapshot that it began at; null for the beginning. */
  readonly from: number | null;
  /** Snapshots that it should have begun at and that are not here, newest first. */
  readonly missing: readonly number[];
  /** Tools that are said to be pure and gave another output. */
  readonly impure: readonly string[];
  /** Tools that were not run again, with the replay that found them impure. */
  readonly taken: ReadonlyMap<string, string>;
  readonly events: number;
  readonly code: string;
  readonly node: string;
  readonly sandbox: string;
  /** What the judge says of the events; null where it says nothing or saw a part only. */
  readonly flaw: string | null;
}

const MOST_REPORT = 512 * 1024 * 1024;
/** Of code that is not trusted to come to its end. */
export const REPLAY_TIMEOUT = 300_000;
interface Start {
  readonly init: AgentInit;
  readonly seq: number;
  readonly at: { readonly sequence: number; readonly snapshot: JsonObject } | null;
  readonly missing: readonly number[];
}

/** RunError where it can't be tried; a divergence is a report like any other. */
export async function replayRun(parts: ReplayParts): Promise<ReplayReport> {
  const { sandbox, signal, timeoutMs = REPLAY_TIMEOUT } = parts;
  const start = await begin(parts);
  const problem = await sandbox.available();
  if (problem !== null)
    throw new RunError(
      'NO_SANDBOX',
      `runs are only replayed in a sandbox, and there is none here: ${problem}.`,
    );
  const folder = await mkdtemp(join(tmpdir(), 'foil-replay-'));
  try {
    const laid = await lay(folder, parts, start);
    const outcome = await sandbox.runFolder({
      argv: ['node', 'cell.mjs'],
      folder,
      report: { path: 'report', maxBytes: MOST_REPORT },
      timeoutMs,
      maxOutput: 1024 * 1024,
      limits: { fileBytes: MOST_REPORT },
      signal,
    });
    if (outcome.ended === 'time') throw new RunError('NOT_REPLAYED', lateText('the replay', timeoutMs));
    if (outcome.report.state !== 'read')
      throw new RunError(
        'NOT_REPLAYED',
        `the replay gave no report (${outcome.ended}): ${Buffer.from(outcome.stderr).toString('utf8').slice(0, 500)}`,
      );
    const { expected, unknownAt, flaw, executed, taken } = laid;
    const isSameNode = start.init.node === process.version;
    const report = Buffer.from(outcome.report.bytes).toString('utf8');
    const compared = compare(expected, report, { unknownAt, isSameNode });
    const { divergence } = compared;
    const liar = divergence?.what === 'output' ? executed.get(divergence.event) : undefined;
    return {
      run: parts.run,
      from: start.at?.sequence ?? null,
      missing: start.missing,
      impure: liar === undefined ? [] : [liar],
      taken,
      events: expected.filter(({ patch }) => patch === null).length,
      code: start.init.code.root,
      node: process.version,
      sandbox: sandbox.name,
      flaw,
      ...compared,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function seconds(ms: number): string {
  const count = Math.round(ms / 1000);
  return `${count} second${count === 1 ? '' : 's'}`;
}

export function lateText(what: string, timeoutMs: number): string {
  return `${what} was stopped after ${seconds(timeoutMs)}. Either the code never ends, or it needs longer: \`--timeout 30m\` gives it more time.`;
}

/** At the snapshot that was asked for; where its content is gone, at an earlier one, and in the end at event 0. */
async function begin({ log, run, first, from, read }: ReplayParts): Promise<Start> {
  const missing: number[] = [];
  let found = from === undefined ? undefined : await findSnapshot(log, run, first, from);
  while (found !== undefined) {
    const { sequence, seq, fact } = found;
    const snapshot = await snapshotOf(fact, read);
    if (snapshot !== null) {
      const { init } = await readInit(log, run, fact.initSeq);
      return { init, seq, at: { sequence, snapshot }, missing };
    }
    missing.push(sequence);
    found = await findSnapshot(log, run, first, { before: sequence });
  }
  return { ...(await readInit(log, run, first)), at: null, missing };
}

interface Laid {
  readonly expected: readonly Expected[];
  readonly unknownAt: number | null;
  readonly flaw: string | null;
  /** Tools that ran again, by the events of their results. */
  readonly executed: ReadonlyMap<number, string>;
  readonly taken: ReadonlyMap<string, string>;
}

async function lay(folder: string, parts: ReplayParts, start: Start): Promise<Laid> {
  const { read, key, run, cell } = parts;
  const { init, at } = start;
  if (init.hashes !== 'blake3' && key === null)
    throw new RunError('CONTENT_GONE', 'the salt of the session is gone, and with it the key of its hashes.');
  const code = new LaidCode(folder, parts, start);
  await code.layFirst(at?.snapshot ?? null);
  const hashKey = init.hashes === 'blake3' ? null : key;
  const input: CellInput = {
    run,
    entry: init.code.entry,
    capabilities: init.capabilities,
    parameters: init.parameters,
    start: await startOf(init, read),
    node: init.parent?.node ?? 0,
    key: hashKey === null ? null : encodeHex(hashKey),
    snapshot: at?.snapshot ?? null,
  };
  await writeFile(join(folder, 'input.json'), JSON.stringify(input));
  await writeFile(join(folder, 'cell.mjs'), cell.main);
  await layDefine(folder, cell.define);
  if (parts.execute === true && init.tools.some((tool) => tool.cell !== null)) {
    await writeFile(join(folder, REPLAY_FILES.thread), cell.thread);
    await writeFile(join(folder, REPLAY_FILES.wasm), cell.wasm);
  }
  const laid = await layEvents(folder, parts, start, plainBlake3(hashKey ?? undefined), code);
  return { ...laid, flaw: codeFlaw(init, code.began) ?? laid.flaw };
}

/** What `AgentInit` says of the code besides its root. */
function codeFlaw({ code }: AgentInit, { entry, files }: KeptCode): string | null {
  const count = Object.keys(files).length;
  if (code.files !== count) return `event 0 says ${code.files} files of code, and the bundle has ${count}`;
  return code.entry === entry ? null : 'event 0 names a different entry module than the bundle does';
}

/** Without its hash: what the cell does not know, it can't repeat. */
async function snapshotOf({ snapshot }: SnapshotFact, read: ReadContent): Promise<JsonObject | null> {
  const bytes = snapshot === null ? undefined : await read(snapshot);
  if (bytes === undefined) return null;
  const { state_hash: _, ...rest } = JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject;
  return rest;
}

async function layEvents(
  folder: string,
  parts: ReplayParts,
  start: Start,
  hash: Blake3,
  code: LaidCode,
): Promise<Laid> {
  const { log, run, read, to = Number.POSITIVE_INFINITY } = parts;
  const { seq: end } = await log.head();
  const judge = start.at === null ? new RunJudge(run) : undefined;
  const out = createWriteStream(join(folder, 'events.jsonl'));
  const { tools, code: began } = start.init;
  const execute = parts.execute === true;
  const pure = new Set(execute ? tools.filter((tool) => tool.pure).map(({ name }) => name) : []);
  const taken = new Map(
    execute ? [...(await readImpure(log, began.root))].filter(([name]) => pure.has(name)) : [],
  );
  for (const name of taken.keys()) pure.delete(name);
  const lay = new Laying(pure, hash, start.at?.sequence ?? null, parts.to);
  let flaw: string | null = null;
  let unknownAt: number | null = null;
  let last = -1;
  reading: for await (const steps of readSteps(log, run, start.seq, end)) {
    for (const step of steps) {
      if ('patch' in step) {
        const found = await code.at(step.seq);
        if (found === null) continue;
        flaw ??= told(judge?.patch(found.effect) ?? []);
        lay.patch(last, found.effect, found.code);
        continue;
      }
      const { event, seq, text } = step;
      last = event.sequence;
      const payload =
        event.content === null ? payloadInEntry(step, hash) : await payloadOf(event, read, hash);
      if (judge !== undefined) flaw ??= flawOf(judge, event, payload, seq);
      if (payload === null && !FOUND.has(event.kind) && GIVEN.has(event.kind)) {
        unknownAt = event.sequence;
        break reading;
      }
      lay.take(event, payload, text);
      // Behind it may stand what can't be read.
      if (event.sequence >= to) break reading;
    }
    if (!out.write(lay.drain())) await new Promise<void>((resolve) => out.once('drain', () => resolve()));
  }
  out.end(lay.drain());
  await finished(out);
  if (parts.to !== undefined && last < parts.to && unknownAt === null)
    throw new RunError('NO_EVENT', `the run has no event ${parts.to}: its last is event ${last}.`);
  return { expected: lay.expected, unknownAt, flaw, executed: lay.executed, taken };
}

function told([flaw]: ReturnType<RunJudge['event']>): string | null {
  return flaw === undefined ? null : `${flaw.message} (${flaw.code})`;
}

function flawOf(judge: RunJudge, event: RunEvent, payload: JsonObject | null, seq: number): string | null {
  try {
    return told(judge.event(event, payload === null ? null : parseRunPayload(event.kind, payload), seq));
  } catch (error) {
    if (error instanceof ParseError) return `event ${event.sequence}: ${error.message} (RUN_MALFORMED)`;
    throw error;
  }
}
