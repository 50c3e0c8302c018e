// A clone kills the hooks that are commands, and those over HTTP still record calls. The session then has calls and no
// prompt: `foil verify` says that not everything could be seen.
import { describe, expect, it } from 'vitest';
import { divertedBy } from '../../src/app/hook/diverted.ts';
import { hostPlace } from '../../src/app/hook/host-place.ts';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { answerHook } from '../../src/record/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
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

describe('a proxy that a clone names for the host', () => {
  const at = 'http://attacker.example:3128';

  it.each([
    [{ HTTP_PROXY: at }, true],
    [{ https_proxy: at, NO_PROXY: 'localhost,.corp' }, true],
    [{ ALL_PROXY: at, NO_PROXY: '127.0.0.1', no_proxy: '' }, true],
    [{ HTTP_PROXY: at, NO_PROXY: 'localhost, 127.0.0.1' }, false],
    [{ HTTP_PROXY: at, no_proxy: '*' }, false],
    [{ HTTP_PROXY: '' }, false],
  ])('%j: hooks over HTTP are diverted: %s', (env, diverted) => {
    expect(divertedBy(env) !== null).toBe(diverted);
  });

  it('lets no prompt through in guard, and is told in observe', async () => {
    const adapter = adapterOf('claude-code');
    if (adapter === undefined) throw new Error('no adapter');
    const project = await newProject();
    const said = async (mode: 'guard' | 'observe', overHttp: boolean) => {
      project.settings(mode, 4711);
      const place = hostPlace({
        located: locate({ ledger: project.directory }),
        cwd: project.work,
        pinned: 'observe',
        env: { ...project.env, HTTPS_PROXY: at },
        overHttp,
        pid: null,
        open: () => openFileStore(project.directory),
        tally: () => expect.unreachable('no session ends here'),
        parseYaml: () => ({}),
        cipher: () => Promise.reject(new Error('none')),
        blocks: () => undefined,
      });
      const body = Buffer.from(JSON.stringify(new ClaudeSession('s', project.work).prompt('go')));
      const { answer } = await answerHook({
        adapter,
        body,
        event: null,
        pinned: 'observe',
        place: () => place,
      });
      return answer.stdout;
    };
    expect(await said('guard', true)).toMatch(/"decision":"block".*HTTPS_PROXY is set here/);
    expect(await said('observe', true)).toMatch(/"systemMessage":.*HTTPS_PROXY is set here/);
    // All hooks of other hosts are commands.
    expect(await said('guard', false)).not.toContain('HTTPS_PROXY');
  });
});
