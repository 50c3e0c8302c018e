// foil anchor: what binds the ledger to something outside of it. One table of actions, each in a file of its own.

import { acceptAnchor } from '../anchor/accept.ts';
import { gitNow } from '../anchor/git.ts';
import { pushNow } from '../anchor/push.ts';
import { stampNow } from '../anchor/stamp.ts';
import { anchorStatus } from '../anchor/status.ts';
import { upgradeNow } from '../anchor/upgrade.ts';
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';

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
  summary: 'bind the ledger to Bitcoin and to git: stamp it, complete stamps, commit, push',
  usage: 'accept | stamp | upgrade | status | git | push REMOTE [options]',
  arguments: [1, 2],
  options: {
    calendar: {
      type: 'string',
      multiple: true,
      value: 'URL',
      help: 'an OpenTimestamps calendar, instead of those in counterfoil.yaml; may be given more than once',
    },
    repair: { type: 'boolean', help: 'with git: write all objects again, also those that should be there' },
    'dry-run': { type: 'boolean', help: 'with push: say what would be sent, and send nothing' },
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
    'accept    lets the sources and calendars in counterfoil.yaml be asked, where they are not the public ones.',
    'stamp     seals what is unsealed and has calendars promise to get the checkpoint into a Bitcoin block. They learn a',
    '          hash that tells nothing. Without a network it waits in a queue.',
    'upgrade   asks the calendars for what they promised, checks the block itself, and completes what it can: hours later.',
    'status    shows every stamp, what waits, and the newest block that is known.',
    '',
    'git       brings the git repository in the ledger to where the ledger is: makes it, repairs it, names what contradicts.',
    'push      sends its branches, main and archive to another repository, as `git push` does. Never forced, never a prompt.',
    '',
    'With `anchor: {stamps: true}` in counterfoil.yaml the service stamps and completes by itself, with `{git: true}` it commits.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const name = context.arguments[0] ?? '';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const names = Object.keys(ACTIONS);
  if (action === undefined)
    throw new UsageError(
      `anchor can ${names.slice(0, -1).join(', ')} and ${names.at(-1)}, not ${name}${suggest(name, names)}`,
    );
  for (const option of Object.keys(anchor.options)) {
    if (context.values.flag(option) && !action.options.includes(option))
      throw new UsageError(`--${option} does not belong to \`foil anchor ${name}\`.`);
  }
  if (context.arguments.length - 1 !== (action.arguments ?? 0))
    throw new UsageError(
      action.arguments === undefined
        ? `\`foil anchor ${name}\` takes no argument.`
        : 'name the repository to push to: a URL, a path, or a remote of the ledger\u2019s own repository.',
    );
  return action.run(context);
}
