// What lies in a project's folder, whatever that is: links, pipes, files that can't be read, names that are no names.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_SETTINGS, type PackSettings } from '../../src/format/index.ts';
import { createPack } from '../../src/harness/index.ts';
import { readWhole, walkFiles } from '../../src/harness/walk.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { temporary } from '../temporary.ts';
import { refusalOf } from './pack-vectors.ts';

function project(files: Readonly<Record<string, string>>): string {
  const root = join(temporary(), 'project');
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  return root;
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const noText = (): never => {
  throw new Error('not asked for');
};

function pack(root: string, settings: Partial<PackSettings> = {}) {
  return createPack({
    root,
    settings: { ...NO_SETTINGS, ...settings },
    readers: { json: JSON.parse, toml: noText, yaml: noText },
    redactor: makeRedactor(),
    variables: null,
    allowSecrets: false,
  });
}

const packed = (root: string, settings: Partial<PackSettings> = {}): string[] =>
  pack(root, settings)
    .files.map(({ path }) => path)
    .filter((path) => path !== 'manifest.json' && path !== 'config/tool-policy.json');

describe('C1 what shapes an agent', () => {
  it('is found in its places, and in no others', () => {
    const root = project({
      'AGENTS.md': '1',
      'CLAUDE.md': '2',
      'SOUL.md': '3',
      'TOOLS.md': '4',
      'docs/AGENTS.md': '5',
      'docs/SOUL.md': 'not read by anybody there',
      '.claude/skills/a/SKILL.md': '6',
      '.claude/agents/b.md': '7',
      '.claude/commands/c.md': '8',
      '.claude/projects/d.md': 'of the machine',
      '.cursor/rules/e.mdc': '9',
      '.github/prompts/f.prompt.md': '10',
      '.mcp.json': '{}',
      'src/index.js': 'work',
      'node_modules/x/AGENTS.md': 'of others',
      '.git/AGENTS.md': 'of git',
      'vendor/x/CLAUDE.md': 'of others',
      'dist/AGENTS.md': 'made',
    });
    expect(packed(root)).toEqual([
      'config/.mcp.json',
      'static/.claude/agents/b.md',
      'static/.claude/commands/c.md',
      'static/.claude/skills/a/SKILL.md',
      'static/.cursor/rules/e.mdc',
      'static/AGENTS.md',
      'static/CLAUDE.md',
      'static/SOUL.md',
      'static/TOOLS.md',
      'static/docs/AGENTS.md',
      'template/.github/prompts/f.prompt.md',
    ]);
  });

  it('is more or less where the project says so', () => {
    const root = project({
      'AGENTS.md': '1',
      'docs/rules.md': '2',
      'p/a.txt': '3',
      'test/a.js': '4',
      'CLAUDE.md': '5',
    });
    const settings = {
      include: ['docs/*.md'],
      templates: ['p/**'],
      verificationFiles: ['test/**'],
      exclude: ['CLAUDE.md'],
    };
    expect(packed(root, settings)).toEqual([
      'static/AGENTS.md',
      'static/docs/rules.md',
      'template/p/a.txt',
      'verification/test/a.js',
    ]);
  });

  it('is refused where there is nothing of it', () => {
    expect(refusalOf(() => pack(project({ 'src/index.js': 'work' })))).toBe('NOTHING_FOUND');
    expect(refusalOf(() => pack(project({})))).toBe('NOTHING_FOUND');
  });

  it('is refused where two names are one on some systems', () => {
    const root = project({ 'docs/AGENTS.md': '1', 'Docs/AGENTS.md': '2' });
    expect(refusalOf(() => pack(root))).toBe('DOUBLED_PATH');
    const unicode = project({ 'u\u0308/AGENTS.md': '1', '\u00fc/AGENTS.md': '2' });
    expect(refusalOf(() => pack(unicode))).toBe('DOUBLED_PATH');
  });

  it('has its paths composed, however they are written on the disk', () => {
    expect(packed(project({ 'u\u0308/AGENTS.md': '1' }))).toEqual(['static/\u00fc/AGENTS.md']);
  });

  it('C1 names a template by its hash unless the project gives it a version', () => {
    const root = project({ '.github/prompts/a.prompt.md': 'x' });
    expect(pack(root).manifest.templateVersion).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(pack(root, { templateVersion: '7' }).manifest.templateVersion).toBe('7');
    expect(pack(project({ 'AGENTS.md': '1' })).manifest.templateVersion).toBe('none');
  });
});

describe('a link', () => {
  it('to a file inside is the file', () => {
    const root = project({ 'AGENTS.md': 'Be brief.' });
    symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'));
    const { files } = pack(root);
    expect(files.find(({ path }) => path === 'static/CLAUDE.md')?.bytes).toEqual(
      files.find(({ path }) => path === 'static/AGENTS.md')?.bytes,
    );
  });

  it('to a folder inside has its files', () => {
    const root = project({ 'skills/a/SKILL.md': 'x' });
    mkdirSync(join(root, '.claude'));
    symlinkSync('../skills', join(root, '.claude/skills'));
    expect(packed(root)).toEqual(['static/.claude/skills/a/SKILL.md']);
  });

  it('that leads out is refused where it would be taken', () => {
    const outside = project({ 'secret.md': 'x', 'skills/a/SKILL.md': 'y' });
    const file = project({ 'CLAUDE.md': '1' });
    symlinkSync(join(outside, 'secret.md'), join(file, 'AGENTS.md'));
    expect(refusalOf(() => pack(file))).toBe('LINK');
    const folder = project({ 'CLAUDE.md': '1', '.claude/x': '' });
    symlinkSync(join(outside, 'skills'), join(folder, '.claude/skills'));
    expect(refusalOf(() => pack(folder))).toBe('LINK');
    // By way of a second one, too.
    const twice = project({ 'CLAUDE.md': '1' });
    symlinkSync('out', join(twice, 'AGENTS.md'));
    symlinkSync(join(outside, 'secret.md'), join(twice, 'out'));
    expect(refusalOf(() => pack(twice))).toBe('LINK');
    // A folder beside it whose name begins the same is outside, too.
    const beside = project({ 'CLAUDE.md': '1' });
    put(dirname(beside), 'project-2/AGENTS.md', 'x');
    symlinkSync('../project-2/AGENTS.md', join(beside, 'AGENTS.md'));
    expect(refusalOf(() => pack(beside))).toBe('LINK');
  });

  it('that leads out is passed over where nobody asks for it, or it is excluded', () => {
    const outside = project({ 'secret.md': 'x' });
    const root = project({ 'CLAUDE.md': '1' });
    symlinkSync(join(outside, 'secret.md'), join(root, 'notes.md'));
    symlinkSync(join(outside, 'secret.md'), join(root, 'AGENTS.md'));
    expect(packed(root, { exclude: ['AGENTS.md'] })).toEqual(['static/CLAUDE.md']);
  });

  it('that goes round, or leads nowhere, is passed over', () => {
    const root = project({ 'AGENTS.md': '1', 'a/b/AGENTS.md': '2' });
    symlinkSync('..', join(root, 'a/up'));
    symlinkSync('../..', join(root, 'a/b/top'));
    symlinkSync('self', join(root, 'self'));
    symlinkSync('none', join(root, 'CLAUDE.md'));
    expect(packed(root)).toEqual(['static/AGENTS.md', 'static/a/b/AGENTS.md']);
  });
});

describe('what is no plain file', () => {
  it('does not hold up who packs: a pipe is refused where a file is wanted, and passed over elsewhere', () => {
    const root = project({ 'AGENTS.md': '1' });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('pipe', join(root, 'GEMINI.md'));
    expect(packed(root)).toEqual(['static/AGENTS.md']);
    execFileSync('mkfifo', [join(root, 'CLAUDE.md')]);
    expect(refusalOf(() => packed(root))).toBe('DEVICE');
    expect(refusalOf(() => readWhole(join(root, 'CLAUDE.md'), 'CLAUDE.md'))).toBe('DEVICE');
    expect(refusalOf(() => readWhole('/dev/zero', 'zero'))).toBe('DEVICE');
  });

  it('and is a folder with the name of a file has nothing to read', () => {
    const root = project({ 'AGENTS.md/x.txt': '1', 'CLAUDE.md': '2' });
    expect(packed(root)).toEqual(['static/CLAUDE.md']);
  });
});

describe('a file', () => {
  it('that can not be read is never left out in silence', () => {
    const root = project({ 'AGENTS.md': '1', 'CLAUDE.md': '2' });
    for (const path of [dirname(root), root]) chmodSync(path, 0o755);
    chmodSync(join(root, 'CLAUDE.md'), 0);
    // The superuser may read everything.
    const user = process.geteuid?.();
    if (user === 0) process.seteuid?.(65_534);
    try {
      expect(() => pack(root)).toThrow(/EACCES/);
    } finally {
      if (user === 0) process.seteuid?.(0);
    }
  });

  it('that is too large is refused before it is read', () => {
    const root = project({ 'AGENTS.md': '123456789' });
    const at = join(root, 'AGENTS.md');
    expect(readWhole(at, 'AGENTS.md', 9)).toHaveLength(9);
    expect(refusalOf(() => readWhole(at, 'AGENTS.md', 8))).toBe('TOO_LARGE');
    // A file with a hole takes no room.
    truncateSync(at, 268_435_457);
    expect(refusalOf(() => pack(root))).toBe('TOO_LARGE');
  });

  it('is found in the order of the specification, however the disk lists it', () => {
    const root = project({ 'b/x': '', 'a/x': '', 'a-b': '', C: '', '🧾': '', ﬀ: '', ä: '' });
    const found = walkFiles(root, new Set(), () => true).map(({ path }) => path);
    expect(found).toEqual(['C', 'a-b', 'a/x', 'b/x', 'ä', '🧾', 'ﬀ']);
  });
});
