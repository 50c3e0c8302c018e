// Asks a model once, through the gateway, and says what came of it. What a provider sends is bounded and is an answer, never
// an error: an answer that is none is for whoever counts votes.
import { type Json, parsePlainJson } from '../../core/index.ts';
import type { Answer } from '../../harness/index.ts';

/** What came back; where its call is on record is for the ledger to say. */
export type Reply = Pick<Answer, 'text' | 'problem' | 'told'>;

export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What of the answer the model said; undefined where it did not come to its end. */
  readonly text: (answer: Json) => string | undefined;
}

const MOST_ANSWER = 1 << 20;
/** For one answer, from the question on. */
const PATIENCE = 300_000;

export async function askOnce({ url, headers, body, text }: Asked, signal: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    const bytes = await bodyOf(response);
    if (response.status !== 200) return { text: null, problem: 'status', told: statusOf(response) };
    if (bytes === undefined) return unanswered(`the answer has more than ${MOST_ANSWER} bytes`);
    const { value } = parsePlainJson(new TextDecoder().decode(bytes));
    const said = value === undefined ? undefined : text(value);
    return said === undefined
      ? unanswered('the model did not finish its answer')
      : { text: said, problem: null, told: 'the answer does not have the requested form' };
  } catch {
    // The gateway itself answers where the provider does not, so there is nothing of the provider's in the error.
    return unanswered(signal.aborted ? 'it was interrupted' : 'the answer did not come, or broke off');
  }
}

/** With the gateway's own word for it, where the answer is the gateway's. */
function statusOf({ status, headers }: Response): string {
  const code = headers.get('x-counterfoil-error');
  return `the answer has the status ${status}${code === null ? '' : `, ${code}`}`;
}

function unanswered(told: string): Reply {
  return { text: null, problem: 'unanswered', told };
}

/** Undefined where there is too much of it. */
async function bodyOf({ body }: Response): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > MOST_ANSWER) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
