// What a session did to files: from git, the work tree and recorded hashes, and never more than these say.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canonicalize, type Json } from '../../src/core/index.ts';
import {
  type Changes,
  encodeChanges,
  encodeReport,
  parseChanges,
  parseReport,
} from '../../src/format/index.ts';
import type { Sessions } from '../../src/view/answers.ts';
import { shownChanges } from '../../web/model/changes.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject } from '../e2e/recorded-project.ts';
import { tellSession } from '../web/viewed.ts';
import { changeFiles, HOSTILE, NEW, OLD } from './changed-project.ts';
import { viewing } from './viewing.ts';

it('X9 X4 the diff of a session says where each text comes from, and which of them the ledger has the hash of', async () => {
  const project = await newProject();
  const { base, commit, secret } = await changeFiles(project, true);
  const { json } = await viewing([{ name: 'p', located: project.located }]);
  const { sessions } = await json<Sessions>('/api/sessions');
  const id = sessions[0]?.id ?? '';
  const changes = await json<Changes>(`/api/changes?session=${id}`);
  expect(changes.before).toMatchObject({ commit: base, how: 'start' });
  expect(changes.after).toMatchObject({ commit, how: 'output' });
  expect(JSON.stringify(changes)).not.toContain(secret);
  const entries = project.entries();
  const held = async (from: Changes): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await shownChanges(from, entries, project.work)).map(({ file, held, added, removed }) => [
        file.path,
        `${held} ${file.from} +${added} -${removed}`,
      ]),
    );
  expect(await held(changes)).toEqual({
    'src/whole.js': 'recorded commit +1 -1',
    'src/edited.js': 'open commit +1 -1',
    'src/left.js': 'recorded tree +1 -0',
    [HOSTILE]: 'recorded tree +1 -0',
    'src/loose.js': 'open tree +2 -0',
  });
  expect(changes.absent).toEqual([{ path: 'src/gone.js', why: expect.stringContaining('are gone') }]);

  // A text that somebody changed is told, whatever it is said to be.
  const [whole] = changes.files.filter(({ path }) => path === 'src/whole.js');
  expect(whole).toMatchObject({ before: OLD, after: NEW });
  const forged = { ...changes, files: [{ ...(whole as (typeof changes.files)[number]), after: 'forged\n' }] };
  expect(await held(forged)).toEqual({ 'src/whole.js': 'other commit +1 -2' });

  // A report takes nothing from the work tree unless the ledger has its hash.
  const ledger = ['--ledger', project.directory];
  writeFileSync(join(project.work, 'src/left.js'), 'changed since\n');
  const report = await project.foil(['report', id.slice(0, 12), '--diff', '-o', 'r.html', ...ledger]);
  expect(report.code).toBe(0);
  const html = readFileSync(join(project.work, 'r.html'), 'utf8');
  const { changes: bytes, parts } = parseReport(html);
  const inReport = parseChanges(bytes ?? new Uint8Array());
  for (const path of ['src/left.js', 'src/loose.js']) {
    expect(inReport.files.map((file) => file.path)).not.toContain(path);
    expect(inReport.absent.map((file) => file.path)).toContain(path);
  }
  expect(parts.map(({ path }) => path)).not.toContain('changes.json');
  const verified = await project.foil(['verify', 'r.html', '--json']);
  expect(JSON.parse(verified.stdout)).toMatchObject({ diff: true, page: { verdict: 'PASS' } });
  expect(verified.stdout).not.toContain('BUNDLE_MALFORMED');
  // Who reads another form than the verifier would see another diff, and what no entry names is no commit of the run.
  const told = Buffer.from(bytes ?? []).toString();
  const refused = async (text: string): Promise<string> => {
    const report = { ...parseReport(html), changes: Buffer.from(text) };
    writeFileSync(join(project.work, 'f.html'), encodeReport(report));
    const { code, stdout } = await project.foil(['verify', 'f.html']);
    return `${code} ${/REPORT_[A-Z_]+/.exec(stdout)?.[0]}`;
  };
  for (const text of [
    '{}',
    '[]',
    ` ${told}`,
    told.replace('{', '{"a":1,'),
    told.replace(',"more"', ', "more"'),
  ])
    expect(await refused(text), text.slice(0, 40)).toBe('4 REPORT_MALFORMED');
  for (const text of [
    told.replace(base, commit),
    told.replace(/"how":"start","seq":\d+/, '"how":"start","seq":1'),
    told.replace(/"how":"output","seq":\d+/, '"how":"output","seq":3'),
  ])
    expect(await refused(text), text.slice(0, 200)).toBe('4 REPORT_DIFF_WRONG');
  // Without the option there is none.
  await project.foil(['report', id.slice(0, 12), '-o', 'n.html', ...ledger]);
  const plain = readFileSync(join(project.work, 'n.html'), 'utf8');
  expect(parseReport(plain).changes).toBeUndefined();
});

