// foil report, and foil verify of what it wrote, for somebody who has the file alone.
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { openLedger } from '../../src/entry/index.ts';
import { encodeReport, parseReport, type ReportFile } from '../../src/format/index.ts';
import { Sandbox } from './foil.ts';
import { openRecorded } from './recorded-ledger.ts';
import { PROMPT, RESULT, type ReportedRun, recordRun } from './reported-run.ts';

const [owner, reader] = [new Sandbox(), new Sandbox()];
let run: ReportedRun;
let whole: ReportFile;

beforeAll(async () => {
  run = await recordRun(owner);
  owner.ok(['report', '-o', 'report.html']);
  whole = parseReport(owner.read('report.html'));
});
afterAll(() => {
  owner.remove();
  reader.remove();
});

interface Verified {
  readonly verdict: string;
  readonly findings: readonly { code: string; seq: number | null; message: string }[];
  readonly page: { verdict: string; version: string; sha256: string } | null;
}

function verified(html: string, ...words: string[]): Verified & { code: number | null } {
  const file = reader.write('report.html', html);
  const { code, stdout } = reader.run(['verify', file, '--key', run.vkey, '--json', ...words]);
  return { ...(JSON.parse(stdout) as Verified), code };
}

const partIn = (html: string, path: string): string =>
  Buffer.from(parseReport(html).parts.find((part) => part.path === path)?.bytes ?? []).toString();
