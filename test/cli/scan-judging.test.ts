// How a transcript is judged: what makes evidence stale or worthless without a work tree to look at, and what else
// stands in transcripts of each host.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findScannedClaim } from '../../src/report/scan-details.ts';
import { scanFile } from '../../src/report/scan-file.ts';
import { findTranscripts } from '../../src/report/transcript-files.ts';
import { temporary } from '../temporary.ts';
import { ID, judged, scan, withBox } from './scan-box.ts';
import { ClaudeSession, CodexSession, FAILED, GeminiSession, PASSED, ROOT } from './transcripts.ts';

describe('X12a what makes evidence stale or worthless in a transcript', () => {
  const start = (s: ClaudeSession): ClaudeSession =>
    s.prompt('Fix src/parser.ts.').edit('src/parser.ts').run('npx vitest run', PASSED);
  const claim = (s: ClaudeSession): ClaudeSession => s.say('All tests pass.');

  it.each([
    'sed -i s/a/b/ src/parser.ts',
    "sed -i '' -e 's/a/b/' src/parser.ts",
    'perl -pi -e s/a/b/ src/parser.ts',
    'echo "export {}" > src/other.ts',
    'cat >> src/parser.ts <<EOF\nx\nEOF',
    'printf x | tee src/parser.ts',
    'mv /tmp/new.ts src/parser.ts',
    'cp src/a.ts src/b.ts',
    'rm src/unused.ts',
    'git checkout -- src/parser.ts',
    'git checkout main',
    'git stash',
    'git reset --hard HEAD~1',
    'git restore src/parser.ts',
    'git apply fix.patch',
    'patch -p1 < fix.patch',
    'cd src && sed -i s/a/b/ parser.ts',
    'npx vitest run && sed -i s/a/b/ src/parser.ts',
  ])('%s', (command) => {
    expect(judged((s) => claim(start(s).run(command, command.startsWith('npx') ? PASSED : '')))).toEqual([
      'stale All tests pass',
    ]);
  });

  it.each([
    'git status',
    'git diff',
    'git checkout -b topic',
    'git commit -am x',
    'git stash list',
    'cat src/parser.ts',
    'sed -n 1,5p src/parser.ts',
    'rm -rf dist node_modules/.cache',
    'echo x > /tmp/notes.ts',
    'echo x > NOTES.md',
    'ls > /dev/null 2>&1',
    'rm --help | head',
  ])('but not %s', (command) => {
    expect(judged((s) => claim(start(s).run(command)))).toEqual(['backed All tests pass']);
  });

  it('a session that the user goes on with in another work tree works there', () => {
    const resumed = (s: ClaudeSession): ClaudeSession => {
      s.prompt('Fix src/a.ts.').edit('src/a.ts').say('Which way?').cwd = '/work/app-topic';
      return s.prompt('Fix src/b.ts here.').edit('src/b.ts');
    };
    expect(judged((s) => claim(resumed(s).run('npx vitest run', PASSED)))).toEqual(['backed All tests pass']);
    expect(judged((s) => claim(resumed(s).run(`cd ${ROOT} && npx vitest run`, PASSED)))).toEqual([
      'narrow All tests pass',
    ]);
  });

  it('a line that edits and then tests is fresh; one that failed before its edit changed nothing', () => {
    expect(
      judged((s) => claim(start(s).run('sed -i s/a/b/ src/parser.ts && npx vitest run', PASSED))),
    ).toEqual(['backed All tests pass']);
    expect(judged((s) => claim(start(s).run('sed -i s/a/b/ src/nothing.ts', 'no such file', 1)))).toEqual([
      'backed All tests pass',
    ]);
    expect(judged((s) => claim(start(s).run('git pull', 'Already up to date.\n')))).toEqual([
      'backed All tests pass',
    ]);
  });

  it('a test that is deleted is missed, one that this session made is not, nor one that moved', () => {
    expect(judged((s) => claim(s.run('rm test/parser.test.ts')).edit('src/a.ts'))).toEqual([]);
    const gone = (s: ClaudeSession): ClaudeSession =>
      s
        .prompt('Fix it.')
        .edit('src/parser.ts')
        .run('git rm -q test/parser.test.ts')
        .run('npx vitest run', PASSED);
    expect(judged((s) => claim(gone(s)))).toEqual(['weakened All tests pass']);
    const own = (s: ClaudeSession): ClaudeSession => {
      const file = join(ROOT, 'test/try.test.ts');
      const content = "it('x', () => { expect(1).toBe(1); });";
      return s
        .prompt('Fix it.')
        .edit('src/parser.ts')
        .call(
          'Write',
          { file_path: file, content },
          { type: 'create', filePath: file, content, originalFile: null },
        )
        .run('rm test/try.test.ts')
        .run('npx vitest run', PASSED);
    };
    expect(judged((s) => claim(own(s)))).toEqual(['backed All tests pass']);
    const moved = (s: ClaudeSession): ClaudeSession =>
      s
        .prompt('Fix it.')
        .edit('src/a.ts')
        .run('git mv test/a.test.ts test/b.test.ts')
        .run('npx vitest run', PASSED);
    expect(judged((s) => claim(moved(s)))).toEqual(['backed All tests pass']);
  });

  it('a test that was skipped by a whole new file counts, and no longer once it is back', () => {
    const file = join(ROOT, 'test/parser.test.ts');
    const plain = "it('keeps', () => {\n  expect(a).toBe(1);\n});\n";
    const put = (s: ClaudeSession, originalFile: string, content: string): ClaudeSession =>
      s.call(
        'Write',
        { file_path: file, content },
        { type: 'update', filePath: file, content, originalFile },
      );
    const skipped = plain.replace('it(', 'it.skip(');
    const begin = (s: ClaudeSession): ClaudeSession => s.prompt('Fix src/parser.ts').edit('src/parser.ts');
    expect(judged((s) => claim(put(begin(s), plain, skipped).run('npx vitest run', PASSED)))).toEqual([
      'weakened All tests pass',
    ]);
    expect(
      judged((s) => claim(put(put(begin(s), plain, skipped), skipped, plain).run('npx vitest run', PASSED))),
    ).toEqual(['backed All tests pass']);
  });
});

