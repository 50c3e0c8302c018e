// foil key: the keys a ledger, its validations and its receipts were and are signed with, and the hand-over to a new one.

import { pin, reading, withLedger } from '../../app/index.ts';
import { readTrust, userTrustFile } from '../../config/index.ts';
import { encodeHex, encodeVerifierKey, makeVerifierKey, parseHex, UsageError } from '../../core/index.ts';
import {
  gatewayName,
  type Ledger,
  type Located,
  type ValidatorEpoch,
  validatorName,
} from '../../ledger/index.ts';
import { harmless, suggest } from '../../report/index.ts';
import { openKeyring } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const key: Command = {
  name: 'key',
  summary: "list the ledger's keys, or rotate to a new one",
  usage: 'list | rotate [options]',
  arguments: [1, 1],
  options: {
    validator: { type: 'boolean', help: "rotate the key that signs validations, instead of the ledger's" },
    gateway: {
      type: 'boolean',
      help: "rotate the key that signs the gateway's receipts, instead of the ledger's",
    },
  },
  examples: ['foil key list', 'foil key rotate', 'foil key rotate --validator'],
  run,
};

const ACTIONS: Readonly<
  Record<string, (ledger: Ledger, located: Located, env: NodeJS.ProcessEnv) => Promise<Outcome>>
> = { list, rotate };

async function run(context: Context): Promise<Outcome> {
  const name = context.arguments[0] ?? '';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use \`foil key list\` or \`foil key rotate\`${suggest(name, Object.keys(ACTIONS))}`,
    );
  const roles = Object.keys(ROLES).filter((role) => context.values.flag(role));
  const [role = ''] = roles;
  if (role !== '' && name !== 'rotate') throw new UsageError(`Only \`foil key rotate\` takes --${role}.`);
  if (roles.length > 1)
    throw new UsageError('--validator and --gateway are different keys. Rotate one at a time.');
  const rotated = ROLES[role];
  const located = place(context);
  const open = name === 'list' ? reading : withLedger;
  return open(located, (ledger) =>
    rotated === undefined ? action(ledger, located, context.env) : rotateRole(ledger, rotated),
  );
}

async function list(ledger: Ledger, { keyDirectory }: Located): Promise<Outcome> {
  const { origin } = await ledger.identity();
  const keyring = openKeyring(keyDirectory);
  const here = await keyring.list(origin);
  const epochs = await ledger.epochs();
  const keys = epochs.map(({ from, key: each }, index) => ({
    vkey: encodeVerifierKey(each),
    from,
    current: index === epochs.length - 1,
    private: here.includes(encodeHex(each.publicKey)),
  }));
  const certified = async (name: string, epochsOf: readonly ValidatorEpoch[]) => {
    const here_ = await keyring.list(name);
    return epochsOf.map(({ seq, version, publicKey }, index) => ({
      vkey: encodeVerifierKey(makeVerifierKey(name, parseHex(publicKey, 32))),
      from: seq,
      current: index === epochsOf.length - 1,
      private: here_.includes(publicKey),
      version,
    }));
  };
  const ofValidator = (await certified(validatorName(origin), await ledger.validatorKeys())).map(
    ({ version, ...each }) => ({ ...each, validator: version }),
  );
  const ofGateway = (await certified(gatewayName(origin), await ledger.gatewayKeys())).map(
    ({ version, ...each }) => ({ ...each, gateway: version }),
  );
  const all = [...keys, ...ofValidator, ...ofGateway];
  const lines = all.map((each) => {
    const state = [
      ...('validator' in each ? [`validator ${each.validator}`] : []),
      ...('gateway' in each ? [`gateway ${each.gateway}`] : []),
      ...(each.current ? ['current'] : []),
      each.private ? 'private key here' : 'no private key here',
    ].join(', ');
    return `${each.vkey}  from ${each.from}  ${state}\n`;
  });
  return { json: all, text: lines.join('') };
}

interface RotatedRole {
  readonly signs: string;
  readonly key: string;
  name(origin: string): string;
  rotate(ledger: Ledger): ReturnType<Ledger['rotateValidator']>;
}

const ROLES: Readonly<Record<string, RotatedRole>> = {
  validator: {
    signs: 'validations',
    key: 'validator',
    name: validatorName,
    rotate: (ledger) => ledger.rotateValidator(),
  },
  gateway: {
    signs: 'receipts',
    key: 'gateway',
    name: gatewayName,
    rotate: (ledger) => ledger.rotateGateway(),
  },
};

async function rotateRole(ledger: Ledger, role: RotatedRole): Promise<Outcome> {
  const { seq, version, publicKey, old } = await role.rotate(ledger);
  const { origin } = await ledger.identity();
  const vkey = encodeVerifierKey(makeVerifierKey(role.name(origin), parseHex(publicKey, 32)));
  const before =
    old === null
      ? 'It is the first such key.\n'
      : `The old private key, version ${old.version}, is destroyed, so nobody can sign with it any more. What it signed before entry ${seq} still
verifies.
`;
  return {
    json: { seq, version, vkey, old: old?.version ?? null },
    text: `Entry ${seq}: ${role.signs} are signed with version ${version} of the ${role.key} key from now on,
${vkey}
${before}`,
  };
}

async function rotate(ledger: Ledger, { directory }: Located, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const { seq, oldKey, newKey } = await ledger.rotateKey();
  const [old, vkey] = [encodeVerifierKey(oldKey), encodeVerifierKey(newKey)];
  const pinned = await repin(userTrustFile(env), old, vkey, directory);
  return {
    json: { seq, old, vkey, trust: pinned ?? null },
    text: `Entry ${seq} hands over from ${old}
to ${vkey}
${pinned === undefined ? '' : `which is now pinned in ${harmless(pinned)} too.\n`}
The old private key is destroyed, so nobody can sign another version of the entries before ${seq}. If you pinned the old
key, you can still verify the ledger with it, because it vouches for the new one. Only the new key signs new proofs, so
give it to the people who check them.
`,
  };
}

/** Where the owner of this machine pinned the old key, the new one belongs beside it. */
async function repin(
  file: string,
  old: string,
  vkey: string,
  directory: string,
): Promise<string | undefined> {
  const trust = await readTrust(file);
  if (trust?.ledgers.some(({ key: each }) => encodeVerifierKey(each) === old) !== true) return undefined;
  await pin(file, vkey, directory);
  return file;
}