const lines = (html: string): { seq: number; kind: string; payload: Record<string, unknown> }[] =>
  partIn(html, 'entries.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const shownIn = (html: string): string[] =>
  parseReport(html)
    .parts.filter(({ path }) => path.startsWith('content/'))
    .map(({ bytes }) => Buffer.from(bytes).toString());

describe('foil report', () => {
  it('X4 writes the run as one file, whose page is the same for every run, and says how to check it', () => {
    const { stdout } = owner.run(['report', run.id.slice(0, 8), '-o', 'again.html']);
    expect(stdout).toMatch(/^again\.html: \d+ entries, 3 pieces of content shown, \d+ kB\n/);
    expect(stdout).toContain('foil verify again.html');
    expect(parseReport(owner.read('again.html')).page).toBe(whole.page);
    expect(shownIn(owner.read('again.html')).join()).toContain(PROMPT);
    expect(owner.read('again.html')).not.toContain(PROMPT);
  });

  it('appends nothing if the key that must sign is not here', async () => {
    const other = new Sandbox();
    try {
      other.ledger();
      const ledger = openLedger({
        directory: other.path('.foil'),
        keyDirectory: other.path('.foil/keys'),
      });
      const id = '5'.repeat(64);
      const entry = (kind: string, payload: JsonObject) => ({
        kind,
        payload,
        source: 'hook',
        session_id: id,
      });
      const start = { agent: 'claude-code', agent_session: 'x', workspace_root: '/w', mode: 'observe' };
      // An end that doesn't say how many entries there are: foil adds that first.
      await ledger.append([entry('session.start', start), entry('session.end', { reason: 'other' })]);
      await ledger.seal();
      await ledger.close();
      const [keys, away] = [other.path('.foil/keys'), other.path('keys-away')];
      const entries = (): string => other.run(['log', '--json']).stdout;
      const before = entries();
      renameSync(keys, away);
      const { code, stderr } = other.run(['report', '5555', '-o', 'r.html']);
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('private key')]);
      expect(code).not.toBe(0);
      expect(entries()).toBe(before);
      renameSync(away, keys);
      other.ok(['report', '5555', '-o', 'r.html']);
      expect(entries()).not.toBe(before);
    } finally {
      other.remove();
    }
  });

  it('tells in JSON what it wrote, and takes a name from the run', () => {
    const told = owner.json(['report']) as { file: string; bytes: number };
    const file = `run-${run.id.slice(0, 12)}.html`;
    expect(told).toEqual({
      run: run.id,
      file,
      bytes: told.bytes,
      entries: lines(owner.read(file)).length,
      disclosed: 3,
      held: { commands: 0, urls: 0, commits: 0, others: 0 },
    });
    expect(readFileSync(owner.path(file))).toHaveLength(told.bytes);
  });

  it('writes to standard output', () => {
    const html = owner.ok(['report', '-o', '-']);
    expect(parseReport(html).page).toBe(whole.page);
    expect(verified(html)).toMatchObject({ code: 0, verdict: 'PASS' });
  });

  it('shows only the content that is asked for', () => {
    const only = (...words: string[]) => shownIn(owner.ok(['report', '-o', '-', ...words]));
    expect(only('--only', 'none')).toEqual([]);
    expect(only('--only', 'prompts')).toEqual([PROMPT]);
    expect(only('--only', 'arguments,results')).toHaveLength(2);
    expect(owner.run(['report', '--only', 'thoughts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--only: unknown value "thoughts". Use one of all, none, prompts, responses, arguments, results.',
      ),
    });
  });

  it('leaves out the content of an entry, also where another entry has the same', () => {
    const [first] = lines(owner.read('report.html')).filter(({ kind }) => kind === 'prompt');
    const html = owner.ok(['report', '-o', '-', '--redact', String(first?.seq)]);
    expect(shownIn(html)).not.toContain(PROMPT);
    expect(shownIn(html).join()).toContain(JSON.stringify(RESULT).slice(1, 6));
    expect(verified(html)).toMatchObject({ code: 0, verdict: 'PASS' });
  });

  it.each([
    ['1', "--redact: entry 1 isn't in run "],
    ['9999', "--redact: entry 9999 isn't in run "],
    ['last', `--redact: "last" isn't the number of an entry.`],
  ])('refuses to redact %s', (entry, why) => {
    expect(owner.run(['report', '--redact', entry])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(why),
    });
  });

  it('refuses to redact an entry that has no content', () => {
    const { seq } = lines(owner.read('report.html')).find(({ kind }) => kind === 'session.end') ?? { seq: 0 };
    expect(owner.run(['report', '--redact', String(seq)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--redact: entry ${seq} (session.end) has no content`),
    });
  });

  it('refuses a run that has not ended, and says how to end it', async () => {
    const busy = new Sandbox();
    try {
      busy.ledger();
      const ledger = openRecorded(busy.path('.foil'));
      const { id } = run;
      await ledger.session(id).start();
      await ledger.close();
      const { code, stderr } = busy.run(['report', id.slice(0, 8)]);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`\`foil session end ${id.slice(0, 12)}\``)]);
    } finally {
      busy.remove();
    }
  });
});

