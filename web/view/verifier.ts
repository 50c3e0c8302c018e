// The verifiers of the viewer: scripts of their own, which the browser loads when they are first needed.
import { askAboutRun, askVerifier, type WorkerQuestion } from '../ask-verifier.ts';
import type { LedgerAnswer, LedgerQuestion } from '../check-ledger.ts';
import type { RunAnswer } from '../check-run.ts';
import { scriptUrls } from '../script-urls.ts';

/** Of one run, kept at hand for as long as it is looked at. */
export class RunVerifier {
  readonly #worker = startVerifier();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Once all questions are answered. */
  async isIdle(): Promise<void> {
    await this.#last;
  }

  /** One question after the other. */
  ask(parts: WorkerQuestion['parts'], keys: readonly string[] = []): Promise<RunAnswer> {
    const answer = this.#last.then(() => askAboutRun(this.#worker, { parts, keys, now: Date.now() }));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Whoever still waits for an answer waits in vain. */
  close(): void {
    this.#isClosed = true;
    this.#worker.terminate();
  }
}

/** About a run that is looked at once. */
export async function check(
  parts: WorkerQuestion['parts'],
  keys: readonly string[] = [],
): Promise<RunAnswer> {
  const verifier = new RunVerifier();
  try {
    return await verifier.ask(parts, keys);
  } finally {
    verifier.close();
  }
}

export async function checkWhole(question: LedgerQuestion): Promise<LedgerAnswer> {
  const worker = startWorker('/verify-ledger.js');
  try {
    return await askVerifier(worker, question);
  } finally {
    worker.terminate();
  }
}

/** For whoever wants nothing but its judgements. */
export function startVerifier(): Worker {
  return startWorker('/verify-worker.js');
}

function startWorker(script: string): Worker {
  return new Worker(scriptUrls.createScriptURL(script));
}
