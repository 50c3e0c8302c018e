// The same files give the same pack: as real processes in other locales, time zones, umasks and checkouts. What other
// programs list in it is what we list.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPack } from '../../src/harness/index.ts';
import { FOIL, Sandbox } from './foil.ts';

const LONG = `.claude/skills/${'long-name-'.repeat(8)}/${'longer-name-'.repeat(8)}/SKILL.md`;
const FILES: Readonly<Record<string, string>> = {
  'AGENTS.md': 'Be brief.\n',
  'CLAUDE.md': 'Zeilen\r\nmit CR\r\n',
  // Sorted otherwise by a Turkish, a German or no locale.
  'I/AGENTS.md': 'I',
  'ı-2/AGENTS.md': 'without a dot',
  'ä/AGENTS.md': 'ä',
  'z/AGENTS.md': 'z',
  'Z-2/AGENTS.md': 'Z',
  '🧾/AGENTS.md': 'receipt',
  'ﬀ/AGENTS.md': 'ligature',
  [LONG]: 'long',
  '.claude/hooks/check.sh': '#!/bin/sh\nexit 0\n',
  '.claude/settings.json': '{"env":{"B":"1","A":"2","İ":"3"},"permissions":{"deny":["b","B","a","ı","I"]}}',
  '.codex/config.toml': 'since = 2026-11-01T00:00:00+01:00\nday = 2026-11-01\n',
  '.github/prompts/a.prompt.md': 'Do it.\n',
  'test/a.test.js': 'test',
  'counterfoil.yaml': `pack:
  outputs: [src/**]
  verification: {method: tests, command: [node, --test], tests: [a], files: [test/**]}
`,
};

let box: Sandbox;
let project: string;

function create(folder: string, env: NodeJS.ProcessEnv = {}, umask = '022'): Buffer {
  const out = join(box.root, 'made.tar.gz');
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, FOIL, 'pack', 'create', '--out', out],
    { cwd: folder, env: { ...box.env, ...env }, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`);
  return readFileSync(out);
}

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...words], {
    cwd: project,
    env: box.env,
    encoding: 'utf8',
  });

let first: Buffer;
beforeAll(() => {
  box = new Sandbox();
  project = box.path('project');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  chmodSync(join(project, '.claude/hooks/check.sh'), 0o755);
  first = create(project);
});
afterAll(() => box.remove());

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('C1 the same files', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['Turkish', { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' }],
    ['Swedish', { LC_ALL: 'sv_SE.UTF-8' }],
    ['no locale', { LC_ALL: 'C' }],
    ['Kiritimati', { TZ: 'Pacific/Kiritimati' }],
    ['Los Angeles', { TZ: 'America/Los_Angeles' }],
  ])('give the same bytes in %s', (_, env) => {
    expect(create(project, env).equals(first)).toBe(true);
  });

  it('are really packed in another locale and time zone', () => {
    const script = 'const o = Intl.DateTimeFormat().resolvedOptions(); console.log(o.locale, o.timeZone)';
    const env = { ...box.env, LC_ALL: 'tr_TR.UTF-8', TZ: 'America/Los_Angeles' };
    expect(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }).trim()).toBe(
      'tr-TR America/Los_Angeles',
    );
  });

  it('give the same bytes under another umask', () => {
    expect(create(project, {}, '077').equals(first)).toBe(true);
    expect(create(project, {}, '000').equals(first)).toBe(true);
  });

  it('give the same bytes in another checkout, with other times and modes', () => {
    git('init', '-q');
    git('-c', 'core.quotePath=false', 'add', '-A');
    git('commit', '-qm', 'all');
    const clone = box.path('another/place/for it');
    mkdirSync(dirname(clone), { recursive: true });
    git('clone', '-q', project, clone);
    expect(create(clone).equals(first)).toBe(true);
    for (const name of readdirSync(clone, { recursive: true, encoding: 'utf8' })) {
      const at = join(clone, name);
      if (name.startsWith('.git/') || !statSync(at).isFile()) continue;
      utimesSync(at, 1_000_000_000, 1_000_000_000);
      chmodSync(at, 0o600);
    }
    expect(create(clone).equals(first)).toBe(true);
  });

  it('give other bytes where one of them changes', () => {
    const at = join(project, 'AGENTS.md');
    writeFileSync(at, 'Be brief!\n');
    expect(create(project).equals(first)).toBe(false);
    writeFileSync(at, FILES['AGENTS.md'] ?? '');
    expect(create(project).equals(first)).toBe(true);
  });
});

describe('C1 a pack as other programs see it', () => {
  const file = (): string => {
    const at = join(box.root, 'pack.tar.gz');
    writeFileSync(at, first);
    return at;
  };
  const ours = () => openPack(new Uint8Array(first)).files;

  it.skipIf(!isThere('tar'))('has the same files for tar', () => {
    const words = [
      '--quoting-style=literal',
      '--show-transformed-names',
      '--utc',
      '--full-time',
      '-tvzf',
      file(),
    ];
    const lines = execFileSync('tar', words, { encoding: 'utf8' }).trimEnd().split('\n');
    const listed = lines.map((line) => /^(\S+) (\S+) +(\d+) (\S+ \S+) (.*)$/.exec(line)?.slice(1));
    expect(listed).toEqual(
      ours().map(({ path, bytes }) => ['-rw-r--r--', '0/0', `${bytes.length}`, '1970-01-01 00:00:00', path]),
    );
  });

  it.skipIf(!isThere('python3'))('has the same files and contents for Python', () => {
    const script = `import sys, json, tarfile, hashlib
with tarfile.open(sys.argv[1]) as archive:
    print(json.dumps([[m.name, hashlib.sha256(archive.extractfile(m).read()).hexdigest(), m.mode, m.uid, m.gid,
                       m.mtime, m.uname, m.gname] for m in archive]))`;
    const printed = execFileSync('python3', ['-c', script, file()], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual(
      ours().map(({ path, bytes }) => {
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return [path, sha256, 0o644, 0, 0, 0, '', ''];
      }),
    );
  });

  it.skipIf(!isThere('gzip'))('is whole for gzip', () => {
    execFileSync('gzip', ['-t', file()]);
  });
});
