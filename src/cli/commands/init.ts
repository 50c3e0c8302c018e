// foil init: makes the ledger and says what to keep: the verifier key, without which nobody can tell the ledger from
// one rewritten with a fresh key. With --adopt it makes nothing: it registers a `.foil/` that this user has already.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gitTracks, keepPlaces, makeLedger, withLedger } from '../../app/index.ts';
import { encodeVerifierKey, StoreError, UsageError } from '../../core/index.ts';
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
import { columns, harmless } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { projectLedgers } from '../project-ledgers.ts';

export const init: Command = {
  name: 'init',
  summary: 'make a ledger for this project',
  usage: '[--here | --adopt | --ledger DIR]',
  arguments: [0, 0],
  options: {
    here: {
      type: 'boolean',
      help: 'put the ledger and its keys into .foil/ here; your state directory notes that it is yours',
    },
    adopt: { type: 'boolean', help: 'make no ledger, but register the .foil/ of this directory as yours' },
  },
  examples: ['foil init', 'foil init --here && foil append note', 'foil init --adopt'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, env } = context;
  const here = values.flag('here');
  if (here && values.text('ledger') !== undefined)
    throw new UsageError('--here and --ledger name two places. Choose one.');
  if (values.flag('adopt')) {
    if (here) throw new UsageError('--here makes a ledger and --adopt registers one. Choose one.');
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

Keep the verifier key where nobody who writes to this ledger can change it. Only this key shows that a ledger wasn't
rewritten with a new one.

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
      `${directory} already holds a ledger, but it isn't registered as yours. ${ADOPT}`,
    );
  const other = projectLedgers({ cwd, env }).find((each) => each !== directory);
  if (other === undefined) return;
  throw new StoreError(
    'EXISTS',
    `this project already has a ledger, ${other}, and commands would use the new one instead. Use the old one, or move it away first. To make a second one, name it: foil init --ledger DIR.`,
  );
}

/** Upstreams are not taken over: whoever brought the directory would choose where API keys are sent. */
async function adopt({ values, cwd, env }: Context): Promise<Outcome> {
  const directory = resolve(cwd, values.text('ledger') ?? '.foil');
  if (!isHere(directory))
    throw new UsageError(
      '--adopt only works with a directory called .foil. Name any other ledger with --ledger.',
    );
  if (!existsSync(join(directory, SEGMENT_DIR)))
    throw new StoreError('NOT_FOUND', `there is no ledger in ${directory}. Run \`foil init --here\`.`);
  const parent = dirname(directory);
  if (gitTracks(basename(directory), parent))
    throw new StoreError(
      'DENIED',
      `git tracks files in ${directory}. So it came with the repository, and others know its keys. Check it with \`foil verify ${directory}\`, and run \`foil init\` to make your own ledger.`,
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
    ? 'foil no longer reads its settings file. Set the mode with `foil mode` and upstreams with `foil serve --upstream … --save`, and run `foil install` for hooks.\n'
    : '';
  return {
    json: { directory, origin, vkey, adopted: true },
    text: `${harmless(directory)} is registered as yours: ${origin}, verifier key ${vkey}.\n${left}`,
  };
}
