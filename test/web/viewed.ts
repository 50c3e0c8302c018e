// Ledgers to look at, and the viewer over them as `foil view` serves it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { openLedger } from '../../src/entry/index.ts';
import { encodeContentRef } from '../../src/format/index.ts';
import { startView, type View, type ViewPage } from '../../src/view/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import type { Project } from '../e2e/recorded-project.ts';
import type { Opened } from './browser.ts';

const built = (name: string): Buffer => readFileSync(join(import.meta.dirname, `../../dist/view/${name}`));

export function viewerOf(project: Project): Promise<View> {
  const script = 'text/javascript; charset=utf-8';
  const page: ViewPage = new Map([
    ['/', { type: 'text/html; charset=utf-8', bytes: built('index.html') }],
    ['/view.js', { type: script, bytes: built('view.js') }],
    ['/style.css', { type: 'text/css; charset=utf-8', bytes: built('style.css') }],
    ['/verify-worker.js', { type: script, bytes: built('verify-worker.js') }],
    ['/verify-ledger.js', { type: script, bytes: built('verify-ledger.js') }],
    ['/report.html', { type: 'application/octet-stream', bytes: built('../report.html') }],
    ['/verify-more.js', { type: script, bytes: built('verify-more.js') }],
  ]);
  return startView([{ name: 'shop', located: project.located }], page);
}

/** Keeps what the page asks of others, says in a dialog or complains of. */
export async function openViewer(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const { origin } = new URL(url);
  const context = await browser.newContext(options);
  const heard: string[] = [];
  const sent: string[] = [];
  await context.route(
    (to) => to.origin !== origin && to.protocol !== 'blob:',
    (route) => {
      sent.push(route.request().url());
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    heard.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => heard.push(`error ${error.message}`));
  page.on('console', (message) => heard.push(`console ${message.text()}`));
  await page.goto(url);
  await page.waitForSelector('.session');
  return { page, heard, sent };
}

export async function goTo(page: Page, hash: string, ready: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.waitForSelector(ready);
}

/** Two sessions of one task, as hooks tell of them, which part at the third call. */
export async function recordTwo(project: Project): Promise<void> {
  const npm = { command: 'npm test' };
  const edit = { file_path: join(project.work, 'src/cart.js'), old_string: 'a', new_string: 'b' };
  const rm = { command: 'rm -rf /var/cache' };
  const first = new ClaudeSession('one', project.work);
  const second = new ClaudeSession('two', project.work);
  const begin = (host: ClaudeSession): JsonObject[] => [
    host.start(),
    host.prompt('The cart shows a wrong total when a coupon is used. Fix it, and run the tests.'),
    host.call('c1', npm),
    host.failure('c1', 'Exit code 1\nTests  1 failed, 11 passed', npm),
    host.call('c2', { file_path: join(project.work, 'src/cart.js') }, 'Read'),
    host.result('c2', { file_path: join(project.work, 'src/cart.js') }, 'Read'),
  ];
  const events = [
    ...begin(first),
    first.event('SubagentStart', { agent_id: 'a1', agent_type: 'Explore' }),
    first.call('c3', { pattern: 'coupon' }, 'Grep', { agent_id: 'a1' }),
    first.result('c3', { pattern: 'coupon' }, 'Grep', { agent_id: 'a1' }),
    first.event('SubagentStop', { agent_id: 'a1', agent_type: 'Explore' }),
    first.event('PreCompact', { trigger: 'auto' }),
    first.call('c4', edit, 'Edit'),
    first.result('c4', edit, 'Edit'),
    first.call('c5', rm),
    first.asks(rm),
    first.result('c5', rm),
    first.stop('Fixed the total of the cart; all tests pass.'),
    first.end(),
    ...begin(second),
    second.call('c6', npm),
    second.batch('c6'),
    second.stop('I could not run the tests, so nothing is verified.'),
    second.end(),
  ];
  for (const event of events) await project.tell('claude-code', event);
}

export interface Told {
  readonly kind: string;
  readonly payload: JsonObject;
  readonly cause?: number | null;
}

/** A session as whoever writes a ledger may write it, an entry a step apart. Gives its id. */
export async function tellSession(
  project: Project,
  name: string,
  from: string,
  step: number,
  entries: (
    kept: (content: string | Uint8Array) => Promise<Json>,
    firstSeq: number,
  ) => Promise<readonly Told[]>,
): Promise<string> {
  const id = name.padEnd(64, '0');
  const ledger = openLedger(project.located, { sealEvery: 0 });
  try {
    const kept = async (content: string | Uint8Array): Promise<Json> =>
      encodeContentRef(await ledger.putContent(id, Buffer.from(content as string), { type: 'text/plain' }));
    const told = await entries(kept, (await ledger.store.head()).seq + 1);
    const block = told.map(({ kind, payload, cause = null }, i) => ({
      kind,
      source: 'hook:claude-code',
      session_id: id,
      payload,
      cause,
      ts: new Date(Date.parse(from) + i * step).toISOString(),
    }));
    for (let at = 0; at < block.length; at += 500) await ledger.append(block.slice(at, at + 500));
    await ledger.seal();
    return id;
  } finally {
    await ledger.close();
  }
}
