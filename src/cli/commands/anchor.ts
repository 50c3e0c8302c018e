// foil anchor: what binds the ledger to something outside of it. One table of actions, each in a file of its own.

import { UsageError } from '../../core/index.ts';
import { suggest } from '../../report/index.ts';
import { acceptAnchor } from '../anchor/accept.ts';
import { gitNow } from '../anchor/git.ts';
import { pushNow } from '../anchor/push.ts';
import { stampNow } from '../anchor/stamp.ts';
import { anchorStatus } from '../anchor/status.ts';
import { upgradeNow } from '../anchor/upgrade.ts';
import type { Command, Context, Outcome } from '../command.ts';

interface Action {
  /** Of the command's options, those that it takes. */
  readonly options: readonly string[];
  /** How many arguments stand behind its name. */
  readonly arguments?: number;
  run(context: Context): Promise<Outcome>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  accept: { options: [], run: acceptAnchor },
  stamp: { options: ['calendar'], run: stampNow },
  upgrade: { options: ['calendar'], run: upgradeNow },
  status: { options: [], run: anchorStatus },
  git: { options: ['repair'], run: gitNow },
  push: { options: ['dry-run'], arguments: 1, run: pushNow },
};

export const anchor: Command = {
  name: 'anchor',
  summary: 'anchor the ledger in Bitcoin and git: stamp it, complete stamps, commit, push',
  usage: 'accept | stamp | upgrade | status | git | push REMOTE [options]',
  arguments: [1, 2],
  options: {
    calendar: {
      type: 'string',
      multiple: true,
      value: 'URL',
      help: 'use this OpenTimestamps calendar instead of those in counterfoil.yaml (repeatable)',
    },
    repair: {
      type: 'boolean',
      help: 'with git: write all objects again, even those that should already exist',
    },
    'dry-run': { type: 'boolean', help: 'with push: show what would be sent, without sending it' },
  },
  examples: [
    'foil anchor accept',
    'foil anchor stamp',
    'foil anchor upgrade',
    'foil anchor status --json',
    'foil anchor stamp --calendar https://alice.btc.calendar.opentimestamps.org',
    'foil anchor git && git --git-dir ~/.local/state/counterfoil/PROJECT/git log branch-4',
    'foil anchor push git@example.org:team/sessions.git --dry-run',
  ],
  notes: [
    "accept    allows foil to ask the sources and calendars in counterfoil.yaml, if they aren't the public ones.",
    'stamp     seals new entries and asks calendars to put the checkpoint into a Bitcoin block. They only see a hash,',
    '          which reveals nothing. Without a network, the request waits in a queue.',
    'upgrade   asks the calendars, hours later, for what they promised. It checks the block itself and completes the stamps.',
    'status    shows every stamp, everything that is waiting, and the newest known block.',
    '',
    "git       brings the ledger's git repository up to date. It creates or repairs it, and reports any contradiction.",
    'push      sends its branches, main and archive to another repository, like `git push`. It never forces or prompts.',
    '',
    'With `anchor: {stamps: true}` in counterfoil.yaml, the service stamps by itself. With `{git: true}`, it commits by itself.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const name = context.arguments[0] ?? '';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const names = Object.keys(ACTIONS);
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use ${names.slice(0, -1).join(', ')} or ${names.at(-1)}${suggest(name, names)}`,
    );
  for (const option of Object.keys(anchor.options)) {
    if (context.values.flag(option) && !action.options.includes(option))
      throw new UsageError(`\`foil anchor ${name}\` doesn't take --${option}.`);
  }
  if (context.arguments.length - 1 !== (action.arguments ?? 0))
    throw new UsageError(
      action.arguments === undefined
        ? `\`foil anchor ${name}\` takes no arguments.`
        : "say where to push: a URL, a path, or a remote of the ledger's own repository.",
    );
  return action.run(context);
}
