// Holds one JSON text back until the conversation lets it go: whole where it is short, and of a long one the byte that
// completes it. For bodies and events of HTTP, which unlike lines may hold newlines.
import { createHash } from 'node:crypto';
import { asItCame, type Json, parsePlainBytes } from '../../core/index.ts';
import type { Conversation } from './conversation.ts';
import { JsonSkim } from './json-skim.ts';
import { LONGEST_LINE } from './lines.ts';
import { type Direction, type Frame, frameOf } from './message.ts';
import type { Refused, Ruling } from './passing.ts';
import { encodeRefusals, UNREADABLE } from './refusal.ts';

export interface Gated {
  readonly ruling: Ruling;
  readonly frame: Frame;
  /** Of a text that was held whole: null where part of it went on already. */
  readonly whole: Uint8Array | null;
}

export class JsonGate {
  readonly #conversation: Pick<Conversation, 'take'>;
  readonly #direction: Direction;
  readonly #caller: string | undefined;
  readonly #longest: number;
  readonly #skim = new JsonSkim();
  readonly #hash = createHash('sha256');
  #held: Uint8Array[] = [];
  #bytes = 0;
  #heldBytes = 0;
  #long = false;
  #unreadable = false;

  constructor(
    conversation: Pick<Conversation, 'take'>,
    direction: Direction,
    { caller, longest = LONGEST_LINE }: { caller?: string | undefined; longest?: number } = {},
  ) {
    this.#conversation = conversation;
    this.#direction = direction;
    this.#caller = caller;
    this.#longest = longest;
  }

  /** Gives what of it may go on already. */
  push(bytes: Uint8Array): readonly Uint8Array[] {
    if (this.#unreadable) return [];
    const closed = this.#skim.feed(bytes);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#hold(bytes);
    if (this.#bytes <= this.#longest) return [];
    this.#long = true;
    if (this.#skim.problem !== null) return this.#spoiled();
    if (!this.#skim.complete) return this.#release();
    if (closed >= 0) {
      // What completes the text is held, and all behind it.
      this.#held.pop();
      const free = [...this.#release(), bytes.subarray(0, closed)];
      this.#hold(bytes.subarray(closed));
      return free;
    }
    return this.#heldBytes > this.#longest ? this.#spoiled() : [];
  }

  /** All of it is here. What is held goes on, or not, as the ruling says. */
  async end(): Promise<Gated & { readonly held: readonly Uint8Array[] }> {
    this.#skim.end();
    const frame = frameOf(this.#skim);
    if (this.#long && frame.problem !== null) this.#spoiled();
    if (this.#unreadable)
      return {
        ruling: { reply: encodeRefusals([null], UNREADABLE, false), instead: null, reason: UNREADABLE },
        frame,
        held: [],
        whole: null,
      };
    const held = this.#held;
    const text = (): Json => asItCame(Buffer.concat(held));
    const digest = this.#long ? { sha256: this.#hash.digest('hex'), bytes: this.#bytes } : undefined;
    const ruling =
      (await this.#conversation.take(this.#direction, {
        frame,
        value: () => (this.#long ? undefined : parseOr(Buffer.concat(held))),
        text: this.#long ? () => '' : text,
        digest,
        caller: this.#caller,
      })) ?? 'forward';
    return { ruling, frame, held, whole: this.#long ? null : Buffer.concat(held) };
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #release(): readonly Uint8Array[] {
    this.#heldBytes = 0;
    return this.#held.splice(0);
  }

  /** Too long to be recorded whole, and no plain JSON: to a server it does not go; for a client it is no answer. */
  #spoiled(): readonly Uint8Array[] {
    if (this.#direction === 'to-client') return this.#release();
    this.#unreadable = true;
    this.#release();
    return [];
  }
}

/** The text of an answer of ours, or of what stands in the place of a message. */
export function textOf(bytes: Refused['reply']): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8').trimEnd();
}

/** Undefined where readers may differ about it. */
function parseOr(bytes: Uint8Array): Json | undefined {
  const { value, doubt } = parsePlainBytes(bytes);
  return doubt === null ? value : undefined;
}
