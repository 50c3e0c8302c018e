// What a reader takes away from the viewer is what the commands write, and taking it writes nothing.
import { expect, it, onTestFinished } from 'vitest';
import { parseReport, parseTar } from '../../src/format/index.ts';
import { startView } from '../../src/view/index.ts';
import { checkRun } from '../../web/check-run.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject } from '../e2e/recorded-project.ts';

const PAGE = new Map([
  ['/report.html', { type: 'text/plain', bytes: Buffer.from('<p><!--counterfoil-parts--></p>') }],
]);

it('X9 the report, the bundle and the proof of a session come from its page, and nothing is written for them', async () => {
  const project = await newProject();
  const host = new ClaudeSession('one', project.work);
  const later = new ClaudeSession('two', project.work);
  for (const event of [
    host.start(),
    host.prompt('Look'),
    host.call('c1'),
    host.result('c1'),
    host.end(),
    later.start(),
    later.prompt('Wait'),
  ])
    await project.tell('claude-code', event);
  const view = await startView([{ name: 'p', located: project.located }], PAGE);
  onTestFinished(() => view.close());
  const { origin, token } = view;
  const ask = (path: string): Promise<Response> =>
    fetch(`${origin}/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
  const { sessions } = (await (await ask('sessions')).json()) as {
    sessions: { id: string; state: string }[];
  };
  const idOf = (state: string): string => sessions.find((each) => each.state === state)?.id ?? '';
  const get = (what: string, id = idOf('ended')): Promise<Response> =>
    ask(`download?what=${what}&session=${id}`);
  const before = project.entries().length;

  const report = await get('report');
  expect(report.headers.get('content-disposition')).toBe('attachment');
  expect(report.headers.get('content-type')).toBe('application/octet-stream');
  const { parts } = parseReport(await report.text());
  const bundle = parseTar(new Uint8Array(await (await get('bundle')).arrayBuffer()));
  for (const files of [parts, bundle]) {
    const {
      report: judged,
      isSound,
      signer,
    } = await checkRun({ parts: files, isServed: false, keys: [], now: Date.now() });
    expect([judged?.verdict, isSound, signer !== null]).toEqual(['UNKNOWN', true, true]);
  }
  expect(await (await get('proof')).text()).toContain('c2sp.org/tlog-proof');

  const refused = await get('report', idOf('open'));
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('foil session end')]);
  expect((await get('secrets')).status).toBe(409);
  expect((await get('report', 'f'.repeat(64))).status).toBe(404);
  expect(project.entries().length).toBe(before);
  expect(await (await ask('tools')).json()).toEqual({ from: 1, sessions: [[idOf('ended'), [['Bash', 1]]]] });
});
