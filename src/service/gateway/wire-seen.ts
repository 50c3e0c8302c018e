// What a receipt commits to: the bytes of an exchange as they go over the wire.
import { createHmac, type Hmac } from 'node:crypto';
import type { Wire } from '../../record/index.ts';

/** Commits to what goes over the wire, as it goes. */
export class WireSeen {
  readonly #request: Wire['request'];
  readonly #response: Hmac;
  #bytes = 0;

  /** `body` is that of the request. */
  constructor(key: Uint8Array, body: Uint8Array) {
    const commitment = createHmac('sha256', key).update('request\n').update(body).digest('hex');
    this.#request = { commitment, bytes: body.length };
    this.#response = createHmac('sha256', key).update('response\n');
  }

  add(chunk: Uint8Array): void {
    this.#response.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Asked once, when nothing comes any more. */
  wire(complete: boolean): Wire {
    const response = { commitment: this.#response.digest('hex'), bytes: this.#bytes, complete };
    return { request: this.#request, response };
  }
}
