// The tests of a patch, run in a sandbox against what the patch would leave. A test is its command line and nothing else, so
// what is on record is what ran. It finds everything as files in its work directory, read-only. spec/patch.md.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blake3, canonicalize, type JsonObject } from '../core/index.ts';
import { encodeRunEvent, type GateResult, type PatchTest } from '../format/index.ts';
import type { AttestingSandbox, FolderOutcome } from '../gate/index.ts';
import { layCode, layDefine } from './lay-code.ts';
import type { AgentFacts } from './patch-audit.ts';
import type { KeptCode } from './patched-code.ts';
import { payloadOf, readEvents } from './read-run.ts';
import { lateText, REPLAY_TIMEOUT, seconds } from './replay.ts';
import { RunError } from './run-error.ts';
import type { RunSource } from './run-steps.ts';

export interface PatchedRun extends Pick<RunSource, 'log' | 'run' | 'read'> {
  readonly first: number;
  readonly hash: Blake3;
  /** The payload of `patch.created`. */
  readonly patch: JsonObject;
  /** Canonical JSON, before and behind it. */
  readonly base: string;
  readonly state: string;
  /** The code behind it. */
  readonly code: KeptCode;
  /** The module that stands in for counterfoil/runtime. */
  readonly define: string;
  /** How long each test, and the loading of its code, may take. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TestOutcome {
  readonly name: string;
  readonly result: GateResult;
  /** How it ended, for people. */
  readonly ended: string;
  readonly output: string;
}

const MOST_OUTPUT = 64 * 1024;

/** One after the other. RunError NO_SANDBOX where none can be had. */
export async function runPatchTests(
  tests: readonly PatchTest[],
  run: PatchedRun,
  sandbox: AttestingSandbox,
): Promise<TestOutcome[]> {
  const { timeoutMs = REPLAY_TIMEOUT, signal } = run;
  return laidOut(run, sandbox, async (folder) => {
    const outcomes: TestOutcome[] = [];
    for (const { name, command } of tests) {
      const { ended, exit, stdout, stderr } = await sandbox.runFolder({
        argv: command,
        folder,
        timeoutMs,
        maxOutput: MOST_OUTPUT,
        signal,
      });
      if (ended === 'cancelled') throw new RunError('NOT_REPLAYED', 'the tests were interrupted.');
      outcomes.push({
        name,
        result: ended === 'exit' && exit === 0 ? 'pass' : 'fail',
        ended: endedText(ended, exit, timeoutMs),
        output: `${Buffer.from(stdout).toString('utf8')}${Buffer.from(stderr).toString('utf8')}`,
      });
    }
    return outcomes;
  });
}

function endedText(ended: FolderOutcome['ended'], exit: number | null, timeoutMs: number): string {
  if (ended === 'exit') return `exit ${exit}`;
  return ended === 'time' ? `ended after ${seconds(timeoutMs)}` : ended;
}

/** The run as files, in a folder that is gone afterwards. */
export async function laidOut<T>(
  run: PatchedRun,
  sandbox: AttestingSandbox,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const problem = await sandbox.available();
  if (problem !== null)
    throw new RunError(
      'NO_SANDBOX',
      `patches are only tested in a sandbox, and there is none here: ${problem}.`,
    );
  const folder = await mkdtemp(join(tmpdir(), 'foil-patch-'));
  try {
    await layCode(join(folder, 'code'), run.code);
    await layDefine(folder, run.define);
    const files = {
      'state.json': run.state,
      'base.json': run.base,
      'patch.json': canonicalize(run.patch),
      'events.jsonl': await eventLines(run),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every event as it is on record, with its payload in place; null where that is not here. */
async function eventLines({ log, run, first, read, hash }: PatchedRun): Promise<string> {
  const lines: string[] = [];
  for await (const events of readEvents(log, run, first, (await log.head()).seq))
    for (const { event } of events) {
      const payload = await payloadOf(event, read, hash);
      lines.push(`${canonicalize({ ...encodeRunEvent(event), payload })}\n`);
    }
  return lines.join('');
}

const DESCRIBE = `import { writeFileSync } from 'node:fs';
import { asAgent } from 'counterfoil/runtime';
const agent = asAgent((await import('./code/' + process.argv[2])).default);
const inCell = ({ fuel, memoryBytes }) => ({ fuel, memoryBytes });
const fact = ({ name, pure, idempotent, limits: { ms, outputBytes, ...more }, cell }) =>
  ({ name, pure, idempotent, limits: { ms, outputBytes }, cell: cell === null ? null : inCell(more) });
writeFileSync('report', JSON.stringify({ name: agent.name, tools: agent.tools.map(fact) }));
`;

/** What the patched code says of its agent; null where it gives none. It is hostile, and may lie to its operator only. */
export async function describeAgent(run: PatchedRun, sandbox: AttestingSandbox): Promise<AgentFacts | null> {
  const { timeoutMs = REPLAY_TIMEOUT, signal } = run;
  return laidOut(run, sandbox, async (folder) => {
    await writeFile(join(folder, 'describe.mjs'), DESCRIBE);
    const { report, ended } = await sandbox.runFolder({
      argv: ['node', 'describe.mjs', run.code.entry],
      folder,
      report: { path: 'report', maxBytes: MOST_OUTPUT },
      timeoutMs,
      maxOutput: MOST_OUTPUT,
      signal,
    });
    if (ended === 'time') throw new RunError('NOT_REPLAYED', lateText('the patched code', timeoutMs));
    if (ended === 'cancelled') throw new RunError('NOT_REPLAYED', 'the audit was interrupted.');
    try {
      return report.state === 'read'
        ? (JSON.parse(Buffer.from(report.bytes).toString('utf8')) as AgentFacts)
        : null;
    } catch {
      return null;
    }
  });
}
