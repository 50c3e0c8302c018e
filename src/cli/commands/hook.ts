// foil hook: the command that hosts start. It is run by start.ts, ahead of everything else; this is its entry in the
// table, and the help for whoever tries it by hand.
import { ADAPTERS } from '../../capture/hooks/index.ts';
import { UsageError } from '../../core/index.ts';
import type { Command } from '../command.ts';

export const hook: Command = {
  name: 'hook',
  summary: 'record one event of an agent from standard input, and answer the agent',
  usage: `${ADAPTERS.map(({ agent }) => agent).join('|')} [options] < EVENT`,
  arguments: [1, 1],
  options: {
    event: {
      type: 'string',
      value: 'NAME',
      help: "the event's name, for agents that don't put it into the input",
    },
    mode: { type: 'string', value: 'MODE', help: 'the least strict mode to use: observe, guard or locked' },
    socket: { type: 'string', value: 'PATH', help: "the service's socket, in locked mode" },
  },
  examples: [
    'foil install claude-code        # agents start the hook by themselves',
    `echo '{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"hi"}' | foil hook claude-code`,
  ],
  async run() {
    throw new UsageError('only the program dist/foil.cjs can start a hook.');
  },
};
