// The viewer, looked at as people do: every page by keyboard and by mouse, wide and narrow, light and dark, and over a ledger
// that attacks whoever looks at it. Pictures go to test/web/screenshots.
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseReport, parseTar } from '../../src/format/index.ts';
import type { View } from '../../src/view/index.ts';
import { checkRun } from '../../web/check-run.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';
import { packWith } from '../verify/bundle-maker.ts';
import { made, PASS } from '../verify/make-bundles.ts';
import { LOOKS, seriousIn } from './accessible.ts';
import { hasChromium, launch, picture } from './browser.ts';
import { ATTACK, CONTENTS, KINDS, plantedPayload } from './planted.ts';
import { goTo, openViewer, recordTwo, type Told, tellSession, viewerOf } from './viewed.ts';

const MODELS = ['claude-opus-5', 'gpt-6-codex', 'claude-haiku-5'];

/** Sessions of other days, for the list and its charts. */
async function recordDays(project: Project): Promise<void> {
  for (let n = 0; n < 24; n++) {
    const day = new Date(Date.UTC(2026, 8, 20) + n * 2.1 * 86_400_000).toISOString();
    await tellSession(project, `d${n.toString(16).padStart(3, '0')}`, day, 20_000, async (kept, first) => [
      {
        kind: 'session.start',
        payload: {
          agent: n % 3 === 1 ? 'codex' : 'claude-code',
          mode: 'observe',
          workspace_root: `/home/dev/${n % 2 === 0 ? 'shop' : 'docs'}`,
        },
      },
      { kind: 'prompt', payload: { text: await kept(`Task ${n}`), prompt_hash: '0'.repeat(64) } },
      ...Array.from(
        { length: 3 + (n % 7) },
        (_, i): Told => ({
          kind: 'tool.call',
          payload: { tool: ['Bash', 'Edit', 'Read', 'Grep'][(i * n) % 4] ?? 'Bash', paths: [] },
          cause: first + 1,
        }),
      ),
      ...(n % 5 === 0
        ? [
            {
              kind: 'tool.denied',
              payload: { tool: 'Bash', by: 'host', reason: 'not granted' },
              cause: first + 2,
            },
          ]
        : []),
      { kind: 'response', payload: { text: await kept('Done.'), model: MODELS[n % 3] ?? '' } },
      { kind: 'model.result', payload: { usage: { input_tokens: 900 * (n + 1), output_tokens: 120 * n } } },
      {
        kind: 'gate',
        payload: {
          verdict: n % 4 === 0 ? 'unproven' : 'pass',
          claims: [{ claim: first, status: n % 4 === 0 ? 'unbacked' : 'backed', validation: null }],
        },
      },
      { kind: 'session.end', payload: { reason: 'exit' } },
    ]);
  }
}

