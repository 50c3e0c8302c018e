// foil init: makes the ledger and says what to keep: the verifier key, without which nobody can tell the ledger from
// one rewritten with a fresh key. With --adopt it makes nothing: it registers a `.foil/` that this user has already.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { encodeVerifierKey, StoreError } from '../../core/index.ts';
import { KEY_DIR, SEGMENT_DIR, SETTINGS_FILE } from '../../format/index.ts';
import {
  ADOPT,
  isHere,
  keepOutOfGit,
  type Located,
  locate,
  locateHere,
  registerHere,
  standingOf,
} from '../../ledger/index.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { gitTracks } from '../hosts.ts';
import { makeLedger } from '../make-ledger.ts';
import { place, withLedger } from '../place.ts';
import { projectLedgers } from '../project-ledgers.ts';
import { keepPlaces } from '../settings-places.ts';
import { columns, harmless } from '../text.ts';

export const init: Command = {
  name: 'init',
  summary: 'make a ledger for this project',
  usage: '[--here | --adopt | --ledger DIR]',
  arguments: [0, 0],
  options: {
    here: {
      type: 'boolean',
      help: 'in .foil/ of this directory, keys included; your state directory notes that it is yours',
    },
    adopt: { type: 'boolean', help: 'make none: register the .foil/ of this directory as yours' },
  },
  examples: ['foil init', 'foil init --here && foil append note', 'foil init --adopt'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, env } = context;
  const here = values.flag('here');
  if (here && values.text('ledger') !== undefined)
    throw new UsageError('--here and --ledger name two places: choose one.');
  if (values.flag('adopt')) {
    if (here) throw new UsageError('--here makes a ledger and --adopt registers one: choose one.');
    return adopt(context);
  }
  if (here) assertFirst(context);
  const located = here ? locateHere(cwd, env) : place(context);
  const { origin, vkey, trustFile } = await makeLedger(located, env, { alone: here });
  keepPlaces(located, env);
  const { directory, keyDirectory } = located;
  return {
    json: { directory, origin, vkey, key_directory: keyDirectory, trust: trustFile ?? null },
    text: `${columns(
      [
        ['ledger', harmless(directory)],
        ['origin', origin],
        ['verifier key', vkey],
        ['private key in', harmless(keyDirectory)],
        ...(trustFile === undefined ? [] : [['pinned in', harmless(trustFile)] as const]),
      ],
      '',
    )}

Keep the verifier key where whoever writes to this ledger can't change it: a ledger that was rewritten with a fresh
key verifies against everything but that.

next
  foil append note --payload '{"text":"hi"}'
  foil verify --key ${vkey}
`,
  };
}

/** A second ledger of a project would be looked at in place of the first, whatever is wrong with that one. */
function assertFirst({ cwd, env }: Context): void {
  const { directory } = locateHere(cwd, env);
  if (existsSync(join(directory, SEGMENT_DIR)) && standingOf(directory, env).is === 'foreign')
    throw new StoreError(
      'EXISTS',
      `there is a ledger in ${directory} already, and it does not count. ${ADOPT}`,
    );
  const other = projectLedgers({ cwd, env }).find((each) => each !== directory);
  if (other === undefined) return;
  throw new StoreError(
    'EXISTS',
    `this project has a ledger already, ${other}, and commands would look at the new one in its place. Use that one, or move it away first. To make one beside it, name it: foil init --ledger DIR.`,
  );
}

/** Upstreams are not taken over: whoever brought the directory would choose where API keys are sent. */
async function adopt({ values, cwd, env }: Context): Promise<Outcome> {
  const directory = resolve(cwd, values.text('ledger') ?? '.foil');
  if (!isHere(directory))
    throw new UsageError('--adopt is for a directory called .foil. Any other counts where you name it.');
  if (!existsSync(join(directory, SEGMENT_DIR)))
    throw new StoreError('NOT_FOUND', `there is no ledger in ${directory}. Run \`foil init --here\`.`);
  const parent = dirname(directory);
  if (gitTracks(basename(directory), parent))
    throw new StoreError(
      'DENIED',
      `git tracks files in ${directory}, so it came with the repository, and its keys are known to others. Look at it with \`foil verify ${directory}\`, and run \`foil init\` for a ledger of your own.`,
    );
  const { origin, firstKey } = await withLedger(locate({ ledger: directory, env }), (ledger) =>
    ledger.identity(),
  );
  registerHere(directory, origin, env);
  const located: Located = { directory, keyDirectory: join(directory, KEY_DIR), how: 'here' };
  keepOutOfGit(directory);
  keepPlaces(located, env);
  const vkey = encodeVerifierKey(firstKey);
  const left = existsSync(join(directory, SETTINGS_FILE))
    ? 'Its settings file does not count any more: set the mode with `foil mode`, upstreams with `foil serve --upstream … --save`, and run `foil install` for hooks.\n'
    : '';
  return {
    json: { directory, origin, vkey, adopted: true },
    text: `${harmless(directory)} is registered as yours: ${origin}, verifier key ${vkey}.\n${left}`,
  };
}
