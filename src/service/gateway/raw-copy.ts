// A copy of an exchange as it went over the wire, for a session that can be replayed. It is taken while the bytes pass, and
// is bounded: what is too long is passed on all the same, and can't be replayed.
import type { IncomingMessage } from 'node:http';
import { normalForm, requestParts } from '../../capture/llm/index.ts';
import { MOST_ANSWER_BYTES } from '../../format/index.ts';
import { decodeBody } from './decode.ts';
import { answerHeaders } from './headers.ts';
import type { RecordedCall } from './recording.ts';

export interface CopiedRequest {
  readonly method: string;
  /** Behind the gateway's address, query included. */
  readonly target: string;
  readonly encoding: string | undefined;
  readonly body: Uint8Array;
}

/** Of a compressed request, decoded: what is larger counts as it came. */
const MOST_DECODED = 64 * 1024 * 1024;

export class RawCopy {
  readonly #replay: NonNullable<RecordedCall['replay']>;
  readonly #request: CopiedRequest;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #response: IncomingMessage | undefined;

  constructor(replay: NonNullable<RecordedCall['replay']>, request: CopiedRequest) {
    this.#replay = replay;
    this.#request = request;
  }

  begin(response: IncomingMessage): void {
    this.#response = response;
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MOST_ANSWER_BYTES) this.#chunks.push(Uint8Array.from(chunk));
    else this.#chunks = [];
  }

  /** Durable when it resolves. `whole`: the answer came to its end. */
  async keep(whole: boolean): Promise<void> {
    const { method, target, encoding, body } = this.#request;
    const decoded = (await decodeBody(encoding, body, MOST_DECODED)) ?? body;
    const isTooLarge = this.#bytes > MOST_ANSWER_BYTES;
    const { statusCode = 0, rawHeaders = [] } = this.#response ?? {};
    await this.#replay.keep({
      ...{ method, target },
      parts: requestParts(decoded, normalForm([this.#replay.places])),
      status: statusCode,
      headers: answerHeaders(rawHeaders, null),
      chunks: this.#chunks,
      problem: isTooLarge ? 'too-large' : whole ? null : 'broken-off',
    });
  }
}
