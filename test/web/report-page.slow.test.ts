// The page of a report, looked at as people do: by keyboard and by mouse, wide and narrow, light and dark, and with a run
// that attacks whoever looks at it. Pictures go to test/web/screenshots.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeReport } from '../../src/format/index.ts';
import { LOOKS, seriousIn } from './accessible.ts';
import { hasChromium, launch, openReport, picture } from './browser.ts';
import { changed, reportOf } from './make-reports.ts';
import { KINDS, plant } from './planted.ts';
import { tellWork } from './working-run.ts';

describe.skipIf(!hasChromium)('the page of a report', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const { report, vkey } = reportOf(tellWork);
  const opened = (html: string, { width, colorScheme }: (typeof LOOKS)[number]) =>
    openReport(browser, html, { viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme });
  const [wide] = LOOKS as [(typeof LOOKS)[number]];

  it.each(LOOKS)('X4 can be read by everybody at $width px, $colorScheme', async (look) => {
    const name = `${look.width}-${look.colorScheme}`;
    const { page, heard } = await opened(encodeReport(report), look);
    await picture(page, `report-${name}`);
    expect(await seriousIn(page)).toEqual([]);
    await page.fill('#keys', vkey);
    await page.click('text=Check again');
    await page.waitForSelector('text=You confirmed this key.');
    await page.click('.row:has-text("denied")');
    await page.click('summary:text("As recorded")');
    await page.keyboard.press('?');
    await picture(page, `report-${name}-confirmed`);
    expect(await seriousIn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(heard).toEqual([]);
    await page.context().close();

    const short = reportOf((runs) => {
      runs.prompt('Fix the parser.');
      runs.toolResult(runs.tool('Bash', { command: 'npm test' }), 'Bash');
    });
    const passing = await opened(encodeReport(short.report), look);
    await picture(passing.page, `short-${name}`);
    expect(await seriousIn(passing.page)).toEqual([]);
    await passing.page.fill('#keys', short.vkey);
    await passing.page.click('text=Check again');
    await passing.page.waitForSelector('#verdict h2:text("This run passes the check")');
    await picture(passing.page, `short-${name}-passed`);
    expect(await seriousIn(passing.page)).toEqual([]);
    await passing.page.context().close();

    const red = changed(report, 'entries.jsonl', (text) =>
      text.replace('not in this project', 'not in that project'),
    );
    const broken = await opened(red, look);
    await broken.page.click('text=/^Show entry/');
    await picture(broken.page, `report-${name}-changed`);
    expect(await broken.page.textContent('section:has(#claims)')).toContain('don’t rely on what is marked');
    expect(await seriousIn(broken.page)).toEqual([]);
    await broken.page.context().close();
  });

  it('X4 says first what was changed, and then what the run tells of', async () => {
    const html = changed(report, 'bundle.json', (text) => {
      const envelope = JSON.parse(text) as { signatures: { sig: string }[] };
      for (const one of envelope.signatures)
        one.sig = `${one.sig.startsWith('A') ? 'B' : 'A'}${one.sig.slice(1)}`;
      return JSON.stringify(envelope);
    });
    const { page } = await opened(html, wide);
    expect(await page.textContent('#verdict h2')).toBe('This record was changed');
    expect(await page.textContent('.faults li')).toContain('BUNDLE_UNSIGNED');
    // The run's calls have no args_hash: something is missing there, but nobody changed it.
    expect(await page.textContent('.faults')).toMatch(/BUNDLE_UNSIGNED.*EVIDENCE_MALFORMED.*CONTENT_WRONG/s);
    await page.context().close();
  });

  it('X4 is walked by keyboard', async () => {
    const { page } = await opened(encodeReport(report), wide);
    const chosen = async (): Promise<string | null> => page.getAttribute('aside.detail', 'aria-label');
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const rows = await page.$$eval('.row .seq', (all) => all.map((each) => `Entry ${each.textContent}`));
    await press('j');
    expect(await chosen()).toBe(rows[0]);
    // As fast as a held key sends them.
    await page.evaluate(`for (const key of ['j', 'j', 'j', 'k', 'k'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`);
    await page.waitForSelector(`aside[aria-label="${rows[1]}"]`);
    await press('G');
    expect(await chosen()).not.toBe(rows[1]);
    const last = await chosen();
    await press('j');
    expect(await chosen()).toBe(last);
    await press('g', 'k');
    expect(await chosen()).toBe(rows[0]);
    await press('?');
    expect(await page.isVisible('.help')).toBe(true);
    await press('Escape');
    expect([await page.isVisible('.help'), await page.isVisible('aside.detail')]).toEqual([false, false]);
    await press('/');
    await page.keyboard.type('denied');
    expect(await page.$$eval('.row .title', (all) => all.map((each) => each.textContent))).toEqual([
      'Bash denied',
    ]);
    await press('Escape', 'j');
    expect(await page.textContent('aside.detail h3')).toContain('Bash denied');
    await page.fill('#filter', 'no such thing');
    expect(await page.textContent('.tools [role=status]')).toBe('Nothing matches.');
    await page.context().close();
  });

  it('X4 is walked by mouse: from a claim to what it rests on, from there to what that answers', async () => {
    const { page } = await opened(encodeReport(report), wide);
    await page.click('.claim.good button.link');
    const said = await page.textContent('aside.detail');
    for (const words of ['Bash result', 'command: npm test', 'Tests  42 passed'])
      expect(said).toContain(words);
    await page.click('aside.detail button.link.inferred');
    expect(await page.textContent('aside.detail pre')).toContain('fails on leap years');
    await page.click('aside.detail [aria-label=Close]');
    expect(await page.isVisible('aside.detail')).toBe(false);
    await page.click('canvas.timeline', { position: { x: 70, y: 12 } });
    expect(await page.isVisible('aside.detail')).toBe(true);
    await page.click('table button.link');
    expect(await page.textContent('aside.detail h3')).toContain('Edit');
    await page.context().close();
  });

  it('X4 runs nothing of what it shows', async () => {
    const planted = reportOf(plant);
    const { page, heard } = await opened(encodeReport(planted.report), wide);
    await picture(page, 'planted');
    const seen = new Set<string | null>();
    for (let i = 0; i < KINDS.length + 2; i++) {
      await page.keyboard.press('j');
      await page.click('aside.detail summary');
      for (const row of await page.$$('.row.chosen')) await row.hover();
      seen.add(await page.getAttribute('aside.detail', 'aria-label'));
      expect(
        await page.evaluate('/[\\u202e\\u200b\\u001b\\u2028\\ufeff]/.test(document.body.innerText)'),
      ).toBe(false);
    }
    expect(seen.size).toBe(KINDS.length + 2);
    const foreign = '#app :is(script, img, a, svg, iframe, style, link, object, embed, base, meta)';
    expect(await page.$$(foreign)).toEqual([]);
    expect(await page.evaluate('window.__ran')).toBeUndefined();
    expect(heard).toEqual([]);
    await page.context().close();
  });

  it('X4 could not run it either: its policy and Trusted Types are in force', async () => {
    const { page, sent } = await opened(encodeReport(report), wide);
    const tried = await page.evaluate(`(async () => {
      const said = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => said.push(effectiveDirective));
      const attempt = async (name, act) => {
        try { await act(); said.push(name + ' passed'); } catch (error) { said.push(name + ' ' + error.name); }
      };
      await attempt('innerHTML', () => { document.body.innerHTML = '<b>'; });
      await attempt('script', () => { document.createElement('script').text = 'window.__ran = 1'; });
      await attempt('handler', () => { document.body.setAttribute('onclick', 'window.__ran = 2'); });
      await attempt('policy', () => trustedTypes.createPolicy('other', {}));
      await attempt('worker', () => new Worker('https://example.org/x.js'));
      await attempt('fetch', () => fetch('https://example.org/'));
      new Image().src = 'https://example.org/pixel';
      document.body.click();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return said;
    })()`);
    expect(tried).toEqual(
      expect.arrayContaining([
        'innerHTML TypeError',
        'script TypeError',
        'handler TypeError',
        'policy TypeError',
        'worker TypeError',
        'fetch TypeError',
        'connect-src',
        'img-src',
      ]),
    );
    expect(await page.evaluate('window.__ran')).toBeUndefined();
    expect(sent).toEqual([]);
    await page.context().close();
  });
});
