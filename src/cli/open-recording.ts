// Stands in for the recorder until it is here: each event becomes a note that says that it came, with nothing of what
// it said, and the host is told nothing.
import { openLedger } from '../entry/index.ts';
import type { Located } from '../ledger/index.ts';
import type { OpenRecording } from '../service/index.ts';

const PASS = { exit: 0, stdout: '', stderr: '' };

export function recordingOf(place: Located): OpenRecording {
  return async () => {
    const ledger = openLedger(place);
    const note = async (agent: string, event: string | null, bytes: number | null) => {
      const payload = { agent, bytes, event, text: 'a hook event' };
      await ledger.append({ kind: 'note', payload, source: `hook:${agent}` });
      return PASS;
    };
    return {
      hook: (agent, body, event) => note(agent, event, body.length),
      tooLarge: (agent, event) => note(agent, event, null),
      async seal() {
        await ledger.seal();
      },
      openSessions: async () => 0,
      close: () => ledger.close(),
    };
  };
}
