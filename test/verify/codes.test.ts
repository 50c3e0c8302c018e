// The table of codes and its page say the same, and every code has a test that provokes it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/verify/index.ts';
import { verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';

const root = join(import.meta.dirname, '../..');

describe('K6a codes', () => {
  it('are the ones in spec/verdict.md, with the same meanings', () => {
    const page = readFileSync(join(root, 'spec/verdict.md'), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| [A-Z0-9_]+ \|/.test(line));
    expect(rows).toEqual(
      Object.entries(CODES).map(
        ([code, { facet, level, meaning }]) => `| ${code} | ${facet} | ${level} | ${meaning} |`,
      ),
    );
  });

  it('each is provoked by a test', () => {
    const tests = readdirSync(import.meta.dirname).filter(
      (name) => /\.test\.ts$/.test(name) && name !== 'codes.test.ts',
    );
    const sources = tests.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');
    expect(Object.keys(CODES).filter((code) => !new RegExp(`['"\`]${code}\\b`).test(sources))).toEqual([]);
  });
});

describe('K6b the status', () => {
  it('is VALID, CORRUPTED or EMPTY_LOG, and only the first is valid', async () => {
    const good = new LedgerMaker().notes(2).seal();
    const bad = new LedgerMaker().notes(2).seal();
    bad.files.set('checkpoint', new Uint8Array(3));
    const reports = await Promise.all([good.files, bad.files, new Map()].map((files) => verify(files)));
    expect(reports.map(({ status, valid, entries }) => [status, valid, entries])).toEqual([
      ['VALID', true, 3],
      ['CORRUPTED', false, 3],
      ['EMPTY_LOG', false, 0],
    ]);
    expect(reports.map(({ failures }) => failures)).toEqual([
      [],
      [{ seq: null, error: 'CHECKPOINT_INVALID' }],
      [{ seq: null, error: 'EMPTY_LOG' }],
    ]);
  });
});
