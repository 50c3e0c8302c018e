// `foil scan` on folders of transcripts in which claims of every status were planted: it finds exactly these, in each
// host's form, writes nothing, and no file can make it fail.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scanTranscripts } from '../../src/cli/scan.ts';
import { findScannedClaim } from '../../src/cli/scan-file.ts';
import { findTranscripts } from '../../src/cli/transcript-files.ts';
import { temporary } from '../temporary.ts';
import { Sandbox } from './foil.ts';
import {
  ClaudeSession,
  CodexSession,
  FAILED,
  GeminiSession,
  PASSED,
  ROOT,
  type Script,
} from './transcripts.ts';

interface Scanned {
  readonly [key: string]: unknown;
  readonly claims: number;
  readonly statuses: Record<string, number>;
  readonly sessions: number;
  readonly turns: number;
  readonly turns_with_claims: number;
  readonly turns_blocked: number;
  readonly files: number;
  readonly open: {
    id: string;
    quote: string;
    status: string;
    reason: string;
    project: string;
    type: string;
  }[];
  readonly worst: string[];
  readonly unreadable: string[];
  readonly types: Record<string, Record<string, number>>;
  readonly projects: Record<string, Record<string, number>>;
  readonly weeks: Record<string, Record<string, number>>;
  readonly agents: Record<string, Record<string, number>>;
}

const ID = (n: number): string => `${String(n).padStart(8, '0')}-1111-4222-8333-444444444444`;
const HOSTS = {
  'claude-code': (id: string, day?: string) => new ClaudeSession(id, day),
  codex: (id: string, day?: string) => new CodexSession(id, day),
  gemini: (id: string, day?: string) => new GeminiSession(id, day),
} as const;

/** One session a status, each with the one claim that is planted: "All tests pass." */
const PLANTED: Readonly<Record<string, (session: Script) => Script>> = {
  backed: (s) => s.edit('src/parser.ts').run('npx vitest run', PASSED),
  unbacked: (s) => s.edit('src/parser.ts').run('ls src', 'parser.ts'),
  stale: (s) => s.edit('src/parser.ts').run('npx vitest run', PASSED).edit('src/parser.ts'),
  failed: (s) => s.edit('src/parser.ts').run('npx vitest run', FAILED, 1),
  trick: (s) => s.edit('src/parser.ts').run('npx vitest run || true', PASSED),
  narrow: (s) => s.edit('src/parser.ts').run('npx vitest run test/other.test.ts', PASSED),
  weakened: (s) =>
    s
      .edit('src/parser.ts')
      .edit(
        'test/parser.test.ts',
        "it('keeps lines', () => {\n  expect(parse('a')).toBe(1);\n});",
        "it.skip('keeps lines', () => {\n  expect(parse('a')).toBe(1);\n});",
      )
      .run('npx vitest run', PASSED),
};

function plant(home: string, make: (id: string, day?: string) => Script): void {
  let n = 0;
  for (const [, steps] of Object.entries(PLANTED))
    steps(make(ID(++n)).prompt('Fix src/parser.ts.'))
      .say('All tests pass.')
      .save(home);
  // Disclosed, and turns that say nothing that could be judged.
  make(ID(++n))
    .prompt('Fix src/parser.ts.')
    .edit('src/parser.ts')
    .say('I fixed the parser. I have not run the tests.')
    .prompt('What does it do?')
    .say('It splits lines at the newline.')
    .save(home);
}

function scan(box: Sandbox, ...words: string[]): Scanned {
  return box.json(['scan', ...words]) as Scanned;
}

function withBox(body: (box: Sandbox) => void): void {
  const box = new Sandbox();
  try {
    body(box);
  } finally {
    box.remove();
  }
}

/** Names, kinds, sizes, times and bytes of all there is. */
function tree(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = lstatSync(join(directory, name));
      const text = stat.isFile() ? readFileSync(join(directory, name), 'base64') : '';
      return `${name} ${stat.mode} ${stat.mtimeMs} ${text}`;
    })
    .join('\n');
}

/** What became of the claims of a session. */
function judged(steps: (session: ClaudeSession) => unknown): string[] {
  const home = temporary();
  const session = new ClaudeSession(ID(1));
  steps(session);
  session.save(home);
  const files = findTranscripts({ home, env: {} });
  const found: string[] = [];
  for (let turn = 0; turn < 8; turn++)
    for (let n = 1; n < 8; n++) {
      const claim = findScannedClaim(`00000001-111.${turn}.${n}`, files);
      if (claim !== undefined) found.push(`${claim.status} ${claim.quote}`);
    }
  return found;
}

