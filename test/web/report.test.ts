// A report as its reader opens it: from disk, in a real browser, without a network.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeReport } from '../../src/format/index.ts';
import { Runs } from '../verify/bundle-maker.ts';
import { hasChromium, launch, openReport } from './browser.ts';
import { changed, reportOf } from './make-reports.ts';

describe.skipIf(!hasChromium)('a report in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const { report, vkey } = reportOf((runs) => {
    runs.prompt('Fix the parser.');
    runs.toolResult(runs.tool('Bash', { command: 'npm test' }), 'Bash');
  });

  it('X4 checks itself, asks no network, and takes the word of no key that its reader did not confirm', async () => {
    const { page, heard } = await openReport(browser, encodeReport(report));
    const title = page.locator('#verdict h2');
    expect(await title.textContent()).toBe('Intact, signer not confirmed');
    expect(await page.textContent('body')).not.toContain('If these words stay');
    const tryKey = async (key: string): Promise<void> => {
      await page.fill('#keys', key);
      await page.click('text=Check again');
    };
    await tryKey('my key');
    await page.waitForSelector('text=That isn’t a verifier key: my');
    await tryKey(new Runs(2).vkey);
    await page.waitForSelector('text=Another key signed this run.');
    expect(await title.textContent()).toBe('Intact, but another key signed it');
    await tryKey(vkey);
    await page.waitForSelector('#verdict h2:text("This run passes the check")');
    await page.waitForSelector('text=You confirmed this key.');
    expect(heard).toEqual([]);
    await page.context().close();
  });

  it('X4 turns red with a byte changed, and names the entry', async () => {
    const html = changed(report, 'entries.jsonl', (text) => text.replace('"Bash"', '"Bosh"'));
    const { page } = await openReport(browser, html);
    expect(await page.textContent('#verdict h2')).toBe('This record was changed');
    const [, seq] =
      /\(entry (\d+) was changed: its hash is different\)/.exec((await page.textContent('#verdict')) ?? '') ??
      [];
    await page.click(`text=Show entry ${seq}`);
    expect(await page.textContent('aside.detail')).toContain('This entry was changed after it was recorded.');
    expect(await page.textContent('#verdict')).not.toContain('You confirmed this key.');
    await page.context().close();
  });

  it('X4 says that it can’t be checked where its verifier is damaged, and nothing else', async () => {
    const html = encodeReport(report).replace(/(id="counterfoil-verifier"[^>]*>.{100})./s, '$1(');
    const { page } = await openReport(browser, html);
    const said = (await page.textContent('#app')) ?? '';
    expect(said).toContain('This report can’t be checked');
    expect(said).not.toContain('If these words stay');
    await page.context().close();
  });
});
