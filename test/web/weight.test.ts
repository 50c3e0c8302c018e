// What a browser loads, compressed as far as browsers are sent it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const built = (name: string): Buffer => readFileSync(join(import.meta.dirname, `../../dist/${name}`));
const packed = (...names: string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(built(name), { level: 9 }).length, 0);

it('X9 the page of the viewer is at most 120 kB, and so is the verifier that it loads', () => {
  expect(packed('view/index.html', 'view/style.css', 'view/view.js')).toBeLessThanOrEqual(120_000);
  expect(packed('view/verify-worker.js')).toBeLessThanOrEqual(120_000);
  // What few runs need comes apart: the grammar of a shell is there and nowhere else.
  expect(built('view/verify-worker.js').includes('ParameterExpansion')).toBe(false);
  expect(built('view/verify-more.js').includes('ParameterExpansion')).toBe(true);
});

it('X4 the page of a report is at most 300 kB, with everything that checks a run', () => {
  expect(built('report.html').length).toBeLessThanOrEqual(300_000);
});

it('X4 X9 the package has the pages once, compressed together, and the hash of the page of reports', () => {
  const whole = brotliDecompressSync(built('pages.br'));
  for (const name of readdirSync(join(import.meta.dirname, '../../dist/view')))
    expect(whole.includes(built(`view/${name}`)), name).toBe(true);
  expect(built('pages.br').length).toBeLessThanOrEqual(310_000);
  const sha256 = createHash('sha256').update(built('report.html')).digest('hex');
  expect(built('report.html.sha256').toString()).toBe(`${sha256}  report.html\n`);
});
