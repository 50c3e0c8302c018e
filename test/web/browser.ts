// A real Chromium: /usr/bin/chromium, or where CHROME_PATH says. A report is opened from disk, and whatever it asks of a
// network, of a dialog or of the console is kept.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { temporary } from '../temporary.ts';

const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium';
export const hasChromium = existsSync(executablePath);
if (!hasChromium)
  console.warn(`no Chromium at ${executablePath}: the page of reports is not tried; set CHROME_PATH`);

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

export interface Opened {
  readonly page: Page;
  /** What it asked for besides itself, said in a dialog, or complained of. */
  readonly heard: string[];
  /** What would have left this machine. */
  readonly sent: string[];
}

/** Waits until the page has a verdict. */
export async function openReport(
  browser: Browser,
  html: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const file = join(temporary(), 'report.html');
  writeFileSync(file, html);
  const own = pathToFileURL(file).href;
  const context = await browser.newContext(options);
  const heard: string[] = [];
  const sent: string[] = [];
  await context.route(/^(?!file:|blob:)/, (route) => {
    sent.push(route.request().url());
    return route.abort();
  });
  const page = await context.newPage();
  page.on('request', (request) => {
    const url = request.url();
    if (url !== own && !url.startsWith('blob:')) heard.push(`request ${url}`);
  });
  page.on('dialog', (dialog) => {
    heard.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => heard.push(`error ${error.message}`));
  page.on('console', (message) => heard.push(`console ${message.text()}`));
  await page.goto(own);
  await page.waitForSelector('h1:not(:text("Checking"))');
  return { page, heard, sent };
}

/** For whoever looks at them. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = join(import.meta.dirname, 'screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
