// Runs a pack's verification over artifacts, in a sandbox that attests, and judges its report. The work is hostile: it is
// laid out beside the pack's tests in a folder that it can't write in, and nothing that it prints is taken for a result
// unless it is the report that the pack asks for.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ParseError } from '../core/index.ts';
import {
  type AttestedSandbox,
  type AttestedTests,
  assertPath,
  type HarnessPack,
  LONGEST_REASON,
  PackError,
  type TestVerification,
  type TreeFile,
} from '../format/index.ts';
import type { AttestingSandbox, FolderOutcome, HeldLimits } from '../gate/index.ts';
import { AttestError } from './attest-error.ts';
import { type LaidFiles, layFiles } from './laid-files.ts';
import { judgeTests, noTests, parseReport } from './test-report.ts';

const MiB = 1024 * 1024;
const MOST_OUTPUT = 16 * MiB;
const PREFIX = 'foil-attest-';

export interface VerificationRun {
  readonly pack: HarnessPack;
  readonly artifacts: readonly TreeFile[];
  readonly sandbox: AttestingSandbox;
  /** The pack is secret: it is laid out in memory of the sandbox, and nothing that the tests said is repeated. */
  readonly isSecret: boolean;
  /** Where folders are made of packs that are not secret; by the system's choice unless given. */
  readonly temporary?: string | undefined;
  /** The pack may ask for less. */
  readonly mostSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerificationOutcome {
  readonly passed: boolean;
  readonly tests: AttestedTests;
  readonly reason: string;
  readonly leftOut: number;
  readonly sandbox: AttestedSandbox;
}

/** Throws AttestError where the tests could not be run, PackError where artifacts and pack can't lie in one folder. */
export async function runVerification(run: VerificationRun): Promise<VerificationOutcome> {
  const { pack, sandbox, isSecret, signal } = run;
  const verification = testsOf(pack);
  const { files, leftOut } = lay(run, verification);
  const seconds = Math.min(verification.timeoutSeconds, run.mostSeconds ?? verification.timeoutSeconds);
  const folder = isSecret ? undefined : makeFolder(run.temporary ?? tmpdir());
  let outcome: FolderOutcome;
  try {
    if (folder === undefined) await assertMemory(sandbox);
    else writeFiles(folder, files);
    outcome = await sandbox.runFolder({
      argv: verification.command,
      folder: folder ?? files,
      report:
        verification.reportFile === null
          ? undefined
          : { path: verification.reportFile, maxBytes: MOST_OUTPUT },
      timeoutMs: seconds * 1000,
      maxOutput: MOST_OUTPUT,
      signal,
    });
  } catch (error) {
    if (error instanceof AttestError) throw error;
    const said = isSecret ? '' : `: ${(error as Error).message.slice(0, 300)}`;
    throw new AttestError('NOT_STARTED', `the pack's command could not be run${said}`, { cause: error });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
  if (outcome.ended === 'cancelled') throw new AttestError('CANCELLED', 'the run was cancelled');
  const { passed, tests, reason } = judge(verification, outcome, seconds);
  return {
    passed,
    tests,
    reason: isSecret
      ? secretReason(passed)
      : `${reason}${leftOutHint(leftOut, passed)}`.slice(0, LONGEST_REASON).toWellFormed(),
    leftOut,
    sandbox: { name: sandbox.name, versions: outcome.versions, limits: limitsOf(outcome.limits) },
  };
}

function testsOf({ manifest: { verification } }: HarnessPack): TestVerification {
  if (verification === null)
    throw new AttestError(
      'NO_VERIFICATION',
      'the pack does not say how work is judged. Name a verification under pack in counterfoil.yaml.',
    );
  if (verification.method === 'rubric')
    throw new AttestError(
      'NEEDS_JUDGE',
      'the pack uses a rubric, so there is nothing to run. Use `foil attest` to ask a judge.',
    );
  return verification;
}

/** What is in the way is told by its path, and paths of a secret pack are nobody's business. */
function lay({ pack, artifacts, isSecret }: VerificationRun, verification: TestVerification): LaidFiles {
  try {
    const laid = layFiles(pack.files, artifacts);
    assertReportPlace(verification, laid.files);
    return laid;
  } catch (error) {
    if (!isSecret || !(error instanceof PackError || error instanceof AttestError)) throw error;
    throw new AttestError('BAD_VERIFICATION', "the artifacts do not fit the pack's files.");
  }
}

/** A report in place of a test would blank it. */
function assertReportPlace({ reportFile }: TestVerification, files: readonly TreeFile[]): void {
  if (reportFile === null) return;
  try {
    assertPath(reportFile);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    throw new AttestError('BAD_VERIFICATION', `the pack's report_file can't be a path: ${error.message}`);
  }
  const meets = ({ path }: TreeFile): boolean =>
    path === reportFile || path.startsWith(`${reportFile}/`) || reportFile.startsWith(`${path}/`);
  if (files.some(meets))
    throw new AttestError(
      'BAD_VERIFICATION',
      `the report goes to ${reportFile}, but there is already a file.`,
    );
}

/** A secret pack must not outlive the run, nor touch a disk. */
async function assertMemory(sandbox: AttestingSandbox): Promise<void> {
  const problem = await sandbox.memoryProblem();
  if (problem !== null)
    throw new AttestError(
      'NO_MEMORY_FOLDER',
      `foil unpacks an encrypted pack only in memory, and can't do that here: ${problem}.`,
    );
}

function makeFolder(place: string): string {
  removeOld(place);
  return mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
}

/** What an attester left that was killed. None of these can be in use: the process is gone. */
function removeOld(place: string): void {
  const before = Date.now() - 60_000;
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(PREFIX) ? Number(/^[0-9]+/.exec(name.slice(PREFIX.length))?.[0]) : Number.NaN;
    const made = Number.isNaN(pid)
      ? undefined
      : statSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs;
    if (made === undefined || made >= before || isRunning(pid)) continue;
    try {
      rmSync(join(place, name), { recursive: true, force: true });
    } catch {
      // It is another user's.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

function writeFiles(folder: string, files: readonly TreeFile[]): void {
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, path), bytes, { flag: 'wx', mode: 0o644 });
  }
}

type Judgement = Pick<VerificationOutcome, 'passed' | 'tests' | 'reason'>;

function judge(verification: TestVerification, outcome: FolderOutcome, seconds: number): Judgement {
  const fails = (reason: string, tests = noTests(verification.tests)): Judgement => ({
    passed: false,
    tests,
    reason,
  });
  if (outcome.ended === 'time') return fails(`The tests did not end within ${seconds} seconds.`);
  if (outcome.ended === 'memory') return fails('The tests ran out of memory.');
  if (outcome.ended !== 'exit') return fails(`The tests printed more than ${MOST_OUTPUT} bytes.`);
  const report =
    verification.reportFile === null ? { state: 'read' as const, bytes: outcome.stdout } : outcome.report;
  if (report.state === 'too-large') return fails(`The report has more than ${MOST_OUTPUT} bytes.`);
  if (report.state !== 'read' || report.bytes.length === 0) return fails('The tests left no report.');
  let judged: ReturnType<typeof judgeTests>;
  try {
    judged = judgeTests(verification.tests, parseReport(report.bytes, verification.report));
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return fails(`The report is not whole (${error.message.slice(0, 200)}).`);
  }
  const { tests, first } = judged;
  if (first !== null)
    return fails(
      `${tests.passed} of ${tests.listed} listed tests passed; ${shown(first.name)} ${WHY[first.why]}.`,
      tests,
    );
  // All that is listed passed, but the runner itself was not content, or did not come to its end.
  if (outcome.exit !== 0)
    return fails(`${allOf(tests.listed)} passed, but the command ended with ${outcome.exit}.`, tests);
  return { passed: true, tests, reason: `${allOf(tests.listed)} passed.` };
}

function allOf(listed: number): string {
  return listed === 1 ? 'The one listed test' : `All ${listed} listed tests`;
}

const WHY = {
  failed: 'did not',
  missing: 'is not in the report',
  twice: 'is in the report more than once',
} as const;

function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 99).toWellFormed()}…` : name);
}

function secretReason(passed: boolean): string {
  return passed
    ? 'All listed tests passed.'
    : 'The tests did not pass. For an encrypted pack, no details are given.';
}

function leftOutHint(leftOut: number, passed: boolean): string {
  if (leftOut === 0 || passed) return '';
  return ` Of the artifacts, ${leftOut} tests or settings of test runners were left out: what the tests need of these belongs in the pack.`;
}

function limitsOf(limits: HeldLimits): AttestedSandbox['limits'] {
  return Object.entries(limits).map(([name, { by, most }]) => ({
    name,
    value: most === null ? null : Math.floor(most),
    restsOn: by,
  }));
}