describe('X12a foil scan finds exactly what was planted', () => {
  it.each(Object.entries(HOSTS))('in transcripts of %s', (agent, make) => {
    withBox((box) => {
      plant(box.root, make);
      const found = scan(box);
      expect(found.statuses).toEqual({
        ...Object.fromEntries(Object.keys(PLANTED).map((status) => [status, 1])),
        excused: 1,
      });
      expect(found).toMatchObject({
        claims: 8,
        backed: 1,
        unbacked: 4,
        stale: 1,
        weakened: 1,
        excused: 1,
        sessions: 8,
        turns: 9,
        turns_with_claims: 8,
        turns_blocked: 6,
        files: 8,
        interrupted: false,
      });
      expect(found.projects).toEqual({ [ROOT]: found.agents[agent] });
      expect(found.weeks).toEqual({ '2026-W46': found.agents[agent] });
      expect(found.open.map(({ status }) => status).sort()).toEqual(
        Object.keys(PLANTED)
          .filter((status) => status !== 'backed')
          .sort(),
      );
      expect(found.worst).toHaveLength(6);
    });
  });

  it('in all of them at once, and in a copy that is named', () => {
    withBox((box) => {
      for (const make of Object.values(HOSTS)) plant(box.root, make);
      expect(scan(box)).toMatchObject({ claims: 24, backed: 3, sessions: 24 });
      expect(scan(box, '--agent', 'codex')).toMatchObject({ claims: 8, files: 8 });
      expect(scan(box, box.root)).toMatchObject({ claims: 24, files: 24 });
      expect(scan(box, join(box.root, '.gemini'), join(box.root, '.codex'))).toMatchObject({ claims: 16 });
    });
  });

  it('and every claim that it lists can be looked up by its id', () => {
    withBox((box) => {
      plant(box.root, HOSTS.codex);
      const files = findTranscripts({ home: box.root, env: {} });
      for (const { id, ...claim } of scan(box).open)
        expect(findScannedClaim(id, files)).toMatchObject({ id, ...claim });
      expect(findScannedClaim('00000001-111.1.9', files)).toBeUndefined();
      expect(findScannedClaim('../../etc.1.1', files)).toBeUndefined();
    });
  });
});

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

  it('a turn that waits for something in the background is silent, and is judged when that is over', () => {
    const input = { command: 'npx vitest run', run_in_background: true };
    const begin = (s: ClaudeSession): ClaudeSession =>
      s
        .prompt('Fix it')
        .edit('src/a.ts')
        .call('Bash', input, { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' })
        .say('All tests pass.');
    expect(judged(begin)).toEqual([]);
    expect(
      judged((s) =>
        begin(s)
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

describe('X12b what is counted', () => {
  it('--since counts turns from then on, with the evidence of the turns before', () => {
    withBox((box) => {
      const session = new ClaudeSession(ID(1), '2026-11-01');
      session.prompt('Fix src/a.ts').edit('src/a.ts').run('npx vitest run', PASSED).say('All tests pass.');
      session.day = '2026-11-12';
      session.prompt('And now?').say('All tests pass.').save(box.root);
      const old = new ClaudeSession(ID(2), '2026-10-01')
        .prompt('Fix')
        .edit('src/a.ts')
        .say('All tests pass.');
      const path = old.save(box.root);
      utimesSync(path, new Date('2026-10-01'), new Date('2026-10-01'));
      expect(scan(box)).toMatchObject({ turns: 3, backed: 2, unbacked: 1, files: 2 });
      expect(scan(box, '--since', '2026-11-10')).toMatchObject({
        turns: 1,
        backed: 1,
        files: 1,
        sessions: 1,
      });
      expect(box.run(['scan', '--since', '2999-01-01']).code).toBe(3);
      expect(box.run(['scan', '--since', 'soon']).code).toBe(2);
    });
  });

  it('--project keeps to sessions of a directory', () => {
    withBox((box) => {
      const other = new ClaudeSession(ID(1));
      other.cwd = '/home/dev/app-two';
      other.prompt('Fix').edit('src/a.ts').say('All tests pass.').save(box.root);
      const inner = new ClaudeSession(ID(2));
      inner.cwd = `${ROOT}/packages/a`;
      inner.prompt('Fix').edit('src/a.ts').say('All tests pass.').save(box.root);
      expect(scan(box, '--project', ROOT)).toMatchObject({ claims: 1, sessions: 1 });
      expect(Object.keys(scan(box, '--project', ROOT).projects)).toEqual([`${ROOT}/packages/a`]);
    });
  });

  it('a session that was resumed repeats lines, which count once', () => {
    withBox((box) => {
      const first = new ClaudeSession(ID(1));
      first.prompt('Fix').edit('src/a.ts').say('All tests pass.').save(box.root);
      const second = new ClaudeSession(ID(2));
      second.lines.push(...first.lines.map((line) => ({ ...line, sessionId: ID(2) })));
      second.prompt('Go on').edit('src/b.ts').say('All tests pass.').save(box.root);
      const found = scan(box);
      expect(found).toMatchObject({ claims: 2, turns: 2, sessions: 2 });
      expect(new Set(found.open.map(({ id }) => id)).size).toBe(2);
    });
  });

  it('the same file by another name, or by a link, is one file', () => {
    withBox((box) => {
      const path = new ClaudeSession(ID(1))
        .prompt('Fix')
        .edit('src/a.ts')
        .say('All tests pass.')
        .save(box.root);
      linkSync(path, path.replace(ID(1), ID(2)));
      symlinkSync(path, path.replace(ID(1), ID(3)));
      symlinkSync(join(box.root, '.claude'), join(box.root, '.claude/projects/again'));
      expect(scan(box)).toMatchObject({ files: 1, claims: 1 });
    });
  });

  it('a folder that is a link is followed', () => {
    withBox((box) => {
      const elsewhere = join(box.root, 'synced');
      mkdirSync(elsewhere);
      new ClaudeSession(ID(1)).prompt('Fix').edit('src/a.ts').say('All tests pass.').save(elsewhere);
      mkdirSync(join(box.root, '.claude'));
      symlinkSync(join(elsewhere, '.claude/projects'), join(box.root, '.claude/projects'));
      expect(scan(box)).toMatchObject({ files: 1, claims: 1 });
    });
  });

  it('CLAUDE_CONFIG_DIR and CODEX_HOME name other places', () => {
    withBox((box) => {
      const place = join(box.root, 'elsewhere');
      new ClaudeSession(ID(1)).prompt('Fix').edit('src/a.ts').say('All tests pass.').save(place);
      new CodexSession(ID(2)).prompt('Fix').edit('src/a.ts').say('All tests pass.').save(place);
      const env = { CLAUDE_CONFIG_DIR: join(place, '.claude'), CODEX_HOME: join(place, '.codex') };
      expect(JSON.parse(box.ok(['scan', '--json'], { env }))).toMatchObject({ claims: 2, files: 2 });
    });
  });
});

describe('X12c nothing is written, and nothing makes it fail', () => {
  it('leaves every file and every directory as it was', () => {
    withBox((box) => {
      for (const make of Object.values(HOSTS)) plant(box.root, make);
      const before = tree(box.root);
      box.ok(['scan']);
      box.ok(['scan', '--json']);
      box.run(['scan', '--since', '2999-01-01']);
      expect(tree(box.root)).toBe(before);
    });
  });

  it('reads around files that are broken, locked, binary, endless or no files', () => {
    withBox((box) => {
      const path = new ClaudeSession(ID(1))
        .prompt('Fix')
        .edit('src/a.ts')
        .say('All tests pass.')
        .save(box.root);
      const folder = join(path, '..');
      appendFileSync(path, '{"type":"assistant","message":{"role":"assistant","content":[{"type":"te');
      writeFileSync(join(folder, 'empty.jsonl'), '');
      writeFileSync(
        join(folder, 'binary.jsonl'),
        Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256)),
      );
      writeFileSync(
        join(folder, 'other.jsonl'),
        '"message"\n[1,"message"]\nnull\n{"message":[]}\n{"type":"user","message":{"content":7}}\n',
      );
      writeFileSync(join(folder, 'deep.jsonl'), `{"type":"user","message":${'['.repeat(50_000)}\n`);
      execFileSync('mkfifo', [join(folder, 'pipe.jsonl')]);
      symlinkSync('/dev/zero', join(folder, 'zero.jsonl'));
      symlinkSync('nowhere', join(folder, 'dangling.jsonl'));
      symlinkSync('circle.jsonl', join(folder, 'circle.jsonl'));
      writeFileSync(join(folder, 'locked.jsonl'), 'x');
      chmodSync(join(folder, 'locked.jsonl'), 0);
      const found = scan(box);
      expect(found).toMatchObject({ claims: 1, sessions: 1 });
      expect(found.unreadable).toHaveLength(process.getuid?.() === 0 ? 0 : 1);
    });
  });

  it('a line of a hundred megabytes is passed over', () => {
    withBox((box) => {
      const session = new ClaudeSession(ID(1)).prompt('Fix').edit('src/a.ts');
      const path = session.save(box.root);
      appendFileSync(path, '{"type":"user","message":{"content":"');
      const piece = 'A'.repeat(10_000_000);
      for (let i = 0; i < 10; i++) appendFileSync(path, piece);
      const end = new ClaudeSession(ID(1)).say('All tests pass.');
      appendFileSync(path, `"}}\n${end.text}`);
      expect(scan(box)).toMatchObject({ claims: 1, unbacked: 1 });
    });
  });

  it('a folder of ten thousand files', () => {
    withBox((box) => {
      const path = new ClaudeSession(ID(1))
        .prompt('Fix')
        .edit('src/a.ts')
        .say('All tests pass.')
        .save(box.root);
      for (let i = 0; i < 10_000; i++) writeFileSync(join(path, '..', `f${i}.jsonl`), '{"type":"summary"}\n');
      expect(scan(box)).toMatchObject({ files: 10_001, sessions: 1, claims: 1 });
    });
  });

  it('exits with 3 where there are no transcripts, and names the place', () => {
    withBox((box) => {
      expect(box.run(['scan'])).toMatchObject({ code: 3, stderr: expect.stringContaining('foil scan PATH') });
      expect(box.run(['scan', 'missing'])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('missing'),
      });
      expect(box.run(['scan', '--agent', 'claud-code'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Did you mean claude-code?'),
      });
    });
  });
});

describe('X12d what is printed', () => {
  it('begins with the figure, keeps to the width, paints nothing in a pipe, and exits with 0', () => {
    withBox((box) => {
      plant(box.root, HOSTS['claude-code']);
      const text = box.ok(['scan']);
      expect(text.split('\n')[0]).toBe(
        '6 of 8 claims (75 %) had nothing behind them, in 6 turns: 4 unbacked, 1 stale, 1 with weakened tests.',
      );
      expect(text).not.toContain('\u001b');
      for (const columns of [72, 100]) {
        const shown = box.onTerminal(['scan'], columns).stdout.split(/\r?\n/);
        // Lines of the progress bar end in a control sequence.
        const lines = shown.map((line) => line.slice(line.lastIndexOf('\u001b[K') + 1).replace(/^\[K/, ''));
        expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
      }
    });
  });

  it('shows hostile text as harmless, and no secrets', () => {
    withBox((box) => {
      const secret = `gh${'p_'}${'aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5'}`;
      const session = new ClaudeSession(ID(1));
      session.cwd = '/home/dev/\u001b[31mapp\u202e\u0007';
      session
        .prompt(`Fix it with ${secret}`)
        .edit('src/a.ts')
        .run(`TOKEN=${secret} npx vitest run "\u001b[2J" || true`, PASSED)
        .say('All \u202etests\u0007 pass.\n\nAll tests pass.')
        .save(box.root);
      const text = box.ok(['scan']);
      expect(text).toContain('All tests pass');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
      const json = box.ok(['scan', '--json']);
      expect(text + json).not.toContain(secret);
      expect(json).toContain('npx vitest run');
    });
  });

  it('--json is one object, whose shape the help tells', () => {
    withBox((box) => {
      plant(box.root, HOSTS['claude-code']);
      const found = scan(box);
      const help = box.ok(['scan', '--help']);
      for (const member of Object.keys(found)) expect(help).toMatch(new RegExp(`\\b${member}\\b`));
      for (const member of Object.keys(found.open[0] ?? {}))
        expect(help).toMatch(new RegExp(`\\b${member}\\b`));
      const { claims, backed, unbacked, stale, weakened, excused } = found as unknown as Record<
        string,
        number
      >;
      expect(Number(backed) + Number(unbacked) + Number(stale) + Number(weakened) + Number(excused)).toBe(
        claims,
      );
      expect(found.worst.every((id) => found.open.some((claim) => claim.id === id))).toBe(true);
    });
  });

  it('is the first command of the help', () => {
    withBox((box) => {
      expect(box.ok(['--help'])).toMatch(/every day\n {2}scan +what did the agents on this machine claim/);
    });
  });

  it('Ctrl-C gives what was found so far', async () => {
    const home = temporary();
    const long = new ClaudeSession(ID(1));
    for (let i = 0; i < 300; i++)
      long.prompt('Fix').edit(`src/a${i}.ts`).run('cat a', 'x'.repeat(40_000)).say('All tests pass.');
    long.save(home);
    new ClaudeSession(ID(2)).prompt('Fix').edit('src/a.ts').say('All tests pass.').save(home);
    const files = findTranscripts({ home, env: {} });
    let asked = 0;
    const { totals, files: read } = await scanTranscripts({ files, interrupted: () => ++asked > 1 });
    expect(read).toBe(1);
    expect(totals.claims).toBeGreaterThan(0);
    expect(totals.claims).toBeLessThan(300);
  });
});
