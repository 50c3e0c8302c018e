// foil log --format kaiza and foil verify --format kaiza, through the built file.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashByTheBook } from '../verify/make-kaiza.ts';
import { ends, FOIL, prints, Sandbox } from './foil.ts';
import { openRecorded, recordEverything } from './recorded-ledger.ts';

const sandbox = new Sandbox();
const id = 'a1'.repeat(32);
let log = '';
beforeAll(async () => {
  sandbox.ledger();
  const to = openRecorded(sandbox.path('.foil'));
  await recordEverything(to, id);
  await to.close();
  log = sandbox.ok(['log', '--format', 'kaiza']);
  sandbox.write('audit.log', log);
});
afterAll(() => sandbox.remove());

type Members = Record<string, unknown>;
const parsed = (text: string): Members[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Members);
const verify = (...words: string[]) => sandbox.run(['verify', '--format', 'kaiza', ...words]);

describe('foil log --format kaiza', () => {
  it('K13a, K13b, K13c: prints a line for each call and what bears on it, chained', () => {
    const lines = parsed(log);
    expect(lines.map(({ seq, tool, result, error_code }) => [seq, tool, result, error_code])).toEqual([
      [1, 'session.start', 'ok', null],
      [2, 'Bash', 'ok', null],
      [3, 'Edit', 'ok', null],
      [4, 'Bash', 'error', null],
      [5, 'Bash', 'error', 'DENIED'],
      [6, 'gap', 'error', 'OFF'],
      [7, 'Grep', 'error', 'NO_RESULT'],
      [8, 'session.end', 'ok', null],
    ]);
    let prev: unknown = 'GENESIS';
    for (const line of lines) {
      expect(line.prev_hash).toBe(prev);
      expect(line.entry_hash).toBe(hashByTheBook(line));
      expect(line.session_id).toBe('a1a1a1a1-a1a1-81a1-a1a1-a1a1a1a1a1a1');
      expect(line.role).toBe('WINDSURF');
      prev = line.entry_hash;
    }
  });

  it('holds nothing of prompts, commands, output and answers', () => {
    for (const word of ['flaky', 'npm test', 'all good', 'rm -rf', 'clock']) expect(log).not.toContain(word);
  });

  it('is the same with --json, and a chain of its own with other filters', () => {
    expect(sandbox.ok(['log', '--format', 'kaiza', '--json'])).toBe(log);
    const some = sandbox.ok(['log', '--format', 'kaiza', '--kind', 'tool.result']);
    expect(parsed(some).map(({ seq, tool }) => [seq, tool])).toEqual([
      [1, 'Bash'],
      [2, 'Edit'],
      [3, 'Bash'],
    ]);
    expect(parsed(some)[0]?.prev_hash).toBe('GENESIS');
  });

  it('refuses a format it does not know', () => {
    const { code, stderr } = sandbox.run(['log', '--format', 'xml']);
    expect(code).toBe(2);
    expect(stderr).toContain('Use one of kaiza');
  });

  it('says on standard error which calls are open still, and follows without them', async () => {
    const other = new Sandbox();
    try {
      other.ledger();
      const to = openRecorded(other.path('.foil'));
      const session = to.session('b2'.repeat(32));
      await session.start();
      const call = await session.call('Bash', 'toolu_1', { command: 'sleep 1' });
      // A process that is held up for long has not told the others yet how far it is.
      await to.close();
      const before = other.run(['log', '--format', 'kaiza']);
      expect(parsed(before.stdout).map(({ error_code }) => error_code)).toEqual([null, 'NO_RESULT']);
      expect(before.stderr).toContain('1 call has no result yet');

      const child = other.start(['log', '--format', 'kaiza', '--follow']);
      const first = await prints(child, /session\.start/);
      const again = openRecorded(other.path('.foil'));
      await again.session('b2'.repeat(32)).result('Bash', 'toolu_1', 'done', call);
      await again.close();
      const second = await prints(child, /completed successfully/);
      child.kill('SIGINT');
      expect(await ends(child)).toEqual({ code: 0, signal: null });
      expect(parsed(first + second).map(({ seq, error_code }) => [seq, error_code])).toEqual([
        [1, null],
        [2, null],
      ]);
    } finally {
      other.remove();
    }
  });
});