it('X9 X4 a file that a tool changed and a judgement names is in the diff once, with its recorded hash', async () => {
  const project = await newProject();
  const { work } = project;
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...words], {
      cwd: work,
      env: { PATH: process.env.PATH, HOME: work, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
  writeFileSync(join(work, 'a.js'), OLD);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  const base = git('rev-parse', 'HEAD').trim();
  writeFileSync(join(work, 'a.js'), NEW);
  const id = await tellSession(project, 'a', '2026-01-01T00:00:00Z', 1000, async () => {
    const hash = createHash('sha256').update(NEW).digest('hex');
    const files = [{ path: join(work, 'a.js'), op: 'write', hash }];
    return [
      { kind: 'session.start', payload: { agent: 'claude-code', workspace_root: work, base } },
      { kind: 'tool.result', payload: { tool: 'Write', result: 'ok', files } },
      { kind: 'validation', payload: { outcome: 'pass', changed: ['a.js'] } },
      { kind: 'session.end', payload: { reason: 'other' } },
    ];
  });
  const { json } = await viewing([{ name: 'p', located: project.located }]);
  const changes = await json<Changes>(`/api/changes?session=${id}`);
  expect(changes.files.map(({ path }) => path)).toEqual(['a.js']);
  const shown = await shownChanges(changes, project.entries(), work);
  expect(shown.map(({ held }) => held)).toEqual(['recorded']);
  expect(changes.absent).toEqual([]);
});

it('X9 a session whose folder is no repository says so for each file', async () => {
  const project = await newProject();
  const host = new ClaudeSession('one', project.work);
  const args = { file_path: join(project.work, 'a.js'), content: 'a\n' };
  for (const event of [
    host.start(),
    host.call('c', args, 'Write'),
    host.result('c', args, 'Write'),
    host.end(),
  ])
    await project.tell('claude-code', event);
  const { json } = await viewing([{ name: 'p', located: project.located }]);
  const { sessions } = await json<Sessions>('/api/sessions');
  const changes = await json<Changes>(`/api/changes?session=${sessions[0]?.id}`);
  expect(changes).toMatchObject({
    files: [],
    absent: [{ path: 'a.js', why: expect.stringContaining('isn’t a git repository') }],
  });
});

it('X4 a diff is parsed strictly', () => {
  const good: Changes = {
    before: { commit: 'a'.repeat(40), how: 'start', seq: 1 },
    after: null,
    files: [{ path: 'a', before: null, after: 'x', from: 'tree', key: null }],
    absent: [{ path: 'b', why: 'gone' }],
    more: 0,
  };
  const read = (value: unknown) => parseChanges(Buffer.from(canonicalize(value as Json)));
  expect(parseChanges(Buffer.from(encodeChanges(good)))).toEqual(good);
  const [file] = good.files;
  for (const bad of [
    null,
    [],
    { ...good, extra: 1 },
    { ...good, files: {} },
    { ...good, files: [{ ...file, after: 1 }] },
    { ...good, files: [{ ...file, from: 'elsewhere' }] },
    { ...good, files: [{ ...file, key: '00' }] },
    { ...good, files: Array.from({ length: 201 }, () => file) },
    { ...good, before: { commit: 'HEAD', how: 'start', seq: 1 } },
    { ...good, more: -1 },
  ])
    expect(() => read(bad)).toThrow(/changes\.json/);
  expect(() => parseChanges(Buffer.from('{'))).toThrow(/not JSON/);
  for (const text of [`${encodeChanges(good)}\n`, JSON.stringify(good)])
    expect(() => parseChanges(Buffer.from(text))).toThrow(/not in canonical form/);
});
