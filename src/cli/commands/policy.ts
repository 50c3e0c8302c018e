// foil policy: which claims need which evidence. The one on record is in force, whatever the project's file says; an
// operator's signature puts another in its place.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { utf8Decode } from '#platform';
import { filePolicy, openOperator, readFile, reading, standingFor, withLedger } from '../../app/index.ts';
import { parseConfigText, parseYaml, trustedOperators } from '../../config/index.ts';
import { ParseError, StoreError, UsageError } from '../../core/index.ts';
import {
  acceptPolicy,
  firstPolicy,
  isBeforeEnrolment,
  policyStanding,
  type RecordedPolicy,
  readOperators,
  readOperatorTrail,
  workspaceRoot,
} from '../../ledger/index.ts';
import { type ClaimPolicy, parseClaimPolicy, policyHash } from '../../policy/index.ts';
import { columns, harmless, moment, policyChanges, policyLines, suggest } from '../../report/index.ts';
import { unknownLeast } from '../../rules/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { assertKnownOperator, unknownOperatorText } from '../unknown-operator.ts';

export const policy: Command = {
  name: 'policy',
  summary: 'check counterfoil.yaml, explain what claims need, or accept a changed policy',
  usage: 'check [FILE] | explain | accept',
  arguments: [1, 2],
  options: {},
  examples: ['foil policy check', 'foil policy explain', 'foil policy accept'],
  run,
};

const ACTIONS: Readonly<Record<string, (context: Context) => Promise<Outcome>>> = { check, explain, accept };
const MAX_FILE = 256 * 1024;

async function run(context: Context): Promise<Outcome> {
  const [name = '', file] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use check, explain or accept${suggest(name, Object.keys(ACTIONS))}`,
    );
  if (file !== undefined && name !== 'check') throw new UsageError('only `foil policy check` takes a file.');
  return action(context);
}

async function check({ cwd, arguments: [, given] }: Context): Promise<Outcome> {
  const file = given === undefined ? join(workspaceRoot(cwd), 'counterfoil.yaml') : resolve(cwd, given);
  if (!existsSync(file)) {
    if (given !== undefined) throw new StoreError('NOT_FOUND', `there is no file ${file}.`);
    const { hash } = filePolicy(cwd);
    return {
      json: { file: null, policy_hash: hash },
      text: `There is no counterfoil.yaml here, so the default policy applies: ${hash}.\n`,
    };
  }
  const text = utf8Decode(readFile(file, MAX_FILE, 'a configuration'));
  const { gate } = parseConfigText(text, file, parseYaml);
  assertKnown(gate, file);
  const hash = policyHash(gate);
  return {
    json: { file, policy_hash: hash },
    text: `${harmless(file)} is valid. Its policy is ${hash}.\n`,
  };
}

/** A validator that is given what it does not know refuses whoever asks it: nobody could settle a claim by it. */
function assertKnown(policy: ClaimPolicy, file: string): void {
  const unknown = unknownLeast(policy);
  if (unknown !== null) throw new ParseError('BAD_MEMBER', unknown, `${file}: gate`);
}

interface Acceptance {
  /** The operator's key; null where nobody accepted it. */
  readonly by: string | null;
  /** One whose signature does not hold is not in force. */
  readonly signature: 'good' | null;
  /** It is the key of an operator whom this user knows: another's is not in force. */
  readonly trusted: true | null;
}

async function explain(context: Context): Promise<Outcome> {
  const { cwd, env } = context;
  return reading(place(context), async ({ store }) => {
    const standing = await standingFor(store, env);
    const { inForce: recorded } = standing;
    const file = filePolicy(cwd);
    const { claimPolicy, policyHash: hash } = recorded ?? firstPolicy(standing, file.json);
    const current = parseClaimPolicy(claimPolicy);
    const accepted = recorded === undefined ? null : acceptanceOf(recorded);
    const unknown = standing.unknown.at(-1);
    const changes = file.hash === hash ? [] : policyChanges(current, file.policy);
    const differs = file.hash !== hash;
    return {
      json: {
        policy_hash: hash,
        seq: recorded?.seq ?? null,
        since: recorded?.ts ?? null,
        accepted,
        unknown:
          unknown === undefined
            ? null
            : {
                policy_hash: unknown.policyHash,
                seq: unknown.seq,
                accepted_by: unknown.accepted?.by ?? null,
                revoked: standing.isRevoked,
              },
        file_hash: file.hash,
        differs,
        changes,
        policy: claimPolicy,
      },
      text: [
        render(current, hash, recorded, accepted),
        differs ? renderDifference(file.hash, changes) : '',
        unknown === undefined ? '' : renderUnknown(unknown, standing.isRevoked),
      ].join(''),
    };
  });
}

function acceptanceOf({ accepted }: RecordedPolicy): Acceptance {
  if (accepted === null) return { by: null, signature: null, trusted: null };
  return { by: accepted.by, signature: 'good', trusted: true };
}

function render(
  current: ClaimPolicy,
  hash: string,
  recorded: RecordedPolicy | undefined,
  accepted: Acceptance | null,
): string {
  const since =
    recorded === undefined
      ? 'not on record yet; the first session will record it'
      : `since ${moment(recorded.ts)}, entry ${recorded.seq}`;
  const rows: [string, string][] = [
    ['in force', hash],
    ['', since],
    ...(accepted === null ? [] : [['accepted', acceptedWords(accepted)] as [string, string]]),
  ];
  return `${columns(rows, '')}\n\n${columns(policyLines(current).map(([name, needs]) => [name, harmless(needs)]))}\n`;
}

function acceptedWords({ by }: Acceptance): string {
  return by === null ? 'by nobody: it is the policy the project had when it was first recorded' : `by ${by}`;
}

function renderUnknown({ seq, policyHash: hash, accepted }: RecordedPolicy, isRevoked: boolean): string {
  const what = `Entry ${seq} has a different policy (${hash}), which isn't in force. It was`;
  return unknownOperatorText(what, accepted?.by ?? '', isRevoked);
}