describe('foil verify of a report', () => {
  it('X4 checks the run and the page', () => {
    const file = join(reader.work, 'report.html');
    copyFileSync(owner.path('report.html'), file);
    const stranger = reader.run(['verify', file]);
    expect([stranger.code, stranger.stdout.split(' ')[0]]).toEqual([6, 'UNKNOWN']);
    const { code, stdout } = reader.run(['verify', file, '--key', run.vkey]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^PASS {2}tier self\n/)]);
    expect(stdout).toMatch(/^ {2}page {7}unchanged: the page of counterfoil \d/m);
  });

  it('X4 fails a page that was changed, before it says anything of the run', () => {
    const html = owner.read('report.html');
    const lie = html.replace('be checked: its page is damaged', 'be wrong: its page is as good');
    expect(lie).not.toBe(html);
    expect(verified(lie)).toMatchObject({ code: 4, verdict: 'PASS', page: { verdict: 'FAIL' } });
    const { stdout } = reader.run(['verify', reader.write('lie.html', lie), '--key', run.vkey]);
    expect(stdout.split('\n')[0]).toContain('FAIL  REPORT_PAGE_WRONG');
    for (const at of [20, html.indexOf('<body>'), html.length - 3])
      expect(verified(`${html.slice(0, at)} ${html.slice(at)}`).code, String(at)).toBe(4);
  });

  it('says that it does not know the page of another version, and gives its hash', () => {
    const other = owner
      .read('report.html')
      .replace(/content="counterfoil [^"]+"/, 'content="counterfoil 9.9.9"');
    const { code, page } = verified(other);
    expect([code, page]).toEqual([
      6,
      { verdict: 'UNKNOWN', version: '9.9.9', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const { stdout } = reader.run(['verify', reader.write('other.html', other), '--key', run.vkey]);
    expect(stdout).toContain('REPORT_PAGE_UNKNOWN');
    expect(stdout).toContain(page?.sha256);
  });

  it('X4 fails with a byte changed in any part, and names the entry where there is one', () => {
    for (const [i, { path, bytes }] of whole.parts.entries()) {
      const changed = Uint8Array.from(bytes);
      const at = bytes.length - 3;
      changed[at] = (changed[at] ?? 0) ^ 1;
      const parts = whole.parts.map((part, at) => (at === i ? { path, bytes: changed } : part));
      const { code, findings } = verified(encodeReport({ page: whole.page, parts }));
      expect([path, code, findings.map(({ code }) => code)]).toEqual([
        path,
        4,
        [expect.stringContaining('BUNDLE')],
      ]);
      if (/^content\/|\.jsonl$/.test(path)) expect(findings[0]?.seq, path).toBeGreaterThan(0);
    }
  });

  it('fails a file that only a browser could read as a report', () => {
    const html = owner.read('report.html');
    const early = html.replace('entries.jsonl">', 'entries.jsonl"></SCRIPT><h1>Verified</h1>');
    const { code, findings } = verified(early);
    expect([code, findings[0]?.code]).toEqual([4, 'REPORT_MALFORMED']);
    expect(verified(html.replaceAll('\n', '\r\n')).code).toBe(4);
    expect(verified(`\ufeff${html}`)).toMatchObject({ code: 4, findings: [{ code: 'REPORT_MALFORMED' }] });
    const cut = html.slice(0, html.indexOf('counterfoil-verifier'));
    expect(verified(cut)).toMatchObject({ code: 4, findings: [{ code: 'REPORT_MALFORMED' }] });
    expect(reader.run(['verify', reader.write('empty.html', '')]).stdout).toContain('a report of a run');
    const { code: none, stderr } = reader.run(['verify', reader.write('page.html', '<!doctype html><p>')]);
    expect([none, stderr]).toEqual([2, expect.stringContaining("isn't a report from foil: ")]);
  });

  it('X4 gives the raw lines back, byte for byte, in a new folder', () => {
    const file = reader.write('report.html', owner.read('report.html'));
    const extract = () => reader.run(['verify', file, '--key', run.vkey, '--extract', 'lines']);
    expect(extract().stdout).toContain(`extracted  ${whole.parts.length} files in lines`);
    for (const { path, bytes } of whole.parts)
      expect(readFileSync(reader.path('lines', path)).equals(bytes), path).toBe(true);
    const ledger = readFileSync(owner.path('.foil/ledger/0000000000000001.jsonl'), 'utf8');
    for (const line of reader.read('lines/entries.jsonl').trimEnd().split('\n'))
      expect(ledger).toContain(`${line}\n`);
    expect(extract()).toMatchObject({ code: 2, stderr: expect.stringContaining('lines already exists') });
  });

  it('writes nothing outside of the folder', () => {
    const parts = [...whole.parts, { path: '../out', bytes: new Uint8Array(3) }];
    const html = encodeReport({ page: whole.page, parts });
    writeFileSync(reader.path('out.html'), html);
    const { code, stderr } = reader.run(['verify', reader.path('out.html'), '--extract', 'inner']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("can't be files")]);
    expect([existsSync(reader.path('inner')), existsSync(reader.path('out'))]).toEqual([false, false]);
  });
});
