// What the server behind `foil view` gives its page, and whom it refuses.
import { expect, it } from 'vitest';
import { parseEntry, parseTar } from '../../src/format/index.ts';
import type { Found, HealthReport, SessionRow } from '../../src/view/answers.ts';
import { checkRun } from '../../web/check-run.ts';
import { sessionModel } from '../../web/model/session.ts';
import { encodeRun, readRun } from '../../web/run-message.ts';
import { inOneGo } from '../../web/slices.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';
import { viewing } from './viewing.ts';

const viewOf = (project: Project) => viewing([{ name: 'proj', located: project.located }]);

async function recordedProject(): Promise<Project> {
  const project = await newProject();
  const host = new ClaudeSession('one', project.work);
  const events = [
    host.start(),
    host.prompt('Fix `total` in src/cart.js'),
    host.call('call-1', { command: 'npm test' }),
    host.failure('call-1', 'Exit code 1', { command: 'npm test' }),
    host.event('Stop', { stop_hook_active: false, last_assistant_message: 'Fixed `total`; all tests pass.' }),
    host.event('SessionEnd', { reason: 'other' }),
  ];
  for (const event of events) await project.tell('claude-code', event);
  return project;
}

it('X9 sessions, one session with its claims, search and health come from the ledger', async () => {
  const project = await recordedProject();
  const { json, ask } = await viewOf(project);
  const { sessions, head } = await json<{ sessions: SessionRow[]; head: number }>('/api/sessions');
  expect(head).toBe(project.entries().length);
  expect(sessions).toHaveLength(1);
  const [row] = sessions as [SessionRow];
  expect(row).toMatchObject({ agent: 'claude-code', state: 'ended', prompts: 1, calls: 1, proven: 0 });
  expect(row.unproven).toBeGreaterThan(0);

  const { body } = await ask(`/api/run?session=${row.id}`);
  const answer = await checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
  expect(answer.isSound).toBe(true);
  const known = await checkRun({
    parts: parseTar(body),
    isServed: true,
    keys: [String(answer.signer)],
    now: Date.now(),
  });
  expect(answer.report?.findings.map(({ code }) => code)).toContain('KEY_NOT_TRUSTED');
  expect(known.report?.findings.map(({ code }) => code)).not.toContain('KEY_NOT_TRUSTED');
  const { entries, shown } = inOneGo(readRun(encodeRun(answer)));
  const model = sessionModel(entries, shown);
  expect(model.rows).toHaveLength(row.entries);
  expect(model.claims.map(({ quote }) => quote)).toContain('all tests pass');
  expect(model.claims.every(({ tone }) => tone !== 'good')).toBe(true);

  // In a record that was changed, only that is told, and not what the agent claimed.
  const changed = parseTar(body).map(({ path, bytes }) =>
    path === 'entries.jsonl'
      ? { path, bytes: bytes.slice(0, bytes.lastIndexOf(0x0a, -2) + 1) }
      : { path, bytes },
  );
  const broken = await checkRun({ parts: changed, isServed: true, keys: [], now: Date.now() });
  expect(answer.broken).toEqual([]);
  expect(broken.isSound).toBe(false);
  expect(broken.broken.length).toBeGreaterThan(0);
  expect(broken.broken.map(({ code }) => code)).not.toContain('CLAIM_UNPROVEN');

  const { hits } = await json<Found>('/api/search?q=fix%20TOTAL');
  expect(hits.map(({ kind }) => kind)).toContain('prompt');
  expect((await json<Found>('/api/search?q=nowhere-at-all')).hits).toEqual([]);
  const { ledgers } = await json<HealthReport>('/api/health');
  expect(ledgers).toMatchObject([{ name: 'proj', entries: head, sessions: 1, open: 0 }]);
});

it('X9 what is appended meanwhile is seen: by the tail, and in the rows', async () => {
  const project = await recordedProject();
  const { json } = await viewOf(project);
  const { head } = await json<{ head: number }>('/api/sessions');
  const tail = json<{ head: number }>(`/api/tail?after=${head}`);
  await project.tell('claude-code', new ClaudeSession('two', project.work).start());
  expect((await tail).head).toBeGreaterThan(head);
  const { sessions } = await json<{ sessions: SessionRow[] }>('/api/sessions');
  expect(sessions.map(({ state }) => state)).toEqual(['open', 'ended']);
});

it('X9 a session that no checkpoint covers yet is shown, and nothing is claimed of it', async () => {
  const project = await newProject();
  const host = new ClaudeSession('one', project.work);
  for (const event of [host.start(), host.prompt('Say hello')]) await project.tell('claude-code', event);
  const { json, ask } = await viewOf(project);
  const { sessions } = await json<{ sessions: SessionRow[] }>('/api/sessions');
  const { body } = await ask(`/api/run?session=${sessions[0]?.id}`);
  const answer = await checkRun({ parts: parseTar(body), isServed: true, keys: [], now: Date.now() });
  expect(answer.report).toBeNull();
  expect(answer.lines.map((line) => parseEntry(line).kind)).toContain('prompt');
});

it('X9 an address gives the token once', async () => {
  const { view, ask } = await viewOf(await newProject());
  const codeOf = (address: string): string => address.replace(`${view.origin}/#open=`, '');
  const opened = (code: string) => ask('/api/open', { authorization: `Bearer ${code}` });
  const [one, other] = [codeOf(view.address()), codeOf(view.address())];
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  for (const code of ['', '0'.repeat(64), view.token]) expect((await opened(code)).status).toBe(401);
  expect((await ask('/api/ledgers', { authorization: `Bearer ${one}` })).status).toBe(401);
  for (const code of [one, other]) {
    // With the first rows, which the page asks about first.
    const rows = JSON.parse((await ask('/api/sessions?most=24')).body.toString());
    expect(JSON.parse((await opened(code)).body.toString())).toEqual({ token: view.token, first: rows });
    const again = await opened(code);
    expect([again.status, again.body.toString()]).toEqual([401, expect.stringContaining('used already')]);
  }
});

it('X9 only who has the token, from the right page and address, is answered', async () => {
  const { ask, host } = await viewOf(await newProject());
  expect((await ask('/', { authorization: '' })).status).toBe(200);
  const refused: [Record<string, string>, string, number][] = [
    [{ authorization: '' }, 'GET', 401],
    [{ authorization: 'Bearer 00' }, 'GET', 401],
    [{ authorization: `Bearer ${'0'.repeat(64)}` }, 'GET', 401],
    [{ host: 'evil.example.org' }, 'GET', 421],
    [{ host: host.replace('127.0.0.1', 'localhost') }, 'GET', 421],
    [{ origin: 'http://evil.example.org' }, 'GET', 403],
    [{ 'sec-fetch-site': 'cross-site' }, 'GET', 403],
    [{}, 'POST', 405],
    [{}, 'DELETE', 405],
  ];
  for (const [headers, method, status] of refused)
    expect((await ask('/api/ledgers', headers, method)).status, JSON.stringify(headers)).toBe(status);
  for (const path of [
    '/../package.json',
    '/%2e%2e/x',
    '/api/',
    '/api/run?session=..',
    '/api/sessions?ledger=9',
  ])
    expect((await ask(path)).status, path).toBe(404);
  const { headers } = await ask('/');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
  expect(headers['referrer-policy']).toBe('no-referrer');
});
