// foil gate: the last turn of a transcript that may still go on, that lies under another name, or of which nothing is on
// record.
import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate } from '../../src/cli/commands/gate.ts';
import { hookedLedger } from './hooked-ledger.ts';
import { ID } from './scan-box.ts';
import { ClaudeSession, CodexSession, GeminiSession, PASSED, type Script } from './transcripts.ts';

const work = <T extends Script>(session: T): T =>
  session
    .prompt('Fix `src/sum.js`.')
    .edit('src/sum.js')
    .run('npx vitest run', PASSED)
    .say('All tests pass.') as T;

it.each<[string, () => Script, (session: Script) => unknown]>([
  ['a prompt, of Claude Code', () => new ClaudeSession(ID(1)), (session) => session.prompt('And mul?')],
  ['a prompt, of Codex', () => new CodexSession(ID(1)), (session) => session.prompt('And mul?')],
  ['a prompt, of Gemini', () => new GeminiSession(ID(1)), (session) => session.prompt('And mul?')],
  ['a call', () => new ClaudeSession(ID(1)), (session) => session.prompt('And mul?').run('ls', 'a')],
])('B12 what ends with %s has not ended', async (_, make, goOn) => {
  const ledger = await hookedLedger();
  const session = work(make());
  expect((await ledger.run(gate, '--transcript', session.save(ledger.root))).exit).toBe(0);
  goOn(session);
  const { exit, json, text } = await ledger.run(gate, '--transcript', session.save(ledger.root));
  expect([exit, json]).toMatchObject([3, { verdict: 'unknown', why: 'not-ended', claims: [] }]);
  expect(text).toMatch(/^unknown: the last turn has not ended\n/);
});

it('B12 what is no transcript is unreadable still', async () => {
  const ledger = await hookedLedger();
  const path = join(ledger.work, 'host.jsonl');
  writeFileSync(path, 'nothing\nof JSON\n');
  expect(await ledger.run(gate, '--transcript', path)).toMatchObject({
    exit: 5,
    json: { why: 'unparseable' },
  });
});

it('B12 without a record, it says what was asked and what a claim rests on', async () => {
  const ledger = await hookedLedger();
  const path = work(new ClaudeSession(ID(1))).save(ledger.root);
  const { json, text } = await ledger.run(gate, '--transcript', path, '--explain');
  expect(json).toMatchObject({ claims: [{ status: 'backed', evidence: [], rests_on: ['npx vitest run'] }] });
  expect(text).toContain('rests on npx vitest run');
  expect(text).toMatch(/objective: .*Fix `src\/sum\.js`/);
  expect(text).toContain('no session with that id is on record');
});

it('B12 with a record, it finds the session of a copy under another name, and says what was asked', async () => {
  const ledger = await hookedLedger();
  const prompt = 'Fix `src/sum.js`.';
  const event = { session_id: ID(1), hook_event_name: 'UserPromptSubmit', prompt };
  await ledger.hook(event, { mode: 'guard', judged: true });
  const path = work(new ClaudeSession(ID(1))).save(ledger.root);
  const copy = join(ledger.root, 'copy.jsonl');
  copyFileSync(path, copy);
  appendFileSync(copy, `${JSON.stringify({ type: 'summary', summary: 'sums' })}\n`);
  const { json, text } = await ledger.run(gate, '--transcript', copy, '--explain');
  expect(json).toMatchObject({ host_session: ID(1), session: expect.any(String), verdict: 'block' });
  expect(text).toMatch(/objective: .*Fix `src\/sum\.js`/);
});
