// The judge of one host's sessions, put together: what a prompt asks for, what a command is good for, how the work tree
// is, and the end of a turn. Everything it looks at on disk is the agent's to write; what it can't find out is null.
import { sha256Hex } from '#platform';
import type { Clock, Store } from '../ledger/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import type { Concluded, Intake, Judge, Mode } from '../record/index.ts';
import {
  completeChecks,
  type Evidence,
  evidenceIn,
  findOverrides,
  type GateMemory,
  type Run,
  readCommand,
  readContract,
} from '../rules/index.ts';
import { knowsCall } from './last-message.ts';
import { projectCommands } from './project-commands.ts';
import { concludeTurn, type ValidationSigner } from './stop-gate.ts';
import { findWeakening } from './test-integrity.ts';
import { TreeMemory } from './tree-memory.ts';
import { type Base, differences, fingerprint, type TreeState } from './tree-state.ts';
import { openBase, takeTree } from './work-tree.ts';

export interface HostJudgeOptions {
  readonly store: Pick<Store, 'append' | 'readState'>;
  readonly intake: Intake;
  readonly policy: ClaimPolicy;
  readonly mode: Mode;
  readonly root: string | null;
  /** Where what is known of work trees is kept. */
  readonly trees: string;
  readonly signer: () => Promise<ValidationSigner>;
  readonly now?: Clock;
  readonly timeout?: number | undefined;
}

/** How long a transcript may lag behind what the host has already told its hooks. */
const LAG = [50, 150, 300];

export function makeHostJudge(options: HostJudgeOptions): Judge {
  const { store, intake, policy, mode, root, trees } = options;
  const directory = `${trees}/.git`;
  const memory = (session: string): TreeMemory => new TreeMemory(trees, session);

  async function look(session: string): Promise<Looked | null> {
    if (root === null) return null;
    const kept = memory(session);
    const base = kept.base();
    if (base === undefined) return null;
    const state = await takeTree(root, base, kept.last(), { directory });
    if (state === null) return null;
    const tree = await intake.hash(session, fingerprint(state, sha256Hex));
    kept.keep(tree, state);
    return { tree, state, base, kept };
  }

  async function gather(remembered: GateMemory, { session, event }: Concluded): Promise<Evidence> {
    const seen = evidenceIn(remembered);
    const looked = await look(session);
    const runs = await Promise.all(seen.runs.map((run) => genuine(run, event.agent, event.transcript)));
    if (looked === null || root === null) return { ...seen, runs };
    const { tree, state, base, kept } = looked;
    const start = kept.start();
    const changed = start === undefined ? null : differences(start, state);
    const told = new Set(seen.changes.map(({ path }) => path));
    const found = (changed ?? []).filter((path) => !told.has(path));
    const editedSince = new Map<number, readonly string[]>();
    for (const run of runs) {
      const then = run.tree === null || run.tree === tree ? undefined : kept.at(run.tree);
      if (then !== undefined) editedSince.set(run.seq, differences(then, state));
    }
    return {
      ...seen,
      runs,
      tree,
      changed,
      editedSince,
      changes: [
        ...seen.changes,
        ...found.map((path) => ({ seq: 0, path, op: 'edit' as const, by: 'command' as const })),
      ],
      weakened: (await findWeakening(root, base, state, { directory })) ?? [],
    };
  }

  return {
    async begin(where) {
      if (where === null) return { commit: null, keep: () => undefined };
      const { base, state } = await openBase(where, { directory });
      return { commit: base.commit, keep: (session) => memory(session).begin(base, state) };
    },
    contract(prompt) {
      const contract = readContract(prompt, policy);
      const { paths, urls, backtick_tokens, command_hints } = contract.fields;
      const named = [paths, urls, backtick_tokens, command_hints].some((each) => each.length > 0);
      return named || contract.intent !== 'other' ? contract : null;
    },
    overrides: (prompt) => findOverrides(prompt, policy.bypass),
    command(command, where, { output, exit }) {
      const { checks, attempts, background, pasted } = readCommand(command, where);
      return {
        checks: completeChecks(checks, output, exit.code),
        attempts: attempts.map((way) => ({ ...way, status: null })),
        background,
        pasted: pasted !== null,
      };
    },
    tree: async (session) => (await look(session))?.tree ?? null,
    conclude: (concluded) =>
      concludeTurn(
        {
          store,
          intake,
          policy,
          mode,
          now: options.now ?? Date.now,
          timeout: options.timeout,
          gather,
          projectCommands: () => projectCommands(root),
          signer: options.signer,
        },
        concluded,
      ),
    forget: (session) => memory(session).remove(),
  };
}

interface Looked {
  readonly tree: string;
  readonly state: TreeState;
  readonly base: Base;
  readonly kept: TreeMemory;
}

/**
 * A hook can be fed by the agent itself. Where the host keeps a transcript with the ids of its calls, a call that is not
 * in it is nobody's; it may only be late there.
 */
async function genuine(run: Run, agent: string, transcript: string | null): Promise<Run> {
  if (agent !== 'claude-code' || transcript === null || transcript === '' || (run.id ?? null) === null)
    return run;
  const id = run.id ?? '';
  let known = knowsCall(transcript, id);
  for (const wait of LAG) {
    if (known !== false) break;
    await new Promise((resolve) => setTimeout(resolve, wait));
    known = knowsCall(transcript, id);
  }
  return known === null ? run : { ...run, genuine: known };
}
