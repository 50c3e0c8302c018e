// foil auth: the keys that sessions present. A key is shown once, when it is made; it is read from a terminal, a file of
// the user's own or a pipe, never from the command line or the environment, where every other program can see it.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { askSecrets, readBounded } from '../../app/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { columns, harmless, suggest } from '../../report/index.ts';
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
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const auth: Command = {
  name: 'auth',
  summary: 'make, list, revoke and present the keys that sessions need',
  usage: 'add NAME [--present] | list | revoke ID|NAME | present [FILE|-] | withdraw',
  arguments: [1, 2],
  options: {
    present: { type: 'boolean', help: "with add: this user's sessions present the new key from now on" },
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
    'Once a key exists, revoked or not, every session needs a good one. In guard, a session without one is refused. In',
    'observe, it is recorded as unauthenticated, with a warning. foil checks before each prompt that the key is still good,',
    'so revoking works at once. The ledger holds the id of a key, never the key.',
    'Never pass a key as an argument or in the environment. See docs/auth.md.',
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
      `Unknown subcommand "${withoutKey(name)}". Use add, list, revoke, present or withdraw${suggest(name, Object.keys(ACTIONS))}`,
    );
  if (context.values.flag('present') && name !== 'add')
    throw new UsageError('Only `foil auth add` takes --present.');
  if (argument !== undefined) refuseKey(argument);
  if (argument !== undefined && (name === 'list' || name === 'withdraw'))
    throw new UsageError(`${name} takes no argument.`);
  return action(authDirectory(place(context)), context);
}

async function add(directory: string, context: Context): Promise<Outcome> {
  const name = context.arguments[1];
  if (name === undefined || !isKeyName(name))
    throw new UsageError(
      'a key needs a name of 1 to 64 letters, digits or . _ @ + - characters. Example: foil auth add laptop',
    );
  const first = readKeys(directory).keys.length === 0;
  const { key, ...made } = addKey(directory, name, { random: randomBytes, now: context.now() });
  const presented = context.values.flag('present');
  if (presented) presentKey(directory, key, context.now());
  const lines = [
    '',
    `This is the key ${name}. It is shown only this once, and can't be recovered.${
      context.columns === undefined ? '' : ' Save it now, then clear the screen and its scrollback.'
    }`,
    `Its id is ${made.id}.`,
    presented
      ? "This user's sessions present it from now on."
      : 'To use it for sessions, run `foil auth present`, or `foil run --auth-key-file FILE`.',
    ...(first
      ? [
          'From now on every session needs a key. Without one, guard refuses the session and observe warns you.',
        ]
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
  const none = `There are no auth keys, so sessions aren't authenticated. Run \`foil auth add NAME --present\` to make one.\n`;
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
      'Which key? Use `foil auth revoke NAME`, or the beginning of an id that `foil auth list` shows.',
    );
  const presented = readKeys(directory).keys.filter((key) => key.presented);
  const { id, name, revoked } = revokeKey(directory, which, context.now());
  const ours = presented.some((key) => key.id === id);
  return {
    json: { id, name, revoked, presented: ours },
    text: `The key ${name} (${id.slice(0, 16)}) is revoked. Sessions that began with it are affected from their next prompt: guard refuses it, and
observe warns you.
${ours ? "This user's sessions still present it. Run `foil auth present` to present another key, or `foil auth withdraw` for none.\n" : ''}`,
  };
}

async function present(directory: string, context: Context): Promise<Outcome> {
  const { id, name } = presentKey(directory, await readKey(context), context.now());
  return {
    json: { id, name },
    text: `This user's sessions present the key ${name} (${id.slice(0, 16)}) from now on. Running sessions don't change.\n`,
  };
}

async function withdraw(directory: string): Promise<Outcome> {
  const was = withdrawKey(directory);
  return {
    json: { withdrawn: was },
    text: was
      ? "This user's sessions present no key from now on. Running sessions don't change.\n"
      : 'No key was presented.\n',
  };
}

async function readKey({ arguments: [, from], cwd, stdin }: Context): Promise<string> {
  if (from === undefined) {
    const [typed = ''] = await askSecrets(
      ['Auth key: '],
      'there is no terminal to type the key into. Name a file of mode 0600, or pipe the key in: foil auth present -',
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
    throw new StoreError('KEY', `${read.problem}. The key must be in a regular file that you own.`);
  return read.text.trim();
}

/** Nor is it told again. */
function refuseKey(word: string): void {
  if (word.includes('foilkey_'))
    throw new UsageError(
      'every program can see a key on the command line, and the shell keeps it in its history. If the key was real, revoke it. Give a key to `foil auth present` at its prompt, in a file, or on standard input.',
    );
}

/** A key given in place of an action. */
function withoutKey(word: string): string {
  return word.includes('foilkey_') ? 'a key' : word;
}
