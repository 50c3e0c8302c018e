// The judge of one host's sessions, put together: what a prompt asks for, what a command is good for, how the work tree
// is, and the end of a turn. Everything it looks at on disk is the agent's to write; what it can't find out is null.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, encodeNotice, type FoilNotice } from '../format/index.ts';
import { type Clock, type EntryLog, encodeBlock, type Mode } from '../ledger/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import {
  type Concluded,
  encodeState,
  type Heard,
  type Intake,
  isPlain,
  type Judge,
  parseState,
  type TurnEnd,
} from '../record/index.ts';
import {
  actsIn,
  type Evidence,
  evidenceIn,
  findOverrides,
  type GateMemory,
  type Run,
  readContract,
  tellsFault,
  treeOf,
  unconsented,
} from '../rules/index.ts';
import { completeChecks, readCommand, triedBy } from '../shell/index.ts';
import { type AskedIn, corroborate } from './corroborate.ts';
import { knowsCall } from './last-message.ts';
import { readSessionRecord } from './ledger-evidence.ts';
import { noticeText, takeUntold } from './notices.ts';
import { type Policy, type PolicyRecords, policyInForce, settledPolicy } from './policy-in-force.ts';
import { projectCommands } from './project-commands.ts';
import type { SessionTree } from './session-tree.ts';
import { withLoaded, withoutStandIn } from './stand-ins.ts';
import { concludeTurn, type StopGateOptions } from './stop-gate.ts';
import { Trees } from './tree-moment.ts';
import { readTurn, type TurnSaid } from './turn-said.ts';
import { watch } from './watch.ts';

export interface HostJudgeOptions {
  readonly store: Pick<EntryLog, 'append' | 'readState'>;
  readonly intake: Intake;
  /** As the project's file has it; null where it can't be read. What counts is the one on record. */
  readonly policy: ClaimPolicy | null;
  readonly records: PolicyRecords;
  /** What was accepted by keys that the user does not know as operators', to be told when a session begins. */
  readonly strangers: () => Promise<readonly FoilNotice[]>;
  readonly mode: Mode;
  readonly root: string | null;
  /** Where what is known of work trees is kept. */
  readonly trees: string;
  readonly signer: StopGateOptions['signer'];
  /** The whole ledger, for what is seldom and can't be known without reading it. */
  readonly withLedger: <T>(work: (store: EntryLog) => Promise<T>) => Promise<T>;
  /** What the wire to the model saw of a session; undefined where it saw nothing. */
  readonly asked?: ((session: string) => Promise<AskedIn | undefined>) | undefined;
  /** Where the service of a locked ledger listens. */
  readonly socket?: string | undefined;
  readonly now?: Clock;
  readonly timeout?: number | undefined;
}

/** The end of a turn that came, and what was begun for it. */
interface Expected {
  readonly event: TurnEnd;
  readonly session: string;
  readonly turn: TurnSaid;
  readonly looking: Promise<SessionTree | null> | undefined;
}

/** How long a transcript may lag behind what the host has already told its hooks. */
const LAG = [50, 150, 300];