function renderDifference(hash: string, changes: readonly string[]): string {
  return `
counterfoil.yaml has a different policy (${hash}), which isn't in force until an operator accepts it:
${changes.map((change) => `  ${harmless(change)}\n`).join('')}An operator can accept it with \`foil policy accept\`.
`;
}

async function accept(context: Context): Promise<Outcome> {
  const { cwd, env, now } = context;
  const file = filePolicy(cwd);
  assertKnown(file.policy, 'counterfoil.yaml');
  return withLedger(place(context), async (ledger) => {
    const { store } = ledger;
    const trail = await readOperatorTrail(store);
    const { inForce: recorded } = await policyStanding(trail, () => trustedOperators(env));
    const operators = await readOperators(store, await trustedOperators(env));
    const accepting = recorded?.policyHash === file.hash ? recorded.accepted : null;
    if (
      recorded !== undefined &&
      accepting !== null &&
      !operators.revoked.has(accepting.by) &&
      !isBeforeEnrolment(trail, recorded.seq, accepting.by)
    )
      return {
        json: {
          policy_hash: file.hash,
          seq: recorded.seq,
          accepted_by: accepting.by,
          changed: false,
        },
        text: `Nothing to accept: ${file.hash} has been in force since entry ${recorded.seq}.\n`,
      };
    const signer = await openOperator(env);
    assertKnownOperator(operators, signer, 'the policy');
    const { seq, accepted } = await acceptPolicy({ store, now }, file.json, signer);
    const before = recorded === undefined ? undefined : parseClaimPolicy(recorded.claimPolicy);
    const changes = before === undefined ? [] : policyChanges(before, file.policy);
    return {
      json: { policy_hash: file.hash, seq, accepted_by: accepted?.by ?? null, changed: true, changes },
      text: `Entry ${seq}: ${file.hash} is in force from now on.\n${changes.map((change) => `  ${harmless(change)}\n`).join('')}`,
    };
  });
}
