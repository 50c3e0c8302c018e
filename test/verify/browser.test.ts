// The stand-alone verify.js in a real browser: every vector, with the same result as in Node. Needs a Chromium:
// /usr/bin/chromium, or where CHROME_PATH says.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as inNode from '../../src/entry/verify.ts';
import type { EntryVector, LedgerVector, ProofVector } from './make-vectors.ts';
import { type EvidenceVector, runEvidence } from './run-evidence.ts';
import { type ReceiptVector, runReceipts } from './run-receipts.ts';
import { runEntry, runLedger, runProof } from './run-vectors.ts';

const root = join(import.meta.dirname, '../..');
const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium';
const found = existsSync(executablePath);
if (!found)
  console.warn(`no Chromium at ${executablePath}: verify.js is not tried in a browser; set CHROME_PATH`);

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

const read = <T>(name: string): T => JSON.parse(readFileSync(join(root, 'spec/vectors', name), 'utf8')) as T;

describe.skipIf(!found)('verify.js in a browser says what it says in Node', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const scripts: Record<string, string> = {
      '/verify.js': readFileSync(join(root, 'dist/verify.js'), 'utf8'),
      '/run.js': await bundled('test/verify/run-vectors.ts'),
      '/run-evidence.js': await bundled('test/verify/run-evidence.ts'),
      '/run-receipts.js': await bundled('test/verify/run-receipts.ts'),
    };
    const module =
      "import * as verifier from '/verify.js'; import * as vectors from '/run.js'; import * as evidence from '/run-evidence.js'; import * as receipts from '/run-receipts.js'; Object.assign(window, { verifier, run: { ...vectors, ...evidence, ...receipts } });";
    server = createServer((request, response) => {
      const script = scripts[request.url ?? ''];
      response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
      response.end(script ?? `<!doctype html><script type="module">${module}</script>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath, args: FLAGS });
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction('window.run !== undefined');
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const inBrowser = <T>(call: string, vector: object): Promise<T> =>
    page.evaluate(`window.run.${call}(window.verifier, ${JSON.stringify(vector)})`) as Promise<T>;

  it('verify.js holds nothing of Node', () => {
    expect(readFileSync(join(root, 'dist/verify.js'), 'utf8')).not.toMatch(
      // `node:test` is the name of a runner.
      /["'`]node:(?!test\b)\w|\brequire\(|\bBuffer\b/,
    );
  });

  it('entries', async () => {
    for (const vector of read<{ vectors: EntryVector[] }>('entry.json').vectors) {
      const result = await inBrowser('runEntry', vector);
      expect(result, vector.name).toBe(vector.expect);
      expect(result, vector.name).toBe(runEntry(inNode, vector));
    }
  });

  it('proofs', async () => {
    for (const vector of read<{ vectors: ProofVector[] }>('proof.json').vectors) {
      const result = await inBrowser('runProof', vector);
      expect(result, vector.name).toEqual({ valid: vector.valid, codes: vector.codes });
      expect(result, vector.name).toEqual(await runProof(inNode, vector));
    }
  });

  it('ledgers', async () => {
    for (const name of readdirSync(join(root, 'spec/vectors/ledger'))) {
      const vector = read<LedgerVector>(`ledger/${name}`);
      const result = await inBrowser('runLedger', vector);
      expect(result, name).toEqual(vector.expect);
      expect(result, name).toEqual(await runLedger(inNode, vector));
    }
  });

  it('ledgers that have receipts', async () => {
    for (const name of readdirSync(join(root, 'spec/vectors/receipt'))) {
      const vector = read<ReceiptVector>(`receipt/${name}`);
      const result = await inBrowser('runReceipts', vector);
      expect(result, name).toEqual(vector.expect);
      expect(result, name).toEqual(await runReceipts(inNode, vector));
    }
  });

  it('ledgers that claim something', async () => {
    for (const name of readdirSync(join(root, 'spec/vectors/evidence'))) {
      const vector = read<EvidenceVector>(`evidence/${name}`);
      const result = await inBrowser('runEvidence', vector);
      expect(result, name).toEqual(vector.expect);
      expect(result, name).toEqual(await runEvidence(inNode, vector));
    }
  });
});

async function bundled(path: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  return outputFiles[0]?.text ?? '';
}
