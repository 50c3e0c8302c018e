// A check run again by ourselves, in a sandbox, for a claim that is on record: the third grade of evidence. The call is
// durable before it runs; its result and a signed validation follow in one block, so that a verifier can repeat the
// judgement. What ran was a copy, and the copy's fingerprint stands in the result: if the work tree is another by the
// end, or was while it was copied, the run proves nothing of it.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../ecosystems/index.ts';
import { isBornSkipped, quoteOf, readContract, scopeOf, type ValidatorContext } from '../rules/index.ts';
import type { Executed, ExecuteOptions, ExecuteRequest } from './execute-options.ts';
import { ExecutionRecord } from './execution-record.ts';
import { findWeakening } from './find-weakening.ts';
import { projectCommands } from './project-commands.ts';
import type { RecordedSession } from './recorded-session.ts';
import { type RefusedRun, type Repeatable, refuse, repeatableCommand } from './repeatable-command.ts';
import { fingerprintOfCopy, lookAtTree, type SessionTree } from './session-tree.ts';
import { copyTree } from './tree-copy.ts';
import { differences } from './tree-state.ts';

export const DEFAULT_TIMEOUT_MS = 600_000;
const MOST_OUTPUT = 1024 * 1024;
/** A copy has no times that are known, so every file of it is read. */
const LOOK_MS = 60_000;

export async function execute(
  options: ExecuteOptions,
  recorded: RecordedSession,
  request: ExecuteRequest,
): Promise<Executed | RefusedRun> {
  const {
    policy: { policy },
    trees,
  } = options;
  const { session } = recorded;
  const hash = hashOf(options);
  const root = workTree(recorded.root);
  if (root === null) return refuse('no-work-tree', 'The work tree of the session is not here.');
  const before = await lookAtTree({ root, trees, hash }, session, LOOK_MS);
  if (before === null)
    return refuse(
      'no-fingerprint',
      'It is no longer known what the work tree looked like when the session began.',
    );
  const context = await contextOf(options, recorded, root, before);
  const project = projectCommands(root, context.scope.changed);
  const found = repeatableCommand(request, context, { policy, project, root });
  if ('outcome' in found) return found;
  const place = mkdtempSync(join(options.temporary, 'foil-run-'));
  try {
    return await runCopy(options, recorded, request, { root, before, found, place });
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Running {
  readonly root: string;
  readonly before: SessionTree;
  readonly found: Repeatable;
  /** A directory of its own, for the copy and what goes with it. */
  readonly place: string;
}

async function runCopy(
  options: ExecuteOptions,
  recorded: RecordedSession,
  request: ExecuteRequest,
  { root, before, found, place }: Running,
): Promise<Executed | RefusedRun> {
  const { sandbox, trees, hidden, notOwnedBy } = options;
  const { network, timeoutMs, signal } = request;
  const hash = hashOf(options);
  const copy = join(place, 'tree');
  const copied = await copyTree({ root, to: copy, hidden: [...hidden, place], notOwnedBy, signal });
  if (copied.state !== 'copied') return refuse(copied.state, NOT_COPIED[copied.state]);
  const unread = copied.unread.find((path) => isCode(path));
  if (unread !== undefined)
    return refuse(
      'unreadable',
      `${unread} can't be read by the user who runs the check, so it can't be copied.`,
    );
  const bare = await fingerprintOfCopy(copy, before, { trees, scratch: place, timeoutMs: LOOK_MS });
  if (bare === null)
    return refuse('no-fingerprint', 'The copy of the work tree could not be compared with the original.');
  const tree = await hash(recorded.session, bare);
  // Whoever can't sign need not run anything.
  await options.signer();
  const record = new ExecutionRecord(options, recorded, root, found);
  const call = await record.call(before.tree, network);
  const { command } = found;
  const ran = await sandbox.run({
    command,
    cwd: root,
    copy,
    timeoutMs,
    maxOutput: MOST_OUTPUT,
    network,
    signal,
  });
  const after = await lookAtTree({ root, trees, hash }, recorded.session, LOOK_MS);
  const context = await contextOf(options, recorded, root, after);
  const edits = after === null ? [] : differences(before.state, after.state);
  return record.result(ran, { call, treeBefore: before.tree, tree, context, edits });
}

const NOT_COPIED = {
  'too-large': 'The work tree is too large to copy for a run. The limits are 2 GiB and 300,000 files.',
  cancelled: 'It was cancelled before it began.',
  hidden: 'The work tree is where ledgers or keys are kept, and foil runs nothing there.',
} as const;

function hashOf({ intake }: ExecuteOptions): (session: string, text: string) => Promise<string> {
  return (session, text) => intake.hash(session, text);
}

function workTree(root: string | null): string | null {
  try {
    return root === null ? null : realpathSync(root);
  } catch {
    return null;
  }
}

/** The claim, and all that is on record and in the work tree about it now. */
async function contextOf(
  { policy: { policy }, trees }: ExecuteOptions,
  { claim: { claim }, contract, record }: RecordedSession,
  root: string,
  looked: SessionTree | null,
): Promise<ValidatorContext> {
  const start = looked?.kept.start();
  const changed = looked === null || start === undefined ? null : differences(start, looked.state);
  const found =
    looked === null
      ? null
      : await findWeakening(root, looked.base, looked.state, {
          directory: `${trees}/.git`,
          begun: looked.kept.begun(),
        });
  // Of a changed expectation only a message could tell what it means.
  const weakened = found?.weakened?.filter((each) => !each.expects && !isBornSkipped(each)) ?? null;
  // As a verifier will see it: in the words of the entries.
  const seen = {
    ...record.evidence.evidence({ tree: looked?.tree ?? null, changed, weakened, forged: record.forged }),
    weakened,
    changed,
  };
  const bound = contract?.contract ?? readContract('', policy);
  return {
    evidence: seen,
    contract: bound,
    claim: { ...claim, quote: quoteOf(claim.names) },
    scope: scopeOf(seen, bound),
  };
}
