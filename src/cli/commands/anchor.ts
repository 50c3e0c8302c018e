// foil anchor: what binds the ledger to something outside of it. One table of actions, each in a file of its own.

import { stampNow } from '../anchor/stamp.ts';
import { anchorStatus } from '../anchor/status.ts';
import { upgradeNow } from '../anchor/upgrade.ts';
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';

interface Action {
  /** Of the command's options, those that it takes. */
  readonly options: readonly string[];
  run(context: Context): Promise<Outcome>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  stamp: { options: ['calendar'], run: stampNow },
  upgrade: { options: ['calendar'], run: upgradeNow },
  status: { options: [], run: anchorStatus },
};

export const anchor: Command = {
  name: 'anchor',
  summary: 'bind the ledger to Bitcoin: stamp it, complete stamps, see how they stand',
  usage: 'stamp | upgrade | status [options]',
  arguments: [1, 1],
  options: {
    calendar: {
      type: 'string',
      multiple: true,
      value: 'URL',
      help: 'an OpenTimestamps calendar, instead of those in counterfoil.yaml; may be given more than once',
    },
  },
  examples: [
    'foil anchor stamp',
    'foil anchor upgrade',
    'foil anchor status --json',
    'foil anchor stamp --calendar https://alice.btc.calendar.opentimestamps.org',
  ],
  notes: [
    'stamp     seals what is unsealed and has calendars promise to get the checkpoint into a Bitcoin block. They learn a',
    '          hash that tells nothing. Without a network it waits in a queue.',
    'upgrade   asks the calendars for what they promised, checks the block itself, and completes what it can: hours later.',
    'status    shows every stamp, what waits, and the newest block that is known.',
    '',
    'With `anchor: {stamps: true}` in counterfoil.yaml the service does both by itself.',
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
  return action.run(context);
}
