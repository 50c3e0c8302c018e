// foil log of recorded sessions through the built file: one clear line an event, with the words of prompts and
// commands where they are kept.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from './foil.ts';
import { openRecorded, recordEverything } from './recorded-ledger.ts';

const sandbox = new Sandbox();
const id = 'a1'.repeat(32);
beforeAll(async () => {
  sandbox.ledger();
  const to = openRecorded(sandbox.path('.foil'));
  await recordEverything(to, id);
  await to.close();
});
afterAll(() => sandbox.remove());

const told = (text: string): string[] => text.split('\n').slice(0, -1);

describe('log of a recorded session', () => {
  it('B1 has one clear line an event', () => {
    const lines = told(sandbox.ok(['log', '--from', '2'])).map((line) =>
      line.replace(/^ +(\d+) {2}2026-11-15 ([\d:]{8})Z/, '$1 $2'),
    );
    expect(lines).toEqual([
      '2 10:00:00  session.start  a1a1a1a1  claude-code in /home/dev/proj',
      '3 10:00:01  prompt         a1a1a1a1  "fix the flaky test …"  (1 redacted)',
      '4 10:00:02  tool.call      a1a1a1a1  Bash  npm test',
      '5 10:00:03  tool.result    a1a1a1a1  Bash  exit 0 (inferred)  vitest 12 passed  1.2 s',
      '6 10:00:04  tool.call      a1a1a1a1  Edit  src/a.ts',
      '7 10:00:05  tool.result    a1a1a1a1  Edit  ok  edit src/a.ts (120 B)  8 ms',
      '8 10:00:06  tool.call      a1a1a1a1  Bash  git push',
      '9 10:00:07  approval       a1a1a1a1  Bash  asked',
      '10 10:00:08  approval       a1a1a1a1  Bash  granted after 12 s',
      '11 10:00:09  tool.result    a1a1a1a1  Bash  exit 1 (host)  900 ms  (3 redacted)',
      '12 10:00:10  tool.call      a1a1a1a1  Bash  rm -rf /',
      '13 10:00:11  tool.denied    a1a1a1a1  Bash  by host: not in this project',
      '14 10:00:12  agent.start    a1a1a1a1  Explore  agent-7',
      '15 10:00:13  tool.call      a1a1a1a1  Grep [agent-7]  TODO',
      '16 10:00:14  agent.end      a1a1a1a1  Explore  agent-7  "nothing found"',
      '17 10:00:15  compaction     a1a1a1a1  before  auto',
      '18 10:00:16  gap            a1a1a1a1  recording was off 10 m: FOIL=off',
      '19 10:00:17  notice         a1a1a1a1  task-notification  "task b1 is done"',
      '20 10:00:18  observation    a1a1a1a1  MessageDisplay  {"delta":"x"}',
      '21 10:00:19  response       a1a1a1a1  "It was the clock."',
      '22 10:00:20  session.end    a1a1a1a1  1 prompt, 5 calls, 1 denied  logout',
    ]);
  });

  it('shows sizes with --no-content', () => {
    const lines = told(sandbox.ok(['log', '--from', '3', '--to', '4', '--no-content']));
    expect(lines[0]).toMatch(/ <38 B> {2}\(1 redacted\)$/);
    expect(lines[1]).toMatch(/ Bash {2}<52 B>$/);
  });

  it("prints the ledger's own lines with --json", () => {
    const lines = sandbox.read('.foil/ledger/0000000000000001.jsonl');
    expect(sandbox.ok(['log', '--json'])).toBe(lines);
    expect(sandbox.ok(['log', '--json', '--kind', 'approval'])).toBe(
      `${lines.split('\n').slice(8, 10).join('\n')}\n`,
    );
  });

  it('fits a terminal, where each day has a line of its own', () => {
    // script(1) gives the command a terminal; the size of it is the child's own.
    const { stdout } = sandbox.onTerminal(['log', '--from', '5', '--to', '6'], 70);
    const lines = told(stdout.replaceAll('\r', ''));
    expect(lines[0]).toBe('2026-11-15, times in UTC');
    expect(lines[1]).toMatch(/^ {6}5 {2}10:00:03 {2}tool\.result {4}a1a1a1a1 {2}Bash {2}exit 0 .*…$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(70);
  });
});

describe('what is not there', () => {
  it('G13 content that is not kept or was erased is told by its size', async () => {
    const other = new Sandbox();
    try {
      other.ledger();
      const to = openRecorded(other.path('.foil'));
      const none = to.session('b2'.repeat(32), { content: 'none' });
      await none.prompt('x'.repeat(2100));
      await none.call('Bash', 'toolu_1', { command: 'npm test' });
      await none.call(
        'Read',
        'toolu_2',
        { file_path: '/home/dev/proj/b.ts' },
        { paths: ['/home/dev/proj/b.ts'] },
      );
      const erased = to.session('c3'.repeat(32));
      await erased.prompt('forget me');
      await to.store.eraseContent(erased.id);
      const broken = to.session('d4'.repeat(32));
      await broken.prompt('whose salt is lost');
      await to.close();
      rmSync(join(other.path('.foil/salts'), broken.id));
      const said = told(other.ok(['log', '--from', '2'])).map((line) => line.slice(56));
      expect(said).toEqual([
        '<2.1 kB, not kept>',
        'Bash  <22 B, not kept>',
        'Read  b.ts',
        '<9 B, not kept>',
        "<18 B, here, but its salt is gone, so it can't be checked>",
      ]);
    } finally {
      other.remove();
    }
  });

  it('G13 encrypted content is shown where its key is, and only there', () => {
    const other = new Sandbox();
    try {
      other.env.XDG_RUNTIME_DIR = join(other.root, 'run');
      other.write('counterfoil.yaml', 'content: encrypt\n');
      other.ledger();
      const event = {
        session_id: 's',
        cwd: other.work,
        hook_event_name: 'UserPromptSubmit',
        prompt: 'in the dark',
      };
      other.ok(['hook', 'claude-code'], { input: JSON.stringify(event) });
      const prompt = (): string => other.ok(['log', '--kind', 'prompt']).slice(56);
      expect(prompt()).toBe('"in the dark"\n');
      expect(other.ok(['show', '4'])).toMatch(/^text {2}11 B, text\/plain\n {2}in the dark$/m);
      // Somebody else's copy of the ledger.
      rmSync(other.path('.foil/keys'), { recursive: true });
      expect(prompt()).toBe("<11 B, encrypted, and its key isn't here>\n");
      expect(other.ok(['show', '4'])).toMatch(/^text {2}.*encrypted, and its key isn't here$/m);
      expect(other.json(['show', '4'])).toMatchObject({ content: { text: { state: 'encrypted' } } });
    } finally {
      other.remove();
    }
  });

  it('an exit code nobody knows is not shown as success', async () => {
    const other = new Sandbox();
    try {
      other.ledger();
      const to = openRecorded(other.path('.foil'));
      const session = to.session(id);
      const call = await session.call('Bash', 't', { command: 'x' });
      await session.result('Bash', 't', 'x', call);
      await session.result('Bash', 't', 'x', call, { result: 'timeout', duration_ms: 120_000 });
      await session.result('Read', 't', 'x', call, { result: 'error', error_code: 'ENOENT' });
      await to.close();
      const said = told(other.ok(['log', '--kind', 'tool.result'])).map((line) => line.slice(56));
      expect(said).toEqual(['Bash  exit unknown', 'Bash  timeout  exit unknown  2 m', 'Read  error ENOENT']);
    } finally {
      other.remove();
    }
  });

  it('hostile content reaches the terminal as harmless text, cut to one line', async () => {
    const other = new Sandbox();
    try {
      other.ledger();
      const to = openRecorded(other.path('.foil'));
      const session = to.session(id);
      await session.prompt('\u001b]0;owned\u0007\u202etxt\rfake');
      await session.call('Ba\u001b[31msh', null, {
        command: `echo ${'\u200b'.repeat(5)}${'x'.repeat(60_000)}\nmore`,
      });
      await session.prompt(JSON.stringify({ not: 'parsed' }));
      await to.close();
      const text = other.ok(['log', '--from', '2']);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      const said = told(text);
      expect(said[0]?.slice(56)).toBe('"\\u{1b}]0;owned\\u{7}\\u{202e}txt …"');
      expect(said[1]?.length).toBe(156);
      expect(said[2]?.slice(56)).toBe('"{"not":"parsed"}"');
    } finally {
      other.remove();
    }
  });
});