describe('foil verify --format kaiza', () => {
  it('K13d: accepts what foil log prints, from a file and from a pipe', () => {
    expect(verify('audit.log')).toMatchObject({ code: 0, stderr: '' });
    expect(verify('audit.log').stdout).toMatch(/^INTACT: The 8 entries agree with each other\./);
    const piped = execFileSync(
      'sh',
      [
        '-c',
        `"$0" "$1" log --format kaiza | "$0" "$1" verify --format kaiza - --json`,
        process.execPath,
        FOIL,
      ],
      { cwd: sandbox.work, env: sandbox.env, encoding: 'utf8' },
    );
    expect(JSON.parse(piped)).toMatchObject({
      format: 'kaiza',
      verdict: 'INTACT',
      valid: true,
      status: 'VALID',
      entries: 8,
      failures: [],
      facets: { integrity: { status: 'pass' }, truncation: { status: 'unknown' } },
      lastHash: parsed(log).at(-1)?.entry_hash,
    });
  });

  it('K13d: reports all that is wrong, each with its line, and ends with 4', () => {
    const lines = log.split('\n');
    lines[1] = lines[1]?.replace('"result":"ok"', '"result":"error"') ?? '';
    lines[4] = 'gone';
    sandbox.write('bad.log', `${lines.join('\n')}\n`);
    const { code, stdout } = verify('bad.log', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      status: 'CORRUPTED',
      failures: [
        { line: 2, seq: 2, error: 'HASH_MISMATCH' },
        { line: 5, seq: 5, error: 'INVALID_JSON' },
        { line: 9, seq: 9, error: 'BLANK_LINE' },
      ],
    });
    const text = verify('bad.log');
    expect(text.code).toBe(4);
    expect(text.stdout).toContain('INVALID_JSON (entry 5): line 5 is not an entry: not JSON');
  });

  it('makes what it quotes harmless', () => {
    sandbox.write('evil.log', '{"\\u001b]0;owned\\u0007":1}\n');
    expect(verify('evil.log').stdout).not.toContain('\u001b');
  });

  it('K13e: never calls an empty log valid, nor one that breaks off or lacks what was kept', () => {
    sandbox.write('empty.log', '');
    expect(verify('empty.log')).toMatchObject({ code: 4 });
    expect(verify('empty.log').stdout).toMatch(/^BROKEN: There are no entries here/);
    expect(sandbox.run(['verify', '--format', 'kaiza', '-'], { input: '' }).code).toBe(4);
    sandbox.write('cut.log', log.slice(0, -20));
    expect(verify('cut.log').code).toBe(4);
    expect(verify('missing.log')).toMatchObject({ code: 3 });
    const [last, sixth] = [parsed(log)[7]?.entry_hash, parsed(log)[5]?.entry_hash].map(String);
    sandbox.write('short.log', `${log.split('\n').slice(0, 6).join('\n')}\n`);
    expect(verify('short.log', '--continues', last ?? '').code).toBe(4);
    expect(verify('short.log', '--continues', sixth ?? '').stdout).toMatch(/truncation {3}pass/);
    expect(verify('audit.log', '--continues', last ?? '').code).toBe(0);
    expect(verify('short.log').stdout).toMatch(/truncation {3}unknown/);
  });

  it.each([
    [['verify', '--format', 'kaiza'], 'Which log?'],
    [['verify', 'audit.log', '--format', 'otel'], 'Use one of kaiza'],
    [['verify', '.', '--format', 'kaiza'], 'is a directory'],
    [['verify', 'audit.log', '--format', 'kaiza', '--require', 'signed'], '--require is only for a ledger'],
    [['verify', 'audit.log', '--format', 'kaiza', '--continues', 'AB'], '64 lower-case hex digits'],
    [['verify', '--continues', 'ab'], '--continues needs --format'],
    [['verify', 'audit.log'], 'is JSON, not a proof'],
  ])('%j is wrong usage', (words, message) => {
    const { code, stderr } = sandbox.run(words);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('K13f: reads on through a line that no string could hold', () => {
    const stdout = execFileSync(
      'sh',
      [
        '-c',
        `(head -c 600000000 /dev/zero; printf '\\n%s\\n' "$2") | "$0" --max-old-space-size=48 "$1" verify --format kaiza - --json || test $? = 4`,
        process.execPath,
        FOIL,
        log.split('\n')[1] ?? '',
      ],
      { cwd: sandbox.work, env: sandbox.env, encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      entries: 1,
      failures: [{ line: 1, error: 'TOO_LONG' }],
    });
  });
});
