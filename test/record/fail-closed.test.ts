// A program's recorder whose store stops taking entries: what can't be recorded is not done, and what was done is not
// told. Every call of the system that can fail is in test/fault; here is what the caller gets.
import { expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { StoreError } from '../../src/core/index.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { Intake, RecordError, Recorder } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { MemoryStore, memoryKeyring } from '../../src/store/memory/index.ts';
import { seededRandom } from '../temporary.ts';

async function begun() {
  const store = new MemoryStore(seededRandom('fail-closed'));
  await createLedger({ store, keyring: memoryKeyring(), random: seededRandom('ledger') });
  const redactor = makeRedactor();
  let full = false;
  const recorder = new Recorder({
    store: {
      head: () => store.head(),
      read: (from, to) => store.read(from, to),
      append: (build, options) =>
        full ? Promise.reject(new StoreError('IO', 'the disk is full.')) : store.append(build, options),
    },
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    agent: 'program',
    source: 'sdk',
    workspaceRoot: '/work',
    seal: async () => undefined,
    close: async () => undefined,
  });
  const session = await recorder.session();
  const fill = () => {
    full = true;
  };
  return { session, fill };
}

const isAuditError = (error: unknown): boolean =>
  error instanceof RecordError && error.code === 'AUDIT_APPEND_FAILED' && error.cause !== undefined;

it('K8a without a durable entry no tool runs', async () => {
  const { session, fill } = await begun();
  fill();
  let ran = 0;
  await expect(session.tool('work', {}, () => ++ran)).rejects.toSatisfy(isAuditError);
  expect(ran).toBe(0);
});

it('K8b without a durable result entry no result comes back', async () => {
  const { session, fill } = await begun();
  const work = () => {
    fill();
    return 'result';
  };
  await expect(session.tool('work', {}, work)).rejects.toSatisfy(isAuditError);
});

it('K8c when tool and audit both fail, the audit error wins', async () => {
  const { session, fill } = await begun();
  const work = () => {
    throw new RangeError('of the tool');
  };
  await expect(session.tool('work', {}, work)).rejects.toThrow(RangeError);
  const both = () => {
    fill();
    throw new RangeError('of the tool');
  };
  await expect(session.tool('work', {}, both)).rejects.toSatisfy(isAuditError);
});
