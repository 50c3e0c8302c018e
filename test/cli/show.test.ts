// foil show and foil session through the built file.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from './foil.ts';
import { openRecorded, recordEverything } from './recorded-ledger.ts';

const sandbox = new Sandbox();
const [a, b, late] = ['a1'.repeat(32), `a1b2${'0'.repeat(60)}`, 'c3'.repeat(32)];
const HARMFUL = /[\p{Cc}\p{Cf}]/u;
beforeAll(async () => {
  sandbox.ledger();
  const before = openRecorded(sandbox.path('.foil'));
  await recordEverything(before, a);
  await before.close();
  sandbox.ok(['checkpoint']);
  const to = openRecorded(sandbox.path('.foil'));
  const open = to.session(b, { agent: 'gemini', at: '2026-11-15T11:00:00.000Z' });
  await open.start(); // 23
  const prompt = await open.prompt('\u001b[2Jhello\u202e\r\nsecond line\ttabbed'); // 24
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join('\n');
  const call = await open.call('Bash', 'toolu_1', { command: `cat <<END\n${lines}\nEND`, n: 1 }, {}, prompt); // 25
  await open.result('Bash', 'toolu_1', lines, call); // 26
  const binary = await to.store.putContent(b, Uint8Array.of(0xff, 0xfe, 0x00));
  await open.entry('x.file', { file: { $content: `keyed-sha256:${binary.hash}`, bytes: 3 } }); // 27
  const erased = to.session(late);
  await erased.prompt('forget me'); // 28
  await to.store.eraseContent(late);
  await to.close();
});
afterAll(() => sandbox.remove());

describe('show', () => {
  it('B1 shows an entry with its facts, content, causes, seal and what was redacted', () => {
    const text = sandbox.ok(['show', '11']);
    expect(text).toMatch(/^entry 11 {2}tool\.result$/m);
    expect(text).toContain(`session  ${a}\n`);
    expect(text).toContain('sealed   yes, by the checkpoint over entries 1 to 22\n');
    expect(text).toMatch(/^ {2}hash {5}[0-9a-f]{64}$/m);
    expect(text).toContain(
      'answers  8  tool.call  Bash  git push\n           3  prompt  "fix the flaky test …"',
    );
    expect(text).toMatch(/^ {2}exit_code {7}1$/m);
    expect(text).toMatch(/^output\.stdout {2}empty\n\noutput\.stderr {2}8 B\n {2}rejected$/m);
    expect(text).toContain('redacted\n  2 × github-token\n  1 × key:password\n');
  });

  it('shows what answers an entry, and that it is not sealed yet', () => {
    const text = sandbox.ok(['show', '24']);
    expect(text).toContain('answered by  25  tool.call  Bash  cat <<END …\n');
    expect(text).toContain('sealed       not yet\n');
  });

  it('pretty-prints arguments, and shows a member of many lines on its own', () => {
    const text = sandbox.ok(['show', '25']);
    expect(text).toMatch(/^args {2}.*application\/json\n {2}\{\n {4}"n": 1\n {2}\}$/m);
    expect(text).toMatch(/^args\.command {2}.*\n {2}cat <<END\n {2}line 1$/m);
    expect(text).toContain('  line 39\n  … 62 more lines: --full shows all\n');
    expect(sandbox.ok(['show', '25', '--full'])).toContain('  line 100\n  END\n');
  });

  it('lets nothing hostile reach the terminal', () => {
    const text = sandbox.ok(['show', '24']);
    expect(text.replaceAll('\n', '')).not.toMatch(HARMFUL);
    expect(text).toContain('  \\u{1b}[2Jhello\\u{202e}\n  second line    tabbed\n');
  });

  it('gives {entry, content, cause, answers, sealed} with --json', () => {
    const { entry, content, cause, answers, sealed } = sandbox.json(['show', '4']) as Record<string, never>;
    expect(Object.keys(sandbox.json(['show', '4']) as object)).toEqual([
      'entry',
      'content',
      'cause',
      'answers',
      'sealed',
    ]);
    expect(entry).toEqual(JSON.parse(sandbox.ok(['log', '--json', '--from', '4', '--to', '4'])));
    expect(content).toEqual({
      args: {
        state: 'kept',
        bytes: 52,
        type: 'application/json',
        value: { command: 'npm test', description: 'run the tests' },
      },
    });
    expect(cause).toMatchObject([{ seq: 3, kind: 'prompt' }]);
    expect(answers).toMatchObject([{ seq: 5, kind: 'tool.result' }]);
    expect(sealed).toBe(true);
  });

  it('finds a tool call by its id, in every session, with all that came of it', () => {
    const { entry, others } = sandbox.json(['show', 'toolu_1']) as {
      entry: object;
      others: { entry: { seq: number } }[];
    };
    expect(entry).toMatchObject({ seq: 4 });
    expect(others.map((other) => other.entry.seq)).toEqual([5, 25, 26]);
    expect(sandbox.ok(['show', 'toolu_3']).match(/^entry \d+ .*$/gm)).toEqual([
      'entry 8  tool.call',
      'entry 9  approval',
      'entry 10  approval',
      'entry 11  tool.result',
    ]);
  });

  it('shows a session by the beginning of its id', () => {
    expect(sandbox.ok(['show', 'a1a'])).toBe(sandbox.ok(['session', 'show', 'a1a']));
  });

  it('G13 tells of content that is no text or is gone', () => {
    expect(sandbox.ok(['show', '27'])).toMatch(/^file {2}3 B: not text$/m);
    expect(sandbox.json(['show', '27'])).toMatchObject({ content: { file: { base64: '//4A' } } });
    expect(sandbox.ok(['show', '28'])).toMatch(/^text {2}9 B, not kept$/m);
    expect(sandbox.json(['show', '28'])).toMatchObject({ content: { text: { state: 'gone', bytes: 9 } } });
  });

  it.each([
    ['99', 'there is no entry 99. The ledger has entries 1 to 28.'],
    [
      'toolu_none',
      "toolu_none isn't an entry, a session or a tool call of this ledger. See `foil log` and `foil session list`.",
    ],
    ['dddd', "dddd isn't an entry, a session or a tool call"],
  ])('%s is not found', (id, message) => {
    const { code, stderr } = sandbox.run(['show', id]);
    expect(code).toBe(3);
    expect(stderr).toContain(message);
  });
});

