// The diff of a session as a reader sees it, in the viewer and in a report from disk: what is proven, what isn't, what is gone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeReport, parseReport } from '../../src/format/index.ts';
import type { View } from '../../src/view/index.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';
import { type ChangedProject, changeFiles } from '../view/changed-project.ts';
import { LOOKS, seriousIn } from './accessible.ts';
import { hasChromium, launch, openReport, picture } from './browser.ts';
import { openViewer, viewerOf } from './viewed.ts';

describe.skipIf(!hasChromium)('the diff of a session', () => {
  let browser: Browser;
  let project: Project;
  let view: View;
  let made: ChangedProject;
  beforeAll(async () => {
    project = await makeProject();
    made = await changeFiles(project);
    view = await viewerOf(project);
    browser = await launch();
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await view?.close();
    await project?.remove();
  });

  it.each(LOOKS)(
    'X9 is on the page of the session at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      const { page, heard } = await openViewer(browser, view.address(), {
        viewport: { width, height: 900 },
        colorScheme,
      });
      await page.click('.session a');
      await page.waitForSelector('.change pre.diff');
      const text = (await page.textContent('section:has(#changes)')) ?? '';
      expect(text).toContain(made.base.slice(0, 12));
      expect(text).toContain('+export const b = 3;');
      expect(text).toContain('-export const b = 2;');
      expect(text).toContain('result as recorded');
      expect(text).toContain('not part of the proof');
      expect(text).toContain('are gone');
      expect(text).toContain('⟨202e⟩');
      expect(text).not.toContain(made.secret);
      expect(await page.evaluate('window.__ran')).toBeUndefined();
      expect(await seriousIn(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await picture(page, `changes-${width}-${colorScheme}`);
      expect(heard).toEqual([]);
      await page.context().close();
    },
  );

  it('X4 is in a report that was made with it, where a changed text is told', async () => {
    await project.foil(['report', '--diff', '-o', 'r.html', '--ledger', project.directory]);
    const html = readFileSync(join(project.work, 'r.html'), 'utf8');
    const { page, heard } = await openReport(browser, html);
    await page.waitForSelector('.change pre.diff');
    const badges = () => page.locator('.change .badge').allTextContents();
    expect(await badges()).toContain('result as recorded');
    const verdict = await page.textContent('#verdict h2');
    await picture(page, 'changes-report');
    await page.context().close();
    const report = parseReport(html);
    const text = Buffer.from(report.changes ?? []).toString();
    const changed = text.replaceAll('"after":"export const a = 1;', '"after":"export const a = 9;');
    const lied = await openReport(browser, encodeReport({ ...report, changes: Buffer.from(changed) }));
    await lied.page.waitForSelector('.change pre.diff');
    expect(await lied.page.locator('.change .badge').allTextContents()).toContain('not as recorded');
    // The run itself is what it was.
    expect(await lied.page.textContent('#verdict h2')).toBe(verdict);
    const damaged = await openReport(browser, encodeReport({ ...report, changes: Buffer.from('{}') }));
    await damaged.page.waitForSelector('text=This report can’t be checked');
    const moved = text.replace(/"how":"start","seq":\d+/, '"how":"start","seq":1');
    const wrong = await openReport(browser, encodeReport({ ...report, changes: Buffer.from(moved) }));
    await wrong.page.waitForSelector('text=The diff in this file is wrong, so it is not shown');
    expect(await wrong.page.textContent('#verdict h2')).toBe(verdict);
    expect([...heard, ...lied.heard, ...damaged.heard]).toEqual([]);
  });
});
