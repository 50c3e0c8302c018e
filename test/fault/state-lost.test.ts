// A state that was accepted and is not there afterwards, as on a disk that fills up: a session begins once for an event
// that can't be recorded, not as often as it is tried.
import { expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { type HostEvent, HostRecorder, Intake } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { SessionTally } from '../../src/session/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { readEntries } from '../read-log.ts';
import { seededRandom } from '../temporary.ts';

it('B9a a session whose state is lost is begun once, and the hook says why it failed', async () => {
  const store = new MemoryStore(seededRandom('state'));
  await createLedger({ store, keyring: memoryKeyring(), random: seededRandom('ledger') });
  const redactor = makeRedactor();
  const recorder = new HostRecorder({
    store: {
      readState: async () => undefined,
      append: (build, options = {}) =>
        store.append((head) => build(head, undefined, undefined), { ...options, state: 'lost' }),
    },
    tally: (session, first) => new SessionTally(store, { session, first }),
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    mode: 'guard',
    workspaceRoot: () => '/work',
  });
  const event: HostEvent = {
    type: 'prompt',
    name: 'UserPromptSubmit',
    agent: 'claude-code',
    session: 's',
    cwd: '/work',
    transcript: null,
    agentId: null,
    promptId: null,
    at: null,
    facts: {},
    text: 'hello',
  };
  await expect(recorder.record(event, 'hook:claude-code')).rejects.toThrow(/could not be saved .*sessions\//);
  const kinds = (await readEntries(store)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'session.start')).toHaveLength(1);
});
