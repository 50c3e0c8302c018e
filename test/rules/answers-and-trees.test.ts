// What a request and git show by themselves: an answer that `curl -f` took for one, a status that the claim names, and a work
// tree that is clean.
import { describe, expect, it } from 'vitest';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { ask, check, claim, edit, ran, said, tried } from './cases.ts';

const URL_ = 'http://127.0.0.1:3000/health';
const asked = (command: string, status: number | null) =>
  ran(2, check(command, { kind: 'http', runner: 'curl', url: URL_, status }), { tests: null });

describe('B4a what a request shows', () => {
  it.each([
    ['an answer that was asked to fail', `curl -sf ${URL_}`, null, 'I checked the health page.', 'pass'],
    ['the same in long words', `curl --fail ${URL_}`, null, 'I checked the health page.', 'pass'],
    [
      'an answer whose status nobody sees',
      `curl -s ${URL_}`,
      null,
      'I checked the health page.',
      'fail no-status',
    ],
    ['the status that is claimed', `curl -si ${URL_}`, 400, 'Verified: bad JSON gets a 400.', 'pass'],
    ['another than is claimed', `curl -si ${URL_}`, 404, 'Verified: bad JSON gets a 400.', 'fail failed'],
    ['a server that fails, though it is named', `curl -si ${URL_}`, 500, 'It answers 500.', 'fail failed'],
  ])('%s', (_, command, status, quote, expected) => {
    expect(said(ask('http_2xx', claim('checked', quote), 'x', { runs: [asked(command, status)] }))).toBe(
      expected,
    );
  });

  it.each([
    ['a body', 'curl -sf URL; kill $pid', '{"ok":true}', 'passed'],
    ['nothing', 'curl -sf URL; kill $pid', '', undefined],
    [
      'a body beside a server that prints elsewhere',
      'node s.js >log 2>&1 & curl -sf URL; kill $!',
      'ok',
      'passed',
    ],
    ['what may be the server’s word', 'node s.js & curl -sf URL; kill $!', 'listening', undefined],
    [
      'a word that is reached only by an answer',
      'node s.js & curl -sf URL && echo up; kill $!',
      'x\nup',
      'passed',
    ],
    ['a body of whatever status', 'curl -s URL; kill $pid', 'not found', undefined],
  ])('%s behind which the line goes on', (_, line, output, expected) => {
    const read = readCommand(line.replace('URL', URL_), { cwd: '/w', root: '/w' });
    expect(completeChecks(read, { output, exit: 0, tests: null }).at(-1)?.summary).toBe(expected);
  });
});

describe('B4a a work tree that is clean', () => {
  const CLEAN = claim('checked', 'Working tree is clean');
  const commit = ran(5, check('git commit -qm x', { kind: 'ship', runner: 'git commit' }), { tests: null });
  const status = tried(5, 'run', 'git', 'git status --short', true);

  it.each([
    ['is shown by a commit', { runs: [commit] }, 'pass'],
    ['is shown by git status', { attempts: [status] }, 'pass'],
    ['is not, once a file changed', { runs: [commit], changes: [edit(6, 'a.md')] }, 'fail nothing-ran'],
    ['is not shown by tests', { runs: [ran(5, check('pytest'))] }, 'fail nothing-ran'],
  ])('%s', (_, found, expected) => {
    expect(said(ask('command_zero_exit', CLEAN, 'commit it', found))).toBe(expected);
  });
});
