// An agent goes where it likes. A hook that names no ledger goes by its directory, so a `cd` into another repository would
// leave the grants and the mode of the session behind.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locateHook } from '../../src/app/hook/hook-ledger.ts';
import { hostSession } from '../../src/app/hook/session-ledger.ts';
import { init } from '../../src/cli/commands/init.ts';
import { Machine } from './hostile-clone.ts';

const event = (members: object) => Buffer.from(JSON.stringify(members));

async function begun() {
  const machine = new Machine();
  machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
  const { directory } = (await machine.run(init)).json;
  const nested = join(machine.project, 'src/m2');
  mkdirSync(join(nested, '.git'), { recursive: true });
  const { env } = machine;
  const ask = (cwd: string, members: object | null, agent = 'claude-code') => {
    const session = members === null ? undefined : hostSession(agent, event(members));
    return locateHook({ ledger: undefined, session, cwd, env, login: env }).located.directory;
  };
  return { machine, directory, nested, ask };
}

it('O4 a session stays in the ledger in which it began', async () => {
  const { machine, directory, nested, ask } = await begun();
  expect(ask(nested, null)).not.toBe(directory);
  expect(ask(machine.project, { session_id: 's' })).toBe(directory);
  for (const cwd of [nested, machine.root, '/']) expect(ask(cwd, { session_id: 's' }), cwd).toBe(directory);
  // Another session, another agent: each where it begins.
  expect(ask(nested, { session_id: 't' })).toBe(ask(nested, null));
  expect(ask(nested, { session_id: 's' }, 'codex')).toBe(ask(nested, null));
  expect(ask(machine.project, { session_id: 't' })).toBe(directory);
});

it('O4 each host names its session in its own way, and the same in every event', () => {
  const cursor = hostSession('cursor', event({ conversation_id: 'c' }));
  expect(hostSession('cursor', event({ conversation_id: 'c', session_id: 's' }))).toBe(cursor);
  expect(hostSession('copilot', event({ sessionId: 's' }))).toBe(
    hostSession('copilot', event({ session_id: 's' })),
  );
  for (const odd of ['', 'null', '[]', '{}', '{"session_id":1}', '{"session_id":""}', '{"session_id":'])
    expect(hostSession('claude-code', Buffer.from(odd)), odd).toBeUndefined();
});

it('O4 what was written down is believed only where a ledger is', async () => {
  const { machine, directory, nested, ask } = await begun();
  const here = ask(nested, { session_id: 's' });
  const folder = join(machine.env.XDG_STATE_HOME ?? '', 'counterfoil/sessions');
  const [name = ''] = readdirSync(folder);
  expect(name).toBe(hostSession('claude-code', event({ session_id: 's' })));
  // None was made in the nested one, so nothing of the session is there.
  expect(ask(machine.project, { session_id: 's' })).toBe(directory);
  for (const text of ['', directory, 'counterfoil\n', `${directory}/nowhere\n`, '\0\n']) {
    writeFileSync(join(folder, name), text);
    expect(ask(nested, { session_id: 's' }), JSON.stringify(text)).toBe(here);
  }
  expect(ask(machine.project, { session_id: 's' })).toBe(directory);
  rmSync(join(directory, 'checkpoint'));
  expect(ask(nested, { session_id: 's' })).toBe(here);
});
