// Reads the body of a request, within bounds: so much for one, so much for all that are being read.
import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  readonly one: number;
  readonly all: number;
}

export const BODY_LIMITS: BodyLimits = { one: 64 * 1024 * 1024, all: 256 * 1024 * 1024 };

/** `cut`: the caller left or took too long; nobody waits for an answer. */
export type Body = Uint8Array | 'too-large' | 'busy' | 'cut';

/** Counts for itself what is held by bodies that are not handed over yet. */
export class BodyReader {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits = BODY_LIMITS) {
    this.#limits = limits;
  }

  read(incoming: IncomingMessage): Promise<Body> {
    const announced = Number(incoming.headers['content-length'] ?? 0);
    if (announced > this.#limits.one) return Promise.resolve('too-large');
    return new Promise((resolve) => {
      const pieces: Uint8Array[] = [];
      let size = 0;
      const end = (body: Body): void => {
        this.#held -= size;
        size = 0;
        incoming.off('data', take).off('end', whole).off('error', cut).off('close', cut);
        resolve(body);
      };
      const take = (piece: Uint8Array): void => {
        size += piece.length;
        this.#held += piece.length;
        if (size > this.#limits.one) end('too-large');
        else if (this.#held > this.#limits.all) end('busy');
        else pieces.push(piece);
      };
      const whole = (): void => end(pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces));
      const cut = (): void => end('cut');
      incoming.on('data', take).on('end', whole).on('error', cut).on('close', cut);
    });
  }
}
