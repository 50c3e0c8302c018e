// A frame on its way between a client and a server, and what becomes of it.
import type { Json } from '../../core/index.ts';
import type { Digest } from '../../record/index.ts';
import type { Frame } from './message.ts';

/** A frame on its way. */
export interface Passing {
  readonly frame: Frame;
  /** Its value; undefined where readers may differ about it, it is no JSON, or it was too long to be held. */
  readonly value: () => Json | undefined;
  /** As it came, for what has no value. */
  readonly text: () => Json;
  /** Of its bytes, where it was too long to be held. */
  readonly digest?: Digest | undefined;
  /** Who says it, as far as the transport knows. */
  readonly caller?: string | undefined;
}

/** What becomes of a frame that may not be handed on. */
export interface Refused {
  /** For who said it; null where nobody waits for an answer. */
  readonly reply: Uint8Array | null;
  /** Goes on in its place. */
  readonly instead: Uint8Array | null;
  readonly reason: string;
}

export type Ruling = 'forward' | Refused;
