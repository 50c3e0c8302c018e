// A disk that is full for a moment while a session answers from many places at once. Appends that waited behind the one
// that failed are built again; the numbers of the session's interactions must not show it. Whatever is refused, what is on
// record is a chain without holes.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { createLedger, encodeBlock, Ledger } from '../../src/ledger/index.ts';
import { beginSession, Intake } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { createFileStore, openFileStore } from '../../src/store/files/index.ts';
import { memoryKeyring } from '../../src/store/memory/index.ts';
import { type Effect, FaultyFs } from '../fault/faulty-fs.ts';
import { verifyDirectory } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';

const config = { ...DEFAULT_CONFIG, content: 'none' as const };

/** Two sessions in one process, each with answers and other entries all at once. */
async function crowd(nth: number, effect: Effect): Promise<{ directory: string; refused: number }> {
  const directory = temporary(fastDirectory);
  const keyring = memoryKeyring();
  const made = await createFileStore(directory);
  await createLedger({ store: made, keyring, random: randomBytes });
  await made.close();
  const faulty = new FaultyFs({ call: 'appendDurably', nth, effect, code: 'ENOSPC' });
  const store = openFileStore(directory, { fs: faulty.fs });
  const ledger = new Ledger({ store, keyring, random: randomBytes });
  const redactor = makeRedactor({});
  const options = {
    store,
    intake: new Intake({ store, policy: config, redactor }),
    config,
    redaction: redactor.id,
    agent: 'test',
    source: 'sdk',
    workspaceRoot: directory,
    seal: () => ledger.seal(),
    close: () => store.close(),
  };
  const begin = () => beginSession(options, {}).catch(() => beginSession(options, {}));
  const sessions = [await begin(), await begin()];
  const outcomes: PromiseSettledResult<unknown>[] = [];
  for (let round = 0; round < 4; round++) {
    const work = sessions.flatMap((session, i) => [
      session.tool('look', { round, i }, () => round),
      session.response(`answer ${round} of ${i}`),
      session.prompt(`question ${round} of ${i}`),
      session.response(`another answer ${round} of ${i}`),
    ]);
    // What is written first is nobody's answer, and the answers are built on top of it.
    const notes = Array.from({ length: 40 }, () =>
      store.append((head) => encodeBlock([{ kind: 'note', source: 'cli', payload: {} }], head, Date.now())),
    );
    outcomes.push(...(await Promise.allSettled([...notes, ...work])));
  }
  for (const session of sessions) await session.end().catch(() => session.end());
  await store.close();
  return { directory, refused: outcomes.filter(({ status }) => status === 'rejected').length };
}

async function entriesIn(directory: string): Promise<Entry[]> {
  const store = openFileStore(directory);
  try {
    return await readEntries(store);
  } finally {
    await store.close();
  }
}

describe('a disk that is full for a moment', () => {
  it.each(['none', 'half', 'all'] as const)(
    'G4 leaves no hole in a chain (%s of it was written)',
    async (effect) => {
      let refused = 0;
      for (let nth = 3; nth <= 16; nth++) {
        const { directory, refused: now } = await crowd(nth, effect);
        refused += now;
        const report = await verifyDirectory(directory);
        const failed = report.facets.sessions.findings.map(({ code, message }) => `${code} ${message}`);
        if (effect === 'none') {
          expect(failed, `write ${nth}`).toEqual([]);
          const numbers = (await entriesIn(directory))
            .filter(({ kind }) => kind === 'response')
            .map(({ session_id: id, payload }) => `${id} ${String(payload.sequence)}`);
          expect(new Set(numbers).size).toBe(numbers.length);
        }
        expect(report.facets.sessions.status, `write ${nth}: ${failed.join('; ')}`).not.toBe('fail');
        expect(report.verdict).not.toBe('BROKEN');
      }
      expect(refused).toBeGreaterThan(0);
    },
  );
});
