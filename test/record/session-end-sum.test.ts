// The end of a host's session where its entries can't be counted: as strict as the mode.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { createLedger, type Mode } from '../../src/ledger/index.ts';
import { HostRecorder, Intake } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { type OpenTally, SessionTally } from '../../src/session/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { readEntries } from '../read-log.ts';

async function host(mode: Mode, makeTally: (store: MemoryStore) => OpenTally) {
  const store = new MemoryStore(randomBytes);
  await createLedger({ store, keyring: memoryKeyring(), random: randomBytes });
  const redactor = makeRedactor();
  let opened = 0;
  const tally = makeTally(store);
  const recorder = new HostRecorder({
    store,
    tally(session, first) {
      opened++;
      return tally(session, first);
    },
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    mode,
    workspaceRoot: () => '/work',
  });
  const adapter = adapterOf('claude-code');
  const tell = async (event: object): Promise<void> => {
    const input = { session_id: 's', cwd: '/work', ...event };
    for (const each of adapter?.read(input, null) ?? []) await recorder.record(each, 'hook:claude-code');
  };
  await tell({ hook_event_name: 'SessionStart', source: 'startup' });
  await tell({ hook_event_name: 'Notification', message: 'hello' });
  return {
    opened: () => opened,
    end: () => tell({ hook_event_name: 'SessionEnd', reason: 'other' }),
    ends: async () => (await readEntries(store)).filter(({ kind }) => kind === 'session.end'),
  };
}

const broken: () => OpenTally = () => () => {
  throw new Error('the disk can not be read');
};

describe('the end of a session', () => {
  it('is counted from where it began, and nothing else is', async () => {
    const hints: (number | undefined)[] = [];
    const on = await host('guard', (store) => (session, first) => {
      hints.push(first);
      return new SessionTally(store, { session, first });
    });
    expect(on.opened()).toBe(0);
    await on.end();
    expect(hints).toEqual([2]);
    expect(await on.ends()).toMatchObject([{ payload: { entries: 2 } }]);
  });

  it.each<Mode>(['guard', 'locked'])('is not written in %s if its entries can’t be counted', async (mode) => {
    const on = await host(mode, broken);
    await expect(on.end()).rejects.toThrow('the disk can not be read');
    expect(await on.ends()).toEqual([]);
  });

  it('is written without a sum in observe', async () => {
    const on = await host('observe', broken);
    await on.end();
    const [end] = await on.ends();
    expect(end?.payload).toMatchObject({ reason: 'other' });
    expect(Object.keys(end?.payload ?? {})).not.toContain('entries');
    expect(Object.keys(end?.payload ?? {})).not.toContain('entries_root');
  });
});
