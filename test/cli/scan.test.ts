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
import { scanTranscripts } from '../../src/report/scan.ts';
import { findScannedClaim } from '../../src/report/scan-details.ts';
import { findTranscripts } from '../../src/report/transcript-files.ts';
import { temporary } from '../temporary.ts';
import { ID, scan, withBox } from './scan-box.ts';
import {
  ClaudeSession,
  CodexSession,
  FAILED,
  GeminiSession,
  PASSED,
  ROOT,
  type Script,
} from './transcripts.ts';

const MODELS: Readonly<Record<string, string>> = {
  'claude-code': 'claude-x',
  codex: 'gpt-x',
  gemini: 'gemini-x',
};

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
        contradicted: 1,
        nothing_found: 2,
        cant_tell: 3,
        excused: 1,
        sessions: 8,
        turns: 9,
        turns_with_claims: 8,
        turns_blocked: 6,
        turns_accused: 3,
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
      const accused = found.open.filter(({ class: of }) => of !== 'cant_tell');
      expect(accused.map(({ status }) => status).sort()).toEqual(['failed', 'stale', 'unbacked']);
      expect(accused.find(({ status }) => status === 'failed')?.id).toBe(found.worst[0]);
      expect([...found.worst].sort()).toEqual(accused.map(({ id }) => id).sort());
      expect(Object.keys(found.models)).toEqual([`${agent} ${MODELS[agent]}`]);
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
      expect(scan(box)).toMatchObject({ turns: 3, backed: 2, nothing_found: 1, files: 2 });
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
      expect(scan(box)).toMatchObject({ claims: 1, nothing_found: 1 });
    });
  });

  it('several threads find what one does, in the same order', async () => {
    const home = temporary();
    for (let i = 1; i <= 4; i++)
      new ClaudeSession(ID(i))
        .prompt('Fix')
        .edit('src/a.ts')
        .run('cat a', 'x'.repeat(3_000_000))
        .say('All tests pass.')
        .save(home);
    const files = findTranscripts({ home, env: {} });
    const open: unknown[] = [];
    await scanTranscripts({ files, threads: false, each: (claim) => void open.push(claim) });
    withBox((box) => {
      expect(scan(box, home).open).toEqual(open);
      expect(open).toHaveLength(4);
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
        '3 of 8 claims (38 %) had nothing behind them, in 3 turns: 1 contradicted by a run, 2 with nothing found.',
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
        .run(`TOKEN=${secret} npx vitest run "\u001b[2J"`, FAILED, 1)
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
      const parts = [found.backed, found.contradicted, found.nothing_found, found.cant_tell, found.excused];
      expect(parts.map(Number).reduce((sum, each) => sum + each)).toBe(found.claims);
      expect(found.worst.every((id) => found.open.some((claim) => claim.id === id))).toBe(true);
    });
  });

  it('is the first command of the help', () => {
    withBox((box) => {
      expect(box.ok(['--help'])).toMatch(
        /every day\n {2}scan +check whether what the agents on this machine/,
      );
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
