// "Check a file" of the viewer: what it says of files that somebody sent, and where it takes them.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from '../../src/entry/index.ts';
import { encodeReport, encodeTar } from '../../src/format/index.ts';
import type { View } from '../../src/view/index.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';
import { hasChromium, launch, picture } from './browser.ts';
import { reportOf } from './make-reports.ts';
import { goTo, openViewer, recordTwo, viewerOf } from './viewed.ts';

describe.skipIf(!hasChromium)('the page that checks files', () => {
  let browser: Browser;
  let view: View;
  let page: Page;
  let project: Project;
  beforeAll(async () => {
    browser = await launch();
    project = await makeProject();
    await recordTwo(project);
    view = await viewerOf(project);
    ({ page } = await openViewer(browser, view.address(), { viewport: { width: 1440, height: 900 } }));
    await goTo(page, '#/check', '.drop');
  });
  afterAll(async () => {
    await browser?.close();
    await view?.close();
  });

  const { report } = reportOf((runs) => {
    runs.prompt('Fix the parser.');
    runs.toolResult(runs.tool('Bash', { command: 'npm test' }), 'Bash');
  });
  const html = encodeReport(report);

  /** What stands there once the file is checked. */
  async function said(name: string, content: string | Uint8Array): Promise<string> {
    const buffer = Buffer.from(content as string);
    await page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer });
    await page.waitForSelector(`.checked:has-text(${JSON.stringify(name)})`);
    return (await page.textContent('main')) ?? '';
  }

  it('X4 compares the page of a report with the one that this build knows', async () => {
    const good = await said('good.html', html);
    expect(good).toMatch(/The report’s own page is the one of counterfoil \d\S+, unchanged\./);
    expect(good).not.toContain('its code came with the file');
    const lies: [string, string | Uint8Array][] = [
      ['title', html.replace('<title>Report', '<title>Verified report')],
      ['words', html.replace('This report is being opened.', 'This run passes the check.')],
      ['policy', html.replace(/<meta http-equiv[^>]+>\n/, '')],
      ['script', html.replace('<body>', '<body><script>alert(1)</script>')],
      ['end', html.slice(0, -10)],
      ['byte', Buffer.from(html.replace('<body>', '<body>\u0001'), 'latin1')],
    ];
    for (const [name, lie] of lies) {
      const found = await said(`${name}.html`, lie);
      expect(found, name).toContain('The report’s own page was changed.');
      expect(found, name).toContain('Intact, signer not confirmed');
    }
    await picture(page, 'view-check-changed-page');
    const other = await said('other.html', html.replace(/counterfoil [\d.]+">/, 'counterfoil 9.9.9">'));
    expect(other).toContain('The report’s own page is of counterfoil 9.9.9, so this viewer doesn’t know it.');
    const none = await said('none.html', html.replace(/<meta name="generator"[^>]+>\n/, ''));
    expect(none).toContain('The report’s own page names no version');
    // One of our own that is not a report has no page.
    expect(await said('run.bundle', encodeTar(report.parts))).not.toContain('The report’s own page');
    expect(await said('mark.html', `\ufeff${html}`)).toContain('it begins with a byte order mark');
  });

  it('X9 a proof is confirmed by nothing until a key is entered', async () => {
    const ledger = openLedger(project.located, { sealEvery: 0 });
    const proof = await ledger.prove(3).finally(() => ledger.close());
    expect(await said('entry.proof', proof)).toContain('Nothing is confirmed yet: enter the key');
    expect(await page.textContent('#verdict')).not.toContain('Intact');
  });

  it('X9 takes what is dropped anywhere on the page, one file at a time, and in its own words', async () => {
    await page.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File(['not ours'], 'first.txt'));
      transfer.items.add(new File(['x'], 'second.txt'));
      const target = document.querySelector('header.bar');
      target.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: transfer }));
      target.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
    }`);
    await page.waitForSelector('.checked:has-text("first.txt")');
    await page.waitForSelector('.checked:has-text("only this one; drop the other one at a time")');
    expect(await page.textContent('.verdict.bad')).toContain('It isn’t a report, a bundle or a proof.');
    expect(await page.inputValue('#file')).toBe('');
  });
});
