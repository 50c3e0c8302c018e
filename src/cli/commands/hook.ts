// foil hook: the command that hosts start. It is run by start.ts, ahead of everything else; this is its entry in the
// table, and the help for whoever tries it by hand.
import { ADAPTERS } from '../../capture/hooks/index.ts';
import { type Command, UsageError } from '../command.ts';

export const hook: Command = {
  name: 'hook',
  summary: 'record one event of an agent from standard input, and answer as the agent expects',
  usage: `${ADAPTERS.map(({ agent }) => agent).join('|')} [options] < EVENT`,
  arguments: [1, 1],
  options: {
    event: {
      type: 'string',
      value: 'NAME',
      help: "the event's name, for agents that do not put it into the input",
    },
    mode: { type: 'string', value: 'MODE', help: 'observe, guard or locked: at least as strict as that' },
    socket: { type: 'string', value: 'PATH', help: "the service's socket, in locked mode" },
  },
  examples: [
    'foil install claude-code        # agents start the hook by themselves',
    `echo '{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"hi"}' | foil hook claude-code`,
  ],
  async run() {
    throw new UsageError('hook is started by dist/foil.cjs, not from within a program.');
  },
};