export function makeHostJudge(options: HostJudgeOptions): Judge {
  const { store, intake, mode, root, trees: directory, now = Date.now, withLedger, records } = options;
  const trees = new Trees({ root, trees: directory, hash: (session, text) => intake.hash(session, text) });
  const asked = { store, file: options.policy, records };
  let known: Promise<Policy> | undefined;
  const inForce = (): Promise<Policy> => {
    known ??= policyInForce(asked);
    return known;
  };
  async function settled(): Promise<Policy> {
    const found = await settledPolicy(asked, await inForce());
    known = Promise.resolve(found);
    return found;
  }

  let expected: Promise<Expected> | undefined;
  /** The look at the work tree is taken now, and only where something is claimed that could rest on it. */
  async function begin(event: TurnEnd, session: string): Promise<Expected> {
    const turn = readTurn({ intake, policy: (await inForce()).policy }, event);
    const isClaimed = turn.claims.some(({ act }) => act?.what !== 'named file');
    const looking = isClaimed ? trees.look(session) : undefined;
    looking?.catch(() => undefined); // told to whoever waits for it
    return { event, session, turn, looking };
  }

  async function gather(
    remembered: GateMemory,
    { session, event }: Concluded,
    { looking }: Expected,
  ): Promise<Evidence> {
    const seen = evidenceIn(remembered);
    const runs = await Promise.all(seen.runs.map((run) => genuine(run, event.agent, event.transcript)));
    const told = new Set(seen.changes.map(({ path }) => path));
    const moment = await trees.moment(session, runs, looking, [...told]);
    const found = (moment.changed ?? []).filter((path) => !told.has(path));
    const seq = remembered.lastChange || remembered.lastResult;
    const { undone, uncommitted, ...now } = moment;
    const isThere = moment.isThere ?? (() => true);
    // A tool changed them, and a command took them away later.
    const last = new Map(seen.changes.map((change) => [change.path, change]));
    const removed = [...last.values()]
      .filter((change) => change.op !== 'delete' && change.seq < seq && !isThere(change.path))
      .map(({ path }) => path);
    const reported: Evidence = {
      ...seen,
      ...now,
      undone: undone?.([...told]) ?? [],
      uncommitted: () => uncommitted?.([...told]) ?? [],
      root,
      tree: treeOf(remembered, moment.tree),
      weakened: unconsented(remembered, moment.weakened),
      runs,
      changes: [
        ...seen.changes,
        // Entries tell no more of what a command did, and a verifier has only those.
        ...[...found, ...removed].map((path) => ({ seq, path, op: 'edit', by: 'command' }) as const),
      ],
    };
    const asked = await options.asked?.(session);
    if (asked === undefined) return reported;
    return withLedger((whole) => corroborate(whole, reported, asked));
  }

  /** Once a session, as an entry of it. */
  async function noticeOnce({ name, session, source }: Heard, notice: FoilNotice): Promise<boolean> {
    const key = `${notice.notice} ${notice.about ?? ''}`;
    const written = await store.append(
      (head, bytes) => {
        const state = parseState(bytes);
        const noticed = state?.noticed ?? [];
        if (state?.session !== session || noticed.includes(key)) return undefined;
        const entry = {
          kind: 'notice',
          payload: encodeNotice(notice),
          source,
          session_id: session,
          cause: state.prompt,
        };
        return {
          ...encodeBlock([entry], head, now()),
          state: encodeState({ ...state, noticed: [...noticed, key].slice(-MOST_NOTICED) }),
        };
      },
      { state: name },
    );
    return written !== undefined;
  }

  return {
    async begin(where) {
      const begun = await trees.begin(where);
      // The first session records the policy. What is wrong with that is for the gate to say, when it needs it.
      await settled().catch(() => undefined);
      return begun;
    },
    async contract(prompt) {
      const contract = readContract(prompt, (await inForce()).policy);
      const { paths, urls, backtick_tokens, command_hints } = contract.fields;
      const named = [paths, urls, backtick_tokens, command_hints].some((each) => each.length > 0);
      const isAsked = named || contract.allowsWeakening || contract.intent !== 'other';
      return isAsked || tellsFault(prompt) ? contract : null;
    },
    overrides: async (prompt) => findOverrides(prompt, (await inForce()).policy.bypass),
    command(command, where, { output, exit, tests }) {
      const { session, edited, ...place } = where;
      const changed = [...new Set([...edited, ...trees.changed(session)])];
      const read = readCommand(command, { ...place, changed });
      const { attempts, pasted, says } = read;
      const checks = completeChecks(read, { output, exit: exit.code, tests, changed });
      return {
        checks: checks.map((check) => {
          const begun = trees.begun(session);
          return withLoaded(withoutStandIn(inTruth(check, where.root), where.root, begun), where.root, begun);
        }),
        attempts: triedBy(attempts, { line: command, output, exit: exit.code, checks }),
        pasted: pasted !== null || (says && isPlain(tests)),
        acts: actsIn(checks, attempts, { line: command, output }),
      };
    },
    tree: (session) => trees.tree(session),
    expect(event, session) {
      expected = begin(event, session);
      expected.catch(() => undefined); // told by `conclude`
    },
    async conclude(concluded) {
      const { event, session } = concluded;
      const noted = await inForce();
      const known = await expected;
      const isIt = known?.event === event && known.session === session;
      const read = isIt ? known : await begin(event, session);
      // A forged policy may take the claims away.
      const isJudged = read.turn.claims.length > 0 || noted.policy.phrases.remove.length > 0;
      const found = isJudged ? await settled() : noted;
      const begun = found === noted ? read : await begin(event, session);
      const { policy, hash } = found;
      return concludeTurn(
        {
          store,
          intake,
          policy,
          policyHash: hash,
          mode,
          now,
          timeout: options.timeout,
          socket: mode === 'locked' ? (options.socket ?? null) : null,
          turn: begun.turn,
          gather: (memory) => gather(memory, concluded, begun),
          projectCommands: (changed) => projectCommands(root, changed),
          root,
          recorded: (of) => withLedger((whole) => readSessionRecord(whole, of)),
          signer: options.signer,
        },
        concluded,
      );
    },
    policyOnRecord: async () => (await records.standing()).inForce?.policyHash ?? null,
    async news(heard) {
      const told: FoilNotice[] = heard.type === 'session.start' ? [...(await takeUntold(store))] : [];
      // A policy that can't be understood is the intake's and the gate's to say.
      const differs = (await inForce().catch(() => null))?.differs ?? null;
      const differing: FoilNotice = { notice: 'policy', about: differs, count: null, since: null };
      if (differs !== null && (await noticeOnce(heard, differing))) told.push(differing);
      if (heard.type === 'session.start') {
        for (const notice of await options.strangers())
          if (await noticeOnce(heard, notice)) told.push(notice);
      }
      return told.length === 0 ? null : told.map((notice) => `Counterfoil: ${noticeText(notice)}`).join('\n');
    },
    async watch(source) {
      await withLedger((whole) => watch({ store: whole, source, now }));
    },
    forget: (session) => trees.end(session, now()),
  };
}

/** A link in the workspace may lead out of it: what ran there ran elsewhere. */
function inTruth(check: Check, root: string | null): Check {
  if (root === null || check.directory === null || check.directory === '') return check;
  try {
    const [base, place] = [realpathSync(root), realpathSync(join(root, check.directory))];
    return place.startsWith(`${base}/`) ? check : { ...check, directory: null };
  } catch {
    return check;
  }
}

/** In a session's state, which is written with every event. */
const MOST_NOTICED = 8;

/**
 * A hook can be fed by the agent itself. Where the host keeps a transcript with the ids of its calls, a call that is not
 * in it is nobody's; it may only be late there.
 */
export async function genuine(run: Run, agent: string, transcript: string | null): Promise<Run> {
  if (agent !== 'claude-code' || transcript === null || transcript === '') return run;
  // What was run by ourselves is in no transcript, and nobody else's word.
  if (run.grade !== undefined && run.grade !== 'reported') return run;
  // This host gives every call an id.
  const id = run.id ?? '';
  let known = knowsCall(transcript, id);
  for (const wait of id === '' ? [] : LAG) {
    if (known !== false) break;
    await new Promise((resolve) => setTimeout(resolve, wait));
    known = knowsCall(transcript, id);
  }
  return known === null ? run : { ...run, genuine: known };
}
