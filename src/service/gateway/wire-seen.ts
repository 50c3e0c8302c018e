// What a receipt commits to: the bytes of an exchange as they go over the wire.
import { createHmac, type Hmac } from 'node:crypto';
import type { Wire } from '../../record/index.ts';

/** Commits to what goes over the wire, as it goes. */
export class WireSeen {
  readonly #key: Uint8Array;
  readonly #body: Uint8Array;
  readonly #response: Hmac;
  #bytes = 0;

  /** `body` is that of the request. */
  constructor(key: Uint8Array, body: Uint8Array) {
    this.#key = key;
    this.#body = body;
    this.#response = createHmac('sha256', key).update('response\n');
  }

  add(chunk: Uint8Array): void {
    this.#response.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Asked once, when nothing comes any more. */
  wire(complete: boolean): Wire {
    const request = createHmac('sha256', this.#key).update('request\n').update(this.#body).digest('hex');
    return {
      request: { commitment: request, bytes: this.#body.length },
      response: { commitment: this.#response.digest('hex'), bytes: this.#bytes, complete },
    };
  }
}
