// foil auth: the keys that sessions present. A key is shown once, when it is made; it is read from a terminal, a file of
// the user's own or a pipe, never from the command line or the environment, where every other program can see it.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { StoreError } from '../../core/index.ts';
import {
  addKey,
  authDirectory,
  isKeyName,
  presentKey,
  readKeys,
  readPrivate,
  revokeKey,
  withdrawKey,
} from '../../session/index.ts';
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { readBounded } from '../input.ts';
import { place } from '../place.ts';
import { askSecrets } from '../terminal-secret.ts';
import { columns, harmless } from '../text.ts';

export const auth: Command = {
  name: 'auth',
  summary: 'make, list, revoke and present the keys that sessions must have',
  usage: 'add NAME [--present] | list | revoke ID|NAME | present [FILE|-] | withdraw',
  arguments: [1, 2],
  options: {
    present: { type: 'boolean', help: 'with add: sessions of this user present the new key from now on' },
  },
  examples: [
    'foil auth add laptop --present',
    'foil auth list',
    'foil auth revoke laptop',
    'foil auth present',
    'secret-tool lookup foil key | foil auth present -',
    'foil auth withdraw',
  ],
  notes: [
    'Once there is a key, revoked or not, every session needs a good one: in guard a session without is refused, in',
    'observe it is recorded as unauthenticated, with a warning. Whether a key is still good is looked at before each',
    'prompt, so revoking works at once. The ledger holds the id of a key, never the key.',
    'A key is never given as an argument or in the environment. See docs/auth.md.',
  ],
  run,
};

const KEY_LIMIT = 256;

const ACTIONS: Readonly<Record<string, (directory: string, context: Context) => Promise<Outcome>>> = {
  add,
  list,
  revoke,
  present,
  withdraw,
};

async function run(context: Context): Promise<Outcome> {
  const [name = '', argument] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `auth can add, list, revoke, present and withdraw, not ${withoutKey(name)}${suggest(name, Object.keys(ACTIONS))}`,
    );
  if (context.values.flag('present') && name !== 'add')
    throw new UsageError('--present belongs to `foil auth add`.');
  if (argument !== undefined) refuseKey(argument);
  if (argument !== undefined && (name === 'list' || name === 'withdraw'))
    throw new UsageError(`${name} takes no argument.`);
  return action(authDirectory(place(context)), context);
}

async function add(directory: string, context: Context): Promise<Outcome> {
  const name = context.arguments[1];
  if (name === undefined || !isKeyName(name))
    throw new UsageError('a key needs a name of 1 to 64 letters, digits and . _ @ + -: foil auth add laptop');
  const first = readKeys(directory).keys.length === 0;
  const { key, ...made } = addKey(directory, name, { random: randomBytes, now: context.now() });
  const presented = context.values.flag('present');
  if (presented) presentKey(directory, key, context.now());
  const lines = [
    '',
    `That is the key ${name}, shown this once: nobody can get it back.${
      context.columns === undefined ? '' : ' Keep it now, and clear the screen: it stays in its scrollback.'
    }`,
    `Its id is ${made.id}.`,
    presented
      ? 'Sessions of this user present it from now on.'
      : 'Present it where sessions begin: `foil auth present`, or `foil run --auth-key-file FILE`.',
    ...(first
      ? ['From now on every session needs a key: in guard one without is refused, in observe you are warned.']
      : []),
  ];
  return {
    json: { ...made, key, presented, directory },
    text: `${key}\n`,
    aside: lines.map((line) => `${line}\n`).join(''),
  };
}

async function list(directory: string): Promise<Outcome> {
  const { keys, problems } = readKeys(directory);
  const rows = keys.map(({ id, name, created, revoked, presented }): [string, string] => [
    `${id.slice(0, 16)}  ${name}`,
    `made ${created}${revoked === null ? '' : `, revoked ${revoked}`}${presented ? ', presented here' : ''}`,
  ]);
  const wrong = problems.map(({ message }) => `${harmless(message)}\n`).join('');
  const none = `There are no auth keys: sessions are not authenticated. \`foil auth add NAME --present\` makes one.\n`;
  return {
    exit: problems.length > 0 ? 1 : 0,
    json: { directory, keys, problems: problems.map(({ key, message }) => ({ id: key, message })) },
    text:
      keys.length + problems.length === 0
        ? none
        : `${rows.length === 0 ? '' : `${columns(rows, '')}\n`}${wrong}`,
  };
}

async function revoke(directory: string, context: Context): Promise<Outcome> {
  const which = context.arguments[1];
  if (which === undefined)
    throw new UsageError(
      'which key? foil auth revoke NAME, or the beginning of its id as foil auth list shows it.',
    );
  const presented = readKeys(directory).keys.filter((key) => key.presented);
  const { id, name, revoked } = revokeKey(directory, which, context.now());
  const ours = presented.some((key) => key.id === id);
  return {
    json: { id, name, revoked, presented: ours },
    text: `The key ${name} (${id.slice(0, 16)}) is revoked. The next prompt of every session that began with it is refused in guard, and
told of in observe.
${ours ? 'It is what sessions of this user present: `foil auth present` presents another one, `foil auth withdraw` none.\n' : ''}`,
  };
}

async function present(directory: string, context: Context): Promise<Outcome> {
  const { id, name } = presentKey(directory, await readKey(context), context.now());
  return {
    json: { id, name },
    text: `Sessions of this user present the key ${name} (${id.slice(0, 16)}) from now on. Those that have begun go on as they are.\n`,
  };
}

async function withdraw(directory: string): Promise<Outcome> {
  const was = withdrawKey(directory);
  return {
    json: { withdrawn: was },
    text: was
      ? 'Sessions of this user present no key from now on. Those that have begun go on as they are.\n'
      : 'No key was presented.\n',
  };
}

async function readKey({ arguments: [, from], cwd, stdin }: Context): Promise<string> {
  if (from === undefined) {
    const [typed = ''] = await askSecrets(
      ['Auth key: '],
      'there is no terminal to type the key at. Name a file of mode 0600, or give it on standard input: foil auth present -',
    );
    return typed.trim();
  }
  if (from === '-')
    return Buffer.from(await readBounded(stdin(), KEY_LIMIT, 'the auth key'))
      .toString('utf8')
      .trim();
  return readKeyFile(resolve(cwd, from));
}

/** A file with a key in it, for its owner alone. */
export function readKeyFile(path: string): string {
  refuseKey(path);
  const read = readPrivate(path, KEY_LIMIT);
  if (read === null) throw new StoreError('KEY', `there is no file ${path}.`);
  if ('problem' in read)
    throw new StoreError('KEY', `${read.problem}. A key is taken from a plain file of your own.`);
  return read.text.trim();
}

/** Nor is it told again. */
function refuseKey(word: string): void {
  if (word.includes('foilkey_'))
    throw new UsageError(
      'a key on the command line can be seen by every program, and stays in the history of the shell. Revoke that one, if it was real, and give a key to `foil auth present` at its prompt, in a file or on standard input.',
    );
}

/** A key given in place of an action. */
function withoutKey(word: string): string {
  return word.includes('foilkey_') ? 'a key' : word;
}
