// A person says that they have seen the crashes: that is an entry, the notice is not told again, and three new crashes
// raise one again on the same day.
import { describe, expect, it } from 'vitest';
import { crashes } from '../../src/cli/commands/crashes.ts';
import { status } from '../../src/cli/commands/status.ts';
import { UsageError } from '../../src/core/errors.ts';
import { openLedger } from '../../src/entry/index.ts';
import { encodeCrash, parseNotice } from '../../src/format/index.ts';
import { watch } from '../../src/gate/index.ts';
import { type HookedLedger, hookedLedger } from '../cli/hooked-ledger.ts';

async function crash(ledger: HookedLedger, times: number, hook = 'gate'): Promise<void> {
  const opened = openLedger(ledger.located, { sealEvery: 0 });
  try {
    for (let i = 0; i < times; i++) {
      const at = new Date(ledger.now).toISOString();
      const payload = encodeCrash({ hook, event: 'stop', error: 'it broke', at, from: 'ledger' });
      await opened.append({ kind: 'crash', payload, source: 'test' });
      await watch({ store: opened.store, source: 'test', now: () => ledger.now });
    }
  } finally {
    await opened.close();
  }
}

const notices = (ledger: HookedLedger) =>
  ledger
    .entries()
    .filter(({ kind }) => kind === 'notice')
    .map(({ payload }) => parseNotice(payload));

describe('foil crashes ack', () => {
  it('B9d is recorded with how many were seen, and three new ones raise a notice again', async () => {
    const ledger = await hookedLedger();
    await crash(ledger, 4);
    expect(notices(ledger)).toMatchObject([{ notice: 'crashes', about: 'gate', count: 3 }]);
    expect(JSON.stringify((await ledger.run(status)).json)).toContain('foil crashes ack');
    expect((await ledger.run(crashes, 'ack')).json).toMatchObject({ acknowledged: 4 });
    expect(notices(ledger)).toMatchObject([{ notice: 'crashes' }, { notice: 'crashes.ack', count: 4 }]);
    expect((await ledger.run(status)).json).toMatchObject({ notices: [] });
    await crash(ledger, 2);
    expect(notices(ledger)).toHaveLength(2);
    await crash(ledger, 1);
    expect(notices(ledger)).toMatchObject([{}, {}, { notice: 'crashes', about: 'gate', count: 3 }]);
    await crash(ledger, 5);
    expect(notices(ledger)).toHaveLength(3);
  });

  it('B9d takes nothing away: the crashes are still listed', async () => {
    const ledger = await hookedLedger();
    await crash(ledger, 3);
    await ledger.run(crashes, 'ack');
    const { json } = await ledger.run(crashes);
    expect((json as { crashes: unknown[] }).crashes).toHaveLength(3);
    await expect(ledger.run(crashes, 'akc')).rejects.toThrow(UsageError);
  });
});
