// The page of a report. Its run stands in the file beside it, and so does the verifier, compressed, as this page does itself.
import { render } from 'preact';
import { partBytes, REPORT_PART_TYPE, type TreeFile } from '../../src/format/index.ts';
import { askAboutRun } from '../ask-verifier.ts';
import type { RunAnswer } from '../check-run.ts';
import { App } from '../parts/app.tsx';
import { shownRun } from '../parts/shown-run.ts';
import { scriptUrls } from '../script-urls.ts';
import { unpack } from './packed.ts';

/** Takes them out of the page: they are many, and nobody looks at them there. */
function takeParts(): TreeFile[] {
  const elements = [...document.querySelectorAll(`script[type="${REPORT_PART_TYPE}"]`)];
  return elements.map((element) => {
    const path = element.getAttribute('data-path') ?? '';
    const text = element.textContent ?? '';
    element.remove();
    return { path, bytes: partBytes(path, text, element.hasAttribute('data-base64')) };
  });
}

async function startVerifier(): Promise<Worker> {
  try {
    return await unpackVerifier();
  } catch {
    throw new Error('The verifier in the file is damaged.');
  }
}

async function unpackVerifier(): Promise<Worker> {
  const code = await unpack('counterfoil-verifier');
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return new Worker(scriptUrls.createScriptURL(url));
}

async function main(): Promise<void> {
  const root = document.getElementById('app');
  if (root === null) return;
  // What stands there for whoever runs no scripts would stay below the page.
  root.replaceChildren();
  // It starts while the parts are being read.
  let verifier: Promise<Worker> | null = startVerifier();
  let parts: TreeFile[];
  try {
    parts = takeParts();
  } catch (error) {
    render(
      <App state={{ phase: 'broken', why: String(error instanceof Error ? error.message : error) }} />,
      root,
    );
    return;
  }
  render(<App state={{ phase: 'checking' }} />, root);
  const check = async (keys: readonly string[]): Promise<RunAnswer> => {
    const worker = await (verifier ?? startVerifier());
    verifier = null;
    try {
      return await askAboutRun(worker, { parts, keys, now: Date.now() });
    } finally {
      worker.terminate();
    }
  };
  try {
    render(<App state={{ phase: 'done', run: await shownRun(await check([])), check }} />, root);
  } catch (error) {
    render(
      <App state={{ phase: 'broken', why: String(error instanceof Error ? error.message : error) }} />,
      root,
    );
  }
}

void main();
