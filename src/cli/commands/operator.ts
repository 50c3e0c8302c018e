// foil operator: the key of the person who may change which evidence a claim needs.
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { makeOperator, newPassphrase, operatorFile, readOperator } from '../operator-key.ts';
import { harmless } from '../text.ts';
import { pinOperator, userTrustFile } from '../trust.ts';

export const operator: Command = {
  name: 'operator',
  summary: 'make or show the key of the person who may change the policy',
  usage: 'init | show [options]',
  arguments: [1, 1],
  options: {
    'no-passphrase': {
      type: 'boolean',
      help: 'keep the key in clear: whoever runs as you can then accept any policy, agents included',
    },
  },
  examples: ['foil operator init', 'foil operator show', 'foil operator init --no-passphrase'],
  run,
};

const CLEAR = `WARNING: the key lies there in clear. Every program that runs as you can sign with it, the agents whose claims it is
meant to hold to the policy included. It shows that a policy was accepted, not that you did it.
`;

async function run({ arguments: [action = ''], values, env, warn }: Context): Promise<Outcome> {
  const clear = values.flag('no-passphrase');
  if (action === 'show') {
    if (clear) throw new UsageError('--no-passphrase belongs to `foil operator init`.');
    return show(env);
  }
  if (action !== 'init') throw new UsageError(`operator can init and show, not ${action}.`);
  const there = readOperator(env);
  if (there !== null)
    return {
      exit: 1,
      json: { error: { code: 'EXISTS', message: 'there is an operator key already' } },
      text: `There is an operator key already, in ${harmless(there.file)}.\n`,
    };
  if (clear)
    warn('without a passphrase every program that runs as you can accept a policy, agents included.');
  const made = await makeOperator(env, clear ? null : await newPassphrase(env));
  const trust = userTrustFile(env);
  await pinOperator(trust, made.vkey);
  return {
    json: { ...made, trust },
    text: `${made.vkey}

The private half is in ${harmless(made.file)}, ${made.encrypted ? 'encrypted under your passphrase: nobody can get it back without it' : 'in clear'}. The public half is
trusted from now on, in ${harmless(trust)}.
${made.encrypted ? '' : CLEAR}`,
  };
}

function show(env: NodeJS.ProcessEnv): Outcome {
  const found = readOperator(env);
  if (found === null)
    return {
      exit: 3,
      json: { vkey: null, file: operatorFile(env) },
      text: 'There is no operator key here. `foil operator init` makes one.\n',
    };
  return {
    json: found,
    text: `${found.vkey}\n${harmless(found.file)}, ${found.encrypted ? 'encrypted' : 'in clear'}\n`,
  };
}
