// foil operator: the key of the person who may change which evidence a claim needs and what agents may do, and who else may.

import {
  grantsFor,
  makeOperator,
  newPassphrase,
  openOperator,
  operatorFile,
  pinOperator,
  reading,
  readOperator,
  standingFor,
  withLedger,
} from '../../app/index.ts';
import { trustedOperators, userTrustFile } from '../../config/index.ts';
import { encodeVerifierKey, ParseError, parseVerifierKey, UsageError } from '../../core/index.ts';
import { assertNotRevoked, changeOperator, type LogReader, readOperators } from '../../ledger/index.ts';
import { harmless } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const operator: Command = {
  name: 'operator',
  summary: 'make or show your operator key, which signs policy changes; enrol, revoke or list operators',
  usage: 'init | show | enrol VKEY | revoke VKEY | list [options]',
  arguments: [1, 2],
  options: {
    'no-passphrase': {
      type: 'boolean',
      help: 'store the key unencrypted: every program that runs as you, agents included, can then accept any policy',
    },
  },
  examples: [
    'foil operator init',
    'foil operator show',
    'foil operator enrol operator+1a2b3c4d+AbC…',
    'foil operator list',
    'foil operator init --no-passphrase',
  ],
  run,
};

const CLEAR = `WARNING: the key isn't encrypted. Every program that runs as you can sign with it, including the agents that the policy
is meant to control. A signature shows that a policy was accepted, but not that you accepted it.
`;

async function run(context: Context): Promise<Outcome> {
  const {
    arguments: [action = '', vkey],
    values,
    env,
    warn,
  } = context;
  if (action === 'enrol' || action === 'revoke') return change(context, action, vkey);
  if (vkey !== undefined) throw new UsageError(`\`foil operator ${action}\` takes no key.`);
  if (action === 'list') return list(context);
  const clear = values.flag('no-passphrase');
  if (action === 'show') {
    if (clear) throw new UsageError('Only `foil operator init` takes --no-passphrase.');
    return show(env);
  }
  if (action !== 'init')
    throw new UsageError(`Unknown subcommand "${action}". Use init, show, enrol, revoke or list.`);
  const there = readOperator(env);
  if (there !== null)
    return {
      exit: 1,
      json: { error: { code: 'EXISTS', message: 'an operator key already exists' } },
      text: `You already have an operator key, in ${harmless(there.file)}.\n`,
    };
  if (clear)
    warn('without a passphrase, every program that runs as you, agents included, can accept a policy.');
  const made = await makeOperator(env, clear ? null : await newPassphrase(env));
  const trust = userTrustFile(env);
  await pinOperator(trust, made.vkey);
  return {
    json: { ...made, trust },
    text: `${made.vkey}

The private half is in ${harmless(made.file)}, ${made.encrypted ? 'encrypted with your passphrase, which nobody can recover for you' : 'unencrypted'}. The public half is
trusted from now on: see ${harmless(trust)}.
${made.encrypted ? '' : CLEAR}`,
  };
}

async function change(context: Context, action: 'enrol' | 'revoke', text?: string): Promise<Outcome> {
  if (text === undefined)
    throw new UsageError(
      `Which operator? Use \`foil operator ${action} VKEY\`. \`foil operator show\` prints a key.`,
    );
  const vkey = keyOf(text);
  const { env, now } = context;
  return withLedger(place(context), async ({ store }) => {
    const operators = await readOperators(store, await trustedOperators(env));
    if (action === 'enrol' ? operators.enrolled.has(vkey) : operators.revoked.has(vkey))
      return {
        json: { operator: vkey, seq: null, changed: false },
        text: `Nothing to do: that operator is already ${action === 'enrol' ? 'enrolled' : 'revoked'}.\n`,
      };
    const signer = await openOperator(env);
    assertNotRevoked(operators, signer);
    const seq = await changeOperator({ store, now }, action, vkey, signer);
    const left = action === 'revoke' ? await acceptedBy(vkey, store, env) : null;
    return {
      json: {
        operator: vkey,
        seq,
        changed: true,
        ...(left === null ? {} : { in_force: left.map(({ what }) => what) }),
      },
      text: `Entry ${seq}: ${harmless(vkey)} is ${action === 'enrol' ? 'an operator' : 'no longer an operator'} from now on, for everyone who trusts your key.\n${(left ?? []).map(leftText).join('')}`,
    };
  });
}

interface LeftInForce {
  readonly what: 'grants' | 'policy';
  readonly seq: number;
}

/** What is in force by the word of that key: revoking it takes nothing back. */
async function acceptedBy(
  vkey: string,
  store: LogReader,
  env: NodeJS.ProcessEnv,
): Promise<readonly LeftInForce[]> {
  const { inForce: grants } = await grantsFor(store, env);
  const { inForce: policy } = await standingFor(store, env);
  return [
    ...(grants?.accepted.by === vkey ? [{ what: 'grants', seq: grants.seq } as const] : []),
    ...(policy?.accepted?.by === vkey ? [{ what: 'policy', seq: policy.seq } as const] : []),
  ];
}

function leftText({ what, seq }: LeftInForce): string {
  const those = what === 'grants' ? 'grants in force were' : 'policy in force was';
  return `The ${those} accepted by that key (entry ${seq}) and ${what === 'grants' ? 'stay' : 'stays'} in force. Look with \`foil ${what} explain\`,
then run \`foil ${what} accept\` to put in force what counterfoil.yaml says, by your own key.
`;
}

async function list(context: Context): Promise<Outcome> {
  const trusted = await trustedOperators(context.env);
  return reading(place(context), async ({ store }) => {
    const { pinned, enrolled, revoked } = await readOperators(store, trusted);
    const rows = [
      ...[...(pinned ?? [])].filter((key) => !revoked.has(key)).map((key) => ['trusted', key] as const),
      ...[...enrolled].map((key) => ['enrolled', key] as const),
      ...[...revoked].map((key) => ['revoked', key] as const),
    ];
    return {
      json: { operators: rows.map(([state, vkey]) => ({ vkey, state })) },
      text:
        rows.map(([state, vkey]) => `${state.padEnd(8)}  ${harmless(vkey)}\n`).join('') ||
        'No operator is known here. Run `foil operator init` to make a key.\n',
    };
  });
}

function keyOf(text: string): string {
  try {
    return encodeVerifierKey(parseVerifierKey(text));
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new UsageError(`${error.message}. Give the whole first line that \`foil operator show\` prints.`, {
      cause: error,
    });
  }
}

function show(env: NodeJS.ProcessEnv): Outcome {
  const found = readOperator(env);
  if (found === null)
    return {
      exit: 3,
      json: { vkey: null, file: operatorFile(env) },
      text: 'There is no operator key here. Run `foil operator init` to make one.\n',
    };
  return {
    json: found,
    text: `${found.vkey}\n${harmless(found.file)}, ${found.encrypted ? 'encrypted' : 'unencrypted'}\n`,
  };
}