describe('X12a what is in a transcript besides', () => {
  const tested = (s: ClaudeSession): ClaudeSession =>
    s.prompt('Fix src/parser.ts.').edit('src/parser.ts').run('npx vitest run', PASSED);

  it('what the user says while the agent works begins a turn, however long the result beside it', () => {
    for (const length of [10, 5000]) {
      const session = new ClaudeSession(ID(1)).prompt('Fix it').edit('src/a.ts', 'a'.repeat(length));
      const { message } = session.lines.at(-1) as { message: { content: unknown[] } };
      message.content.push({ type: 'text', text: 'And the lexer, too?' });
      const home = temporary();
      session.say('All tests pass.').save(home);
      const turns = findTranscripts({ home, env: {} }).flatMap((file) => [...scanFile(file)]);
      expect(turns.map((found) => found?.turn.turn)).toEqual([2]);
    }
  });

  it('a turn that was interrupted has no last word', () => {
    expect(
      judged((s) =>
        s.prompt('Fix it').edit('src/a.ts').say('All tests pass.').prompt('[Request interrupted by user]'),
      ),
    ).toEqual([]);
  });

  it('what was refused never ran', () => {
    const refusal = {
      content: "The user doesn't want to proceed with this tool use. The tool use was rejected.",
      is_error: true,
    };
    expect(
      judged((s) =>
        s
          .prompt('Fix it')
          .edit('src/a.ts')
          .call('Bash', { command: 'npx vitest run' }, 'Error', refusal)
          .say('All tests pass.'),
      ),
    ).toEqual(['unbacked All tests pass']);
    // Nor did an edit that was refused make anything stale.
    const input = { file_path: join(ROOT, 'src/parser.ts'), old_string: 'a', new_string: 'b' };
    expect(judged((s) => tested(s).call('Edit', input, 'Error', refusal).say('All tests pass.'))).toEqual([
      'backed All tests pass',
    ]);
  });

  it('meta lines, summaries, reminders, commands of the host and errors of its API are nobody’s words', () => {
    expect(
      judged((s) =>
        tested(s)
          .say('All tests pass.')
          .prompt('Caveat: The messages below were generated by the user', { isMeta: true })
          .prompt('This session is being continued. All tests pass.', { isCompactSummary: true })
          .prompt('<local-command-stdout>done</local-command-stdout>')
          .prompt('<system-reminder>All done.</system-reminder>')
          .says([{ type: 'text', text: 'API Error: all tests pass' }], { isApiErrorMessage: true })
          .line('system', undefined, { content: 'All tests pass.', subtype: 'compact_boundary' })
          .line('progress', undefined, {
            data: { message: { role: 'assistant', content: 'All tests pass.' } },
          }),
      ),
    ).toEqual(['backed All tests pass']);
  });

  it('a command of the user begins a turn', () => {
    expect(
      judged((s) =>
        tested(s)
          .say('All tests pass.')
          .prompt('<command-name>/fix</command-name>\n<command-args>the lexer</command-args>')
          .prompt('Please fix the lexer, and so on.', { isMeta: true })
          .edit('src/lexer.ts')
          .say('All tests pass.'),
      ),
    ).toEqual(['backed All tests pass', 'stale All tests pass']);
  });

  it('what a subagent did counts, what it said does not', () => {
    const side = { isSidechain: true };
    expect(
      judged((s) =>
        s
          .prompt('Fix it')
          .prompt('You are a subagent.', side)
          .edit('src/a.ts', 'a', 'b', side)
          .run('npx vitest run', PASSED, 0, side)
          .says([{ type: 'text', text: 'Fixed the bug.' }], side)
          .say('All tests pass.'),
      ),
    ).toEqual(['backed All tests pass']);
  });

  it('also where it has a file of its own', () => {
    const home = temporary();
    const main = new ClaudeSession(ID(1));
    main
      .prompt('Fix it')
      .call('Agent', { prompt: 'do it' }, { status: 'completed', agentId: 'a12', content: [] })
      .say('All tests pass.');
    const path = main.save(home);
    const own = new ClaudeSession(ID(1));
    own
      .edit('src/a.ts', 'a', 'b', { isSidechain: true })
      .run('npx vitest run', PASSED, 0, { isSidechain: true });
    own.say('I fixed the bug.');
    const folder = path.replace(/\.jsonl$/, '/subagents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent-a12.jsonl'), own.text);
    const files = findTranscripts({ home, env: {} });
    expect(files).toHaveLength(1);
    expect(findScannedClaim('00000001-111.1.1', files)).toMatchObject({
      status: 'backed',
      changed: ['src/a.ts'],
    });
  });

  it('"done" waits for what runs in the background, and is judged when that is over; "tested" does not wait', () => {
    const input = { command: 'npx vitest run', run_in_background: true };
    const begin = (s: ClaudeSession, words: string): ClaudeSession =>
      s
        .prompt('Fix it')
        .edit('src/a.ts')
        .call('Bash', input, { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' })
        .say(words);
    expect(judged((s) => begin(s, 'Fixed the crash.'))).toEqual([]);
    expect(judged((s) => begin(s, 'All tests pass.'))).toEqual(['trick All tests pass']);
    expect(
      judged((s) =>
        begin(s, 'Fixed the crash.')
          .prompt(
            '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status></task-notification>',
          )
          .say('The tests pass now, as well.'),
      ),
    ).toEqual([expect.stringContaining('trick')]);
  });

  it('one message in several lines is one message', () => {
    expect(
      judged((s) =>
        tested(s)
          .says([{ type: 'text', text: 'All tests pass.' }], {}, 'm1')
          .says([{ type: 'text', text: 'Anything else?' }], {}, 'm1'),
      ),
    ).toEqual(['backed All tests pass']);
  });

  it('images and long results are no hindrance', () => {
    const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(300_000) } };
    const long = '“quoted” \\ "tool_use_id":"x" "is_error":true\n'.repeat(2000);
    expect(
      judged((s) =>
        tested(s)
          .call('Read', { file_path: `${ROOT}/a.png` }, { type: 'image' }, { content: [image] })
          .call(
            'Read',
            { file_path: `${ROOT}/a.ts` },
            { type: 'text', file: { content: long } },
            { content: long },
          )
          .run('cat notes', long)
          .line('user', { role: 'user', content: [{ type: 'text', text: 'And this?' }, image] })
          .say('All tests pass.'),
      ),
    ).toEqual(['backed All tests pass']);
  });

  it('a long command that failed did fail', () => {
    const long = 'x'.repeat(5000);
    expect(
      judged((s) =>
        s
          .prompt('Fix it')
          .edit('src/a.ts')
          .run('npx vitest run', FAILED + long, 1)
          .say('All tests pass.'),
      ),
    ).toEqual(['failed All tests pass']);
  });

  it('Codex: a command that goes on is over when it says so; a patch may come as a command', () => {
    withBox((box) => {
      const patch =
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch\nEOF";
      new CodexSession(ID(1))
        .prompt('Fix it')
        .run(patch, 'Success. Updated the following files')
        .call(
          'exec_command',
          { cmd: 'npx vitest run' },
          'Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\nRUN\n',
        )
        .call(
          'write_stdin',
          { session_id: 7, chars: '' },
          `Wall time: 3 seconds\nProcess exited with code 0\nOutput:\n${PASSED}`,
        )
        .say('All tests pass.')
        .save(box.root);
      expect(scan(box)).toMatchObject({ claims: 1, backed: 1 });
    });
  });

  it('Gemini: lines of JSON, of which the newest of an id counts', () => {
    withBox((box) => {
      const session = new GeminiSession(ID(1))
        .prompt('Fix it')
        .edit('src/a.ts')
        .run('npx vitest run', PASSED)
        .say('All tests pass.');
      const [first, ...rest] = session.lines;
      const lines = [
        { sessionId: ID(1), projectHash: 'x' },
        first,
        first,
        ...rest,
        { $set: { summary: 'x' } },
      ];
      const folder = join(box.root, '.gemini/tmp/app/chats');
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'session-1.jsonl'),
        lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
      expect(scan(box)).toMatchObject({ claims: 1, backed: 1, turns: 1 });
    });
  });
});
