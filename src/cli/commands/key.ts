// foil key: the keys a ledger and its validations were and are signed with, and the hand-over to a new one.
import { encodeHex, encodeVerifierKey, makeVerifierKey, parseHex } from '../../core/index.ts';
import { type Ledger, type Located, validatorName } from '../../ledger/index.ts';
import { openKeyring } from '../../store/files/index.ts';
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { place, withLedger } from '../place.ts';
import { harmless } from '../text.ts';
import { pin, readTrust, userTrustFile } from '../trust.ts';

export const key: Command = {
  name: 'key',
  summary: "list the ledger's keys, or rotate to a new one",
  usage: 'list | rotate [options]',
  arguments: [1, 1],
  options: {
    validator: { type: 'boolean', help: 'rotate the key that signs validations, not the one of the ledger' },
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
    throw new UsageError(`key can list and rotate, not ${name}${suggest(name, Object.keys(ACTIONS))}`);
  const ofValidator = context.values.flag('validator');
  if (ofValidator && name !== 'rotate') throw new UsageError('--validator belongs to `foil key rotate`.');
  const located = place(context);
  return withLedger(located, (ledger) =>
    ofValidator ? rotateValidator(ledger) : action(ledger, located, context.env),
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
  const validators = await ledger.validatorKeys();
  const validatorsHere = await keyring.list(validatorName(origin));
  const ofValidator = validators.map(({ seq, version, publicKey }, index) => ({
    vkey: encodeVerifierKey(makeVerifierKey(validatorName(origin), parseHex(publicKey, 32))),
    from: seq,
    current: index === validators.length - 1,
    private: validatorsHere.includes(publicKey),
    validator: version,
  }));
  const lines = [...keys, ...ofValidator].map((each) => {
    const state = [
      ...('validator' in each ? [`validator ${each.validator}`] : []),
      ...(each.current ? ['current'] : []),
      each.private ? 'private key here' : 'private key not here',
    ].join(', ');
    return `${each.vkey}  from ${each.from}  ${state}\n`;
  });
  return { json: [...keys, ...ofValidator], text: lines.join('') };
}

async function rotateValidator(ledger: Ledger): Promise<Outcome> {
  const { seq, version, publicKey, old } = await ledger.rotateValidator();
  const { origin } = await ledger.identity();
  const vkey = encodeVerifierKey(makeVerifierKey(validatorName(origin), parseHex(publicKey, 32)));
  const before =
    old === null
      ? 'It is the first one.\n'
      : `The old private key, version ${old.version}, is destroyed: nobody can sign with it any more. What it signed before entry ${seq} keeps
verifying.
`;
  return {
    json: { seq, version, vkey, old: old?.version ?? null },
    text: `Entry ${seq}: validations are signed with version ${version} of the validator key from here on,
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
The old private key is destroyed: nobody can sign another version of the entries before ${seq}. Whoever pinned the old
key need do nothing to verify the ledger, for it vouches for the new one. Proofs made from now on are signed by the new
key alone: give it to those who check them.
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