describe('session list', () => {
  it('gives full ids and counts, oldest first', () => {
    const { sessions } = sandbox.json(['session', 'list']) as { sessions: object[] };
    expect(sessions).toMatchObject([
      {
        id: a,
        agent: 'claude-code',
        state: 'ended',
        start: '2026-11-15T10:00:00.000Z',
        end: '2026-11-15T10:00:20.000Z',
        prompts: 1,
        calls: 5,
        denied: 1,
        workspace_root: '/home/dev/proj',
      },
      { id: b, agent: 'gemini', state: 'open', end: null, prompts: 1, calls: 1, denied: 0 },
      { id: late, agent: null, state: 'open', prompts: 1 },
    ]);
    const lines = sandbox.ok(['session', 'list']).split('\n');
    expect(lines[0]).toMatch(/^session +agent +start +end +prompts +calls +denied +in$/);
    expect(lines[2]).toMatch(
      /^a1b20+ {2}gemini {7}2026-11-15 11:00:00Z {2}open .* 1 +1 +0 {2}\/home\/dev\/proj$/,
    );
  });

  it('says so where there is none', () => {
    const none = new Sandbox();
    try {
      none.ledger(1);
      expect(none.ok(['session', 'list'])).toBe('No sessions.\n');
      expect(none.json(['session', 'list'])).toEqual({ sessions: [] });
    } finally {
      none.remove();
    }
  });
});

describe('session show', () => {
  it('X15 is one screen of what happened, approvals with how long the person took', () => {
    const text = sandbox.ok(['session', 'show', 'a1a1']);
    expect(text.split('\n').length).toBeLessThan(45);
    for (const line of [
      `session ${a}`,
      '  agent      claude-code (6814b442-ecaf-4245-a03c-23fe2a1a3d92)',
      '  time       2026-11-15 10:00:00Z to 2026-11-15 10:00:20Z (20 s), ended: logout',
      '  recorded   mode observe, content keep, hashes salted',
      '  entries    21, from 2 to 22',
      '  redacted   3 github-token, 1 key:password',
      'tools  calls  failed  denied   time',
      'Bash       3       1       1  2.1 s',
      'approvals\n  10  Bash  granted after 12 s',
      'denied\n  13  Bash  by host: not in this project',
      'files written\n  src/a.ts  edit, 120 B',
      'subagents\n  Explore  agent-7  1 call',
      'unfinished calls\n  15  Grep  since 2026-11-15 10:00:13Z',
      'gaps\n  18  recording was off 10 m: FOIL=off',
    ])
      expect(text).toContain(`${line}\n`);
  });

  it('gives all of it with --json', () => {
    const { session } = sandbox.json(['session', 'show', a]) as { session: object };
    expect(session).toMatchObject({
      id: a,
      mode: 'observe',
      tools: { Bash: { calls: 3, failed: 1, denied: 1, ms: 2134 }, Edit: { calls: 1 }, Grep: { calls: 1 } },
      approvals: [{ seq: 10, state: 'granted', waited_ms: 12_000 }],
      denials: [{ seq: 13, by: 'host' }],
      unfinished: [{ seq: 15, tool: 'Grep', tool_use_id: 'toolu_5' }],
      redacted: { 'github-token': 3, 'key:password': 1 },
      subagents: [{ id: 'agent-7', type: 'Explore', calls: 1, ended: true }],
    });
  });

  it('says that a session is open', () => {
    expect(sandbox.ok(['session', 'show', 'a1b'])).toMatch(
      /^ {2}time {7}2026-11-15 11:00:00Z, open; last entry/m,
    );
  });

  it.each([
    [['show', 'a1'], 2, 'a1 matches several sessions: a1a1a1a1, a1b20000. Write more of the id.'],
    [['show', 'ff'], 3, 'no session begins with ff'],
    [['show', 'XY'], 2, "isn't the beginning of a session id"],
    [['show'], 2, 'Which session?'],
    [['list', 'a1'], 2, 'Unexpected argument "a1"'],
    [['lst'], 2, 'Unknown subcommand "lst". Use list, show, start, end or cut. Did you mean list?'],
  ])('%j exits with %i', (words, code, message) => {
    const result = sandbox.run(['session', ...words]);
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(code);
  });
});
