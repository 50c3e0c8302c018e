// A clone kills the hooks that are commands, and those over HTTP still record calls. The session then has calls and no
// prompt: `foil verify` says that not everything could be seen.
import { expect, it } from 'vitest';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject } from '../e2e/recorded-project.ts';
import { expectIntact } from '../file-ledger.ts';

const call = (session: ClaudeSession, id: string) =>
  session.call(id, { command: 'true' }, 'Bash', { prompt_id: 'p-1' });

it('calls whose prompt no hook told are BLIND in verify, once', async () => {
  const project = await newProject();
  const session = new ClaudeSession('s');
  for (const id of ['c1', 'c2']) await project.hook('claude-code', call(session, id));
  const kinds = project.recorded().map(({ kind }) => kind);
  expect(kinds).toEqual(['session.start', 'gap', 'tool.call', 'tool.call']);
  await expectIntact(project.directory, ['BLIND', 'UNSEALED']);
});

it('calls after a prompt are not', async () => {
  const project = await newProject();
  const session = new ClaudeSession('s');
  for (const event of [session.start(), session.prompt('go'), call(session, 'c1')])
    await project.hook('claude-code', event);
  expect(project.recorded().map(({ kind }) => kind)).not.toContain('gap');
  await expectIntact(project.directory, ['UNSEALED']);
});
