// A host that was killed while a tool ran leaves a call without an end, and one that was killed in a turn, or whose hooks
// were switched off there, a prompt without an answer. Once its session is cut, that time is blind. A session that was cut
// between turns is not, because nothing is known to be missing.
import { describe, expect, it } from 'vitest';
import { cutSessions } from '../../src/app/upkeep/cut-sessions.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { codes, type Guarded, guardedProject } from './guarded-project.ts';

/** A session whose host is this process, as two events have shown. */
async function hosted(): Promise<Guarded> {
  const guarded = await guardedProject('guard', { pid: process.pid });
  await guarded.tell(guarded.agent.start());
  await guarded.tell(guarded.agent.prompt('Fix it'));
  return guarded;
}

async function cut({ project }: Guarded, fate: 'process-gone' | 'rebooted' = 'process-gone'): Promise<void> {
  const store = openFileStore(project.directory);
  expect(await cutSessions(store, { fate: () => fate })).toHaveLength(1);
  await store.close();
}

describe('a session that was cut', () => {
  it('while a call was open is BLIND from that call on, and the verdict says so', async () => {
    const guarded = await hosted();
    const { agent, tell } = guarded;
    await tell(agent.call('c-1'));
    await tell(agent.result('c-1'));
    await tell(agent.call('c-2'));
    await cut(guarded);
    const report = await guarded.verify();
    expect(codes(report, 'completeness')).toEqual(['BLIND']);
    expect(report.sentence).toMatch(
      /BLIND: from .* call \d+ was under way, and the host was gone: what came of it/,
    );
    expect(report.verdict).toBe('INTACT');
  });

  it('by a restart of the machine says that', async () => {
    const guarded = await hosted();
    await guarded.tell(guarded.agent.call('c-1'));
    await guarded.tell(guarded.agent.call('c-2'));
    await cut(guarded, 'rebooted');
    const { sentence } = await guarded.verify();
    expect(sentence).toMatch(/2 calls from \d+ on were under way, and the machine was restarted/);
  });

  it.each([
    ['between two calls', async ({ tell, agent }: Guarded) => void (await tell(agent.result('c-1')))],
    [
      'after a call that was refused',
      async ({ tell, agent }: Guarded) => {
        await tell(agent.result('c-1'));
        await tell(agent.call('c-2', { command: 'foil pause 30m' }));
      },
    ],
    ['after another prompt', async ({ tell, agent }: Guarded) => void (await tell(agent.prompt('Go on')))],
  ])('in a turn, %s, is BLIND from its prompt on', async (_, then) => {
    const guarded = await hosted();
    await guarded.tell(guarded.agent.call('c-1'));
    await then(guarded);
    await cut(guarded);
    const report = await guarded.verify();
    expect(codes(report, 'completeness')).toEqual(['BLIND']);
    expect(report.sentence).toMatch(
      /BLIND: from .* the turn of entry \d+ was under way, and the host was gone/,
    );
  });

  it('after a turn, even one whose call never got a result, is not blind', async () => {
    const guarded = await hosted();
    await guarded.tell(guarded.agent.call('c-1'));
    await guarded.tell(guarded.agent.stop('Hello.'));
    await cut(guarded);
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['CALL_ENDLESS']);
  });
});
