// What commands about evidence share: which session is meant, what the ledger has of it, the policy in force, the work
// tree as it is now, and the words that were kept. They read what stands there, unverified.

import { parseYaml, readConfig, trustedOperators } from '../config/index.ts';
import { type Json, StoreError, UsageError } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import {
  type Policy,
  projectCommands,
  type SessionRecord,
  settledPolicy,
  type TreeMoment,
  Trees,
} from '../gate/index.ts';
import {
  firstPolicy,
  type GrantsStanding,
  grantsStanding,
  type Ledger,
  type Located,
  type LogReader,
  type PolicyStanding,
  policyStanding,
  readOperatorTrail,
  workspaceRoot,
} from '../ledger/index.ts';
import { encodeClaimPolicy, policyHash } from '../policy/index.ts';
import { Intake } from '../record/index.ts';
import { makeRedactor } from '../redact/index.ts';
import {
  contentValue,
  listSessions,
  parseSessionPrefix,
  type ReadContent,
  refOf,
  type Session,
} from '../report/index.ts';
import type { ProjectCommands, Run } from '../rules/index.ts';

import type { Surroundings } from './surroundings.ts';

const LARGEST = 1024 * 1024;

/** The session that begins so; without a word for it, the newest of this project, else the newest there is. */
export async function findSession(
  ledger: Ledger,
  { cwd }: { readonly cwd: string },
  given?: string,
  { newest }: { readonly newest?: 'of all' | 'that ended' } = {},
): Promise<Session> {
  const { store } = ledger;
  const sessions = await listSessions(store, (await store.head()).seq);
  if (given === undefined) {
    const root = workspaceRoot(cwd);
    // Of an agent, where there is one: proxies and clients of the gateway have sessions of their own.
    const asked = sessions.filter(({ prompts }) => prompts > 0);
    const isHere = ({ workspace_root }: Session): boolean => workspace_root === root;
    const found =
      (newest === undefined ? asked : sessions).findLast(
        (session) => isHere(session) && (newest !== 'that ended' || session.state !== 'open'),
      ) ??
      sessions.findLast(isHere) ??
      asked.at(-1) ??
      sessions.at(-1);
    if (found === undefined) throw new StoreError('NOT_FOUND', 'no session is recorded here yet.');
    return found;
  }
  const prefix = parseSessionPrefix(given);
  const found = sessions.filter(({ id }) => id.startsWith(prefix));
  const [only, other] = found;
  if (only === undefined)
    throw new StoreError('NOT_FOUND', `no session begins with ${prefix}. See \`foil session list\`.`);
  if (other !== undefined)
    throw new UsageError(
      `${prefix} matches ${found.length} sessions, such as ${only.id.slice(0, 12)} and ${other.id.slice(0, 12)}. Write more of the id.`,
    );
  return only;
}

/** As the gate would go by; where none is on record yet, the project's own. Records nothing. Throws where the gate would refuse. */
export async function currentPolicy({ store }: Ledger, { cwd, env }: Surroundings): Promise<Policy> {
  const standing = await standingFor(store, env);
  return settledPolicy({
    store,
    file: readConfig(workspaceRoot(cwd), parseYaml).gate,
    records: {
      standing: async () => standing,
      recordFirst: async (given) =>
        standing.inForce ?? (given === null ? null : { ...firstPolicy(standing, given), seq: 0 }),
    },
  });
}

/** Which policies count for this user. */
export async function standingFor(store: LogReader, env: NodeJS.ProcessEnv): Promise<PolicyStanding> {
  return policyStanding(await readOperatorTrail(store), () => trustedOperators(env));
}

/** Likewise of grants. */
export async function grantsFor(store: LogReader, env: NodeJS.ProcessEnv): Promise<GrantsStanding> {
  return grantsStanding(await readOperatorTrail(store), () => trustedOperators(env));
}

export function filePolicy(cwd: string) {
  const { gate } = readConfig(workspaceRoot(cwd), parseYaml);
  return { policy: gate, hash: policyHash(gate), json: encodeClaimPolicy(gate) };
}

/** Hashes and keeps as the session's recorder does. */
export async function sessionIntake(ledger: Ledger, start: Entry | null, cwd: string): Promise<Intake> {
  const { redact } = readConfig(workspaceRoot(cwd), parseYaml);
  const content = start?.payload.content === 'keep' ? 'keep' : 'none';
  const hashes = start?.payload.hashes === 'plain' ? 'plain' : 'salted';
  return new Intake({
    store: ledger.store,
    redactor: makeRedactor(redact),
    // Encrypted content has a key of its own; a claim made here has no words worth keeping.
    policy: { content, hashes },
  });
}

/** The session's work tree as it is now. */
export function treeNow(
  { directory }: Located,
  session: Session,
  intake: Intake,
): (id: string, runs: readonly Run[]) => Promise<TreeMoment> {
  const trees = new Trees({
    root: session.workspace_root,
    trees: `${directory}/trees`,
    hash: (id, text) => intake.hash(id, text),
  });
  return (id, runs) => trees.moment(id, runs);
}

export function commandsOf(session: Session, { evidence }: SessionRecord): ProjectCommands {
  const { changes } = evidence.evidence({ tree: null, changed: null, weakened: [], editedSince: new Map() });
  return projectCommands(
    session.workspace_root,
    changes.map(({ path }) => path),
  );
}

/** The text that a member of an entry refers to; null where it is not kept. */
export async function textOf(read: ReadContent, entry: Entry | null, member: string): Promise<string | null> {
  const value = await keptValue(read, entry, member, 'text/plain');
  return typeof value === 'string' ? value : null;
}

/** The same of a value that is no text. */
export async function keptValue(
  read: ReadContent,
  entry: Entry | null,
  member: string,
  type?: string,
): Promise<Json | undefined> {
  const ref = entry === null ? undefined : refOf(entry.payload[member] as Json | undefined);
  if (entry === null || ref === undefined) return undefined;
  const content = await read(entry.session_id, ref, LARGEST);
  return content.state === 'kept' ? contentValue(content.bytes, type) : undefined;
}
