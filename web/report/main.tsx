// The page of a report. Its run stands in the file beside it, and so does the verifier, compressed, as this page does itself.
import { render } from 'preact';
import { CHANGES_FILE, partBytes, REPORT_PART_TYPE, type TreeFile } from '../../src/format/index.ts';
import { askAboutRun } from '../ask-verifier.ts';
import type { RunAnswer } from '../check-run.ts';
import { readDiff } from '../model/changes.ts';
import { App, type AppState } from '../parts/app.tsx';
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
  const draw = (state: AppState): void => render(<App state={state} />, root);
  const fail = (error: unknown): void =>
    draw({ phase: 'broken', why: String(error instanceof Error ? error.message : error) });
  // It starts while the parts are being read.
  let verifier: Promise<Worker> | null = startVerifier();
  // The words for a page that never got this far: whoever draws here would leave them below.
  root.replaceChildren();
  let all: TreeFile[];
  try {
    all = takeParts();
  } catch (error) {
    fail(error);
    return;
  }
  draw({ phase: 'checking' });
  // It is no part of the bundle: nobody signed it.
  const parts = all.filter(({ path }) => path !== CHANGES_FILE);
  const changes = all.find(({ path }) => path === CHANGES_FILE)?.bytes;
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
    const run = await shownRun(await check([]));
    draw({ phase: 'done', run, diff: readDiff(changes, run.answer.entries), check });
  } catch (error) {
    fail(error);
  }
}

void main();