describe.skipIf(!hasChromium)('the viewer', () => {
  let browser: Browser;
  let project: Project;
  let view: View;
  beforeAll(async () => {
    project = await makeProject();
    await recordDays(project);
    await recordTwo(project);
    view = await viewerOf(project);
    browser = await launch();
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await view?.close();
    await project?.remove();
  });
  const opened = ({ width, colorScheme }: (typeof LOOKS)[number]) =>
    openViewer(browser, view.address(), {
      viewport: { width, height: width === 390 ? 844 : 900 },
      colorScheme,
    });
  const [wide] = LOOKS as [(typeof LOOKS)[number]];

  it.each(LOOKS)('X9 every page can be read by everybody at $width px, $colorScheme', async (look) => {
    const { page, heard } = await opened(look);
    const looked = async (name: string): Promise<void> => {
      await picture(page, `view-${look.width}-${look.colorScheme}-${name}`);
      expect([name, await seriousIn(page)]).toEqual([name, []]);
      expect([name, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
        name,
        true,
      ]);
    };
    await page.waitForSelector('.session');
    await looked('sessions');
    await page.click('.session a >> nth=1');
    await page.waitForSelector('#verdict');
    await looked('session');
    await page.click('.row:has-text("rm -rf")');
    await page.waitForSelector('aside.detail');
    await looked('entry');
    await goTo(page, '#/health/0', '#health');
    await looked('health');
    await goTo(page, '#/search/0/coupon', '#found');
    await looked('search');
    await goTo(page, '#/check', '.drop');
    await looked('check');
    const ids = await page.evaluate<string[]>(
      `fetch('/api/sessions?ledger=0', { headers: { authorization: 'Bearer ' + sessionStorage.getItem('counterfoil-token') } }).then((answer) => answer.json()).then(({ sessions }) => sessions.slice(0, 2).map(({ id }) => id))`,
    );
    await goTo(page, `#/diff/0/${ids.join('/')}`, '#parting');
    await looked('diff');
    expect(heard).toEqual([]);
    await page.context().close();
  });

  it('X9 an address pasted again, a window that is turned, a file dropped anywhere and a link to an entry do what people expect', async () => {
    const { page, heard } = await opened(wide);
    // Waiting in the page itself would take an eval, which its policy forbids.
    const becomes = (what: string): Promise<void> =>
      expect.poll(() => page.evaluate(what), { timeout: 20_000, interval: 100 }).toBe(true);
    await page.waitForSelector('.session');
    await page.evaluate(`location.href = ${JSON.stringify(view.address())}`);
    await becomes(`!location.href.includes('open=')`);
    await page.waitForSelector('.session');

    // The list finds a session by its prompt, and Esc shows all again.
    const all = await page.textContent('.tools [role=status]');
    await page.fill('#filter', 'coupon wrong');
    await becomes(`document.querySelector('.tools [role=status]').textContent === '2 sessions'`);
    await page.press('#filter', 'Escape');
    expect(await page.inputValue('#filter')).toBe('');
    expect(await page.textContent('.tools [role=status]')).toBe(all);

    await page.setViewportSize({ width: 390, height: 844 });
    await becomes(
      `[...document.querySelectorAll('.session')].every((row) => row.scrollHeight <= row.parentElement.offsetHeight + 1)`,
    );
    await page.setViewportSize({ width: 1440, height: 500 });

    const session = await page.getAttribute('.session a', 'href');
    await page.click('.session a >> nth=0');
    await page.waitForSelector('.row .seq');
    const seqs = await page.locator('.row .seq').allTextContents();
    await page.evaluate('scrollTo(0, 0)');
    const isSeen = `(() => { const box = document.querySelector('.row.chosen')?.getBoundingClientRect(); return box !== undefined && box.top >= 0 && box.bottom <= innerHeight; })()`;
    for (const seq of [seqs.at(-1), seqs[0]]) {
      await goTo(page, `${session}/${seq}`, '.row.chosen');
      await becomes(isSeen);
    }

    await goTo(page, '#/health/0', '#health');
    const prevented = await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['no report'], 'report.html'));
      return ['dragover', 'drop'].map((name) => {
        const event = new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event);
        return event.defaultPrevented;
      });
    })()`);
    expect(prevented).toEqual([true, true]);
    await page.waitForSelector('.checked:has-text("report.html")');
    expect(await page.evaluate('location.hash')).toBe('#/check');
    await page.goBack();
    await page.waitForSelector('#health');
    expect(heard).toEqual([]);
    await page.context().close();
  });

  it('X9 asks nothing before the first rows but for them, and all else once they can be seen', async () => {
    const { page, heard } = await opened(wide);
    // The tab has the token from now on.
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (/^.(api|verify)/.test(pathname)) asked.push(pathname + (search.includes('most=') ? ' first' : ''));
    });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/sessions?*', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(view.origin);
    await page.waitForSelector('main .quiet:has-text("Reading the ledger")');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(asked).toEqual(['/api/sessions first']);
    release();
    await page.waitForSelector('.session');
    for (const wanted of ['/api/tail', '/api/ledgers', '/api/tools', '/verify-worker.js'])
      await expect.poll(() => asked, { timeout: 20_000 }).toContain(wanted);
    expect(heard).toEqual([]);
    await page.context().close();
  });

  it('X9 is walked by keyboard', async () => {
    const { page } = await opened(wide);
    await page.waitForSelector('.session.chosen');
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('j', 'x', 'k', 'x', 'c');
    await page.waitForSelector('#parting');
    expect(await page.textContent('section:has(#parting)')).toContain('After 3 steps that are the same');
    await page.goBack();
    await page.waitForSelector('.session.chosen');
    await press('/');
    await page.keyboard.type('codex');
    await expect.poll(() => page.locator('.session').count()).toBe(8);
    await press('Escape');
    await page.fill('#filter', '');
    await press('Escape', 'g', 'j', 'Enter');
    await page.waitForSelector('#verdict');
    await press('j', 'j');
    const label = () => page.getAttribute('aside.detail', 'aria-label');
    const second = await label();
    await page.focus('[role=slider]');
    await press('ArrowRight');
    expect(await label()).not.toBe(second);
    await press('ArrowLeft');
    expect(await label()).toBe(second);
    await press('+', '+', '+');
    expect(await page.isEnabled('[aria-label="Zoom out"]')).toBe(true);
    await press('0');
    expect(await page.isEnabled('[aria-label="Zoom out"]')).toBe(false);
    await press('Home');
    const first = await label();
    await press('End');
    expect(await label()).not.toBe(first);
    await press('Escape');
    await page.waitForSelector('aside.detail', { state: 'detached' });
    await page.context().close();
  });

  it('X9 plays a session by the space bar, and from step to step for who wants less motion', async () => {
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const { page } = await openViewer(browser, view.address(), { reducedMotion });
      await page.click('.session a');
      await page.waitForSelector('#verdict');
      await page.keyboard.press('Home');
      await page.keyboard.press('g');
      const first = await page.getAttribute('aside.detail', 'aria-label');
      await page.selectOption('.zoom select', '64');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press(' ');
      await page.waitForFunction(
        (before) =>
          (
            globalThis as unknown as { document: { querySelector(of: string): { ariaLabel: string } | null } }
          ).document.querySelector('aside.detail')?.ariaLabel !== before,
        first,
      );
      await page.keyboard.press(' ');
      expect(await page.getAttribute('.play', 'aria-pressed')).toBe('false');
      await page.context().close();
    }
  });

  it('X9 is walked by mouse and by touch: a timeline that zooms and scrubs, and downloads that verify', async () => {
    const { page } = await openViewer(browser, view.address(), {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await page.tap('.session a');
    await page.waitForSelector('#verdict');
    await page.tap('canvas.timeline', { position: { x: 200, y: 60 } });
    await page.waitForSelector('aside.detail');
    const box = await page.locator('aside.detail').boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(844);
    await page.tap('aside.detail [aria-label=Close]');
    await page.context().close();

    const { page: big } = await opened(wide);
    await big.click('.session a');
    await big.waitForSelector('#verdict');
    await big.click('[aria-label="Zoom in"]', { clickCount: 4 });
    const shown = () => big.textContent('.zoom .quiet:not(.legend, label *)');
    const zoomed = await shown();
    const map = await big.locator('canvas.map').boundingBox();
    if (map === null) throw new Error('no map');
    const y = map.y + map.height / 2;
    await big.mouse.move(map.x + 300, y);
    await big.mouse.down();
    await big.mouse.move(map.x + 700, y, { steps: 5 });
    await big.mouse.up();
    expect(await shown()).toBe(zoomed);
    await big.click('.zoom >> text="All"');
    expect(await shown()).not.toBe(zoomed);
    const saved = async (name: string): Promise<Buffer> => {
      const [download] = await Promise.all([
        big.waitForEvent('download'),
        big.click(`.downloads >> text=${name}`),
      ]);
      return readFileSync(await download.path());
    };
    expect(parseReport((await saved('Report')).toString()).parts.map(({ path }) => path)).toContain(
      'entries.jsonl',
    );
    expect(parseTar(await saved('Bundle')).map(({ path }) => path)).toContain('bundle.json');
    expect((await saved('Proof')).toString()).toContain('c2sp.org/tlog-proof');
    await big.context().close();
  });

  it('X9 judges a run with a pack as the command does, by rules that load when they are asked for', async () => {
    const pack = packWith({ deny: [], arguments: [{ tool: 'Bash', matches: 'npm *' }] });
    const { bytes } = made('x', '', PASS, { pack }, { disclose: 'arguments' });
    const { page, heard } = await opened(wide);
    await goTo(page, '#/check', '.drop');
    await page.setInputFiles('#file', {
      name: 'run.bundle',
      mimeType: 'application/x-tar',
      buffer: Buffer.from(bytes),
    });
    await page.waitForSelector('#verdict');
    const { report } = await checkRun({ parts: parseTar(bytes), isServed: true, keys: [], now: Date.now() });
    const codes = await page.$$eval('.findings code', (all) => all.map((each) => each.textContent));
    expect(new Set(codes)).toEqual(new Set(report?.findings.map(({ code }) => code)));
    // Only the rules that load later can say this.
    expect(codes).toContain('TOOL_DENIED');
    expect(heard).toEqual([]);
    await page.context().close();
  });

  it('X9 runs nothing of what it shows', async () => {
    const attacked = await makeProject();
    const kinds = KINDS.filter((kind) => !/^(?:gap|session\.cut)$/.test(kind));
    await tellSession(attacked, 'bad', '2026-11-01T10:00:00.000Z', 1000, async (kept, first) => {
      const contents = Object.fromEntries(
        await Promise.all(Object.entries(CONTENTS).map(async ([name, bytes]) => [name, await kept(bytes)])),
      );
      const start = { agent: ATTACK, mode: ATTACK, workspace_root: ATTACK };
      return [
        { kind: 'session.start', payload: start },
        ...kinds.map((kind): Told => ({ kind, payload: plantedPayload(contents, first) })),
      ];
    });
    const bad = await viewerOf(attacked);
    try {
      const { page, heard, sent } = await openViewer(browser, bad.address(), {
        viewport: { width: 1440, height: 900 },
      });
      const isClean = async (): Promise<void> => {
        expect(
          await page.evaluate('/[\\u202e\\u200b\\u001b\\u2028\\ufeff]/.test(document.body.innerText)'),
        ).toBe(false);
        expect(await page.evaluate('window.__ran')).toBeUndefined();
        expect(
          await page.$$(
            '#app :is(script, img, iframe, style, link, object, embed, base, meta, a:not([href^="#/"]))',
          ),
        ).toEqual([]);
      };
      await page.waitForSelector('.session');
      await isClean();
      await picture(page, 'view-planted-sessions');
      await page.click('.session a');
      await page.waitForSelector('#verdict');
      await picture(page, 'view-planted-session');
      for (let i = 0; i <= kinds.length; i++) {
        await page.keyboard.press('j');
        await page.click('aside.detail summary');
        await isClean();
      }
      await goTo(page, '#/search/0/script', '.hits li');
      await isClean();
      await goTo(page, `#/diff/0/${'bad'.padEnd(64, '0')}/${'bad'.padEnd(64, '0')}`, '#parting');
      await isClean();
      expect([heard, sent]).toEqual([[], []]);
      await page.context().close();
    } finally {
      await bad.close();
      await attacked.remove();
    }
  });
});
