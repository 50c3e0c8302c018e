// Clocks that jump while a host is recorded: ours between two events, and the host's own. What a person took to decide
// and how long a tool ran is never less than nothing; where it can't be known it is null, and says so.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { HostRecorder, Intake } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { SessionTally } from '../../src/session/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { readEntries } from '../read-log.ts';

const START = Date.parse('2026-11-15T10:00:00.000Z');

async function recorded(steps: readonly (readonly [JsonObject, number])[]): Promise<Entry[]> {
  const store = new MemoryStore(randomBytes);
  await createLedger({ store, keyring: memoryKeyring(), random: randomBytes });
  const redactor = makeRedactor();
  let now = START;
  const recorder = new HostRecorder({
    store,
    tally: (session, first) => new SessionTally(store, { session, first }),
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    mode: 'observe',
    now: () => now,
    workspaceRoot: (cwd) => cwd,
  });
  const adapter = adapterOf('claude-code');
  for (const [input, at] of steps) {
    now = START + at;
    for (const event of adapter?.read(input, null) ?? []) await recorder.record(event, 'hook:claude-code');
  }
  return (await readEntries(store)).slice(1);
}

const host = new ClaudeSession('s');
const args = { command: 'rm -rf build' };
const approvals = (entries: readonly Entry[]): JsonObject[] =>
  entries.filter(({ kind }) => kind === 'approval').map(({ payload }) => payload);

describe('X15 how long the person took', () => {
  it('is the time since they were asked, without the tool’s own', async () => {
    const entries = await recorded([
      [host.call('c', args), 0],
      [host.asks(args), 100],
      [host.result('c', args, 'Bash', { duration_ms: 400 }), 5600],
    ]);
    expect(approvals(entries)).toMatchObject([
      { state: 'asked', waited_ms: null, waited_origin: 'unknown' },
      { state: 'granted', waited_ms: 5100, waited_origin: 'inferred' },
    ]);
  });

  it('is all the time where they refused', async () => {
    const entries = await recorded([
      [host.call('c'), 0],
      [host.asks({ command: 'echo c' }), 100],
      [host.batch('c'), 3100],
    ]);
    expect(approvals(entries)[1]).toMatchObject({
      state: 'denied',
      waited_ms: 3000,
      waited_origin: 'inferred',
    });
  });

  it.each([
    ['our clock was set back by an hour', -3_600_000, 5],
    ['the tool ran longer than there was time', 1000, 60_000],
    ['both clocks are back at the beginning of time', -START, 5],
  ])('is not known where %s', async (_, at, duration_ms) => {
    const entries = await recorded([
      [host.call('c', args), 0],
      [host.asks(args), 100],
      [host.result('c', args, 'Bash', { duration_ms }), at],
    ]);
    expect(approvals(entries)[1]).toMatchObject({
      state: 'granted',
      waited_ms: null,
      waited_origin: 'unknown',
    });
    expect(entries.at(-1)).toMatchObject({ kind: 'tool.result', cause: 3, payload: { duration_ms } });
  });
});

describe('how long the tool ran', () => {
  it.each([
    [-5, null],
    [0, 0],
    [12.5, 12.5],
    ['soon', null],
    [null, null],
  ])('is never negative, nor anything but a number: %s', async (told, kept) => {
    const entries = await recorded([
      [host.call('c', args), 0],
      [host.result('c', args, 'Bash', { duration_ms: told }), 10],
    ]);
    expect(entries.at(-1)?.payload.duration_ms).toBe(kept);
  });
});

it('the order of entries is their sequence, whatever the clock says', async () => {
  const entries = await recorded([
    [host.prompt('go'), 0],
    [host.call('c', args), -86_400_000],
    [host.result('c', args), -2 * 86_400_000],
    [host.stop('done'), 86_400_000],
  ]);
  expect(entries.map(({ kind }) => kind)).toEqual([
    'session.start',
    'prompt',
    'tool.call',
    'tool.result',
    'response',
  ]);
  expect(entries.map(({ cause }) => cause)).toEqual([null, null, 3, 4, 3]);
});
