// A transport of the official SDK, v1 or v2, with the conversation in between: what comes in reaches the SDK, and what
// goes out reaches the peer, when the conversation lets it. The transport itself is changed, not copied, because the SDK
// looks at more of it than its interface says. Nothing of the SDK is imported: its shape is all that is needed.
import { type Json, parsePlainJson } from '../../core/index.ts';
import type { Conversation } from './conversation.ts';
import { type Direction, frameOfValue } from './message.ts';
import type { Refused, Ruling } from './passing.ts';

/** What both versions have. */
export interface AnyTransport {
  send(message: never, options?: never): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}

type Send = (message: unknown, options?: unknown) => Promise<void>;
type Handler = (message: unknown, extra?: unknown) => void;

interface Decorated {
  send: Send;
  onmessage: Handler | undefined;
  onclose: (() => void) | undefined;
}

export interface TransportOptions {
  readonly conversation: Conversation;
  /** Whose transport it is. */
  readonly side: 'server' | 'client';
  /** The peer is gone. */
  readonly closed: () => void;
}

/** Gives the transport back. */
export function decorate<T extends AnyTransport>(
  transport: T,
  { conversation, side, closed }: TransportOptions,
): T {
  const target = transport as unknown as Decorated;
  const incoming: Direction = side === 'server' ? 'to-server' : 'to-client';
  const outgoing: Direction = side === 'server' ? 'to-client' : 'to-server';
  const sendOn = target.send.bind(transport);
  let handler = target.onmessage;
  let onclose = target.onclose;
  let handing = false;
  let over = false;
  const hand: Handler = (message, extra) => {
    handing = true;
    try {
      handler?.(message, extra);
    } finally {
      handing = false;
    }
  };
  const lines: Record<Direction, Promise<void> | undefined> = {
    'to-server': undefined,
    'to-client': undefined,
  };

  /** In order: what need not wait for itself waits for what came before it. */
  const inOrder = (
    direction: Direction,
    ruling: Promise<Ruling> | undefined,
    go: (ruling: Ruling) => Promise<void> | void,
  ): Promise<void> => {
    const before = lines[direction];
    if (before === undefined && ruling === undefined) return Promise.resolve(go('forward'));
    const done = (async () => {
      const ruled = ruling === undefined ? 'forward' : await ruling;
      await before;
      await go(ruled);
    })();
    const settled = done.then(clear, clear);
    function clear(): void {
      if (lines[direction] === settled) lines[direction] = undefined;
    }
    lines[direction] = settled;
    return done;
  };

  const rule = (direction: Direction, message: unknown, extra?: unknown): Promise<Ruling> | undefined =>
    conversation.take(direction, {
      frame: frameOfValue(message as Json),
      value: () => copyOf(message),
      text: () => String(JSON.stringify(message)),
      caller: callerOf(extra),
    });

  target.send = (message, options) =>
    inOrder(outgoing, rule(outgoing, message), async (ruling) => {
      if (ruling === 'forward') return sendOn(message, options);
      for (const instead of messagesOf(ruling.instead)) await sendOn(instead, options);
      for (const reply of messagesOf(ruling.reply)) hand(reply);
    });

  const receive: Handler = (message, extra) => {
    const heard = inOrder(incoming, rule(incoming, message, extra), async (ruling) => {
      if (ruling === 'forward') return hand(message, extra);
      for (const instead of messagesOf(ruling.instead)) hand(instead, extra);
      for (const reply of messagesOf(ruling.reply))
        await sendOn(reply, { relatedRequestId: (reply as { id?: unknown }).id });
    });
    heard.catch(() => undefined); // a peer that is gone gets no answer
  };

  // The SDK puts its own handlers in front of those it finds, which it then calls itself: what was read before must not
  // come round again.
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get() {
      const found = handler;
      if (found === undefined) return undefined;
      return ((message, extra) => (handing ? found : receive)(message, extra)) satisfies Handler;
    },
    set(given: Handler | undefined) {
      handler = given;
    },
  });
  Object.defineProperty(transport, 'onclose', {
    configurable: true,
    enumerable: true,
    get() {
      const found = onclose;
      return () => {
        found?.();
        if (!over) closed();
        over = true;
      };
    },
    set(given: (() => void) | undefined) {
      onclose = given;
    },
  });
  return transport;
}

function messagesOf(bytes: Refused['reply']): readonly unknown[] {
  if (bytes === null) return [];
  const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return Array.isArray(value) ? value : [value];
}

/** As it goes over the wire; undefined for what can't, and for what readers may differ about. */
function copyOf(message: unknown): Json | undefined {
  try {
    const { value, doubt } = parsePlainJson(JSON.stringify(message));
    return doubt === null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Who the transport's own authentication says it is. */
function callerOf(extra: unknown): string | undefined {
  const info = (extra as { authInfo?: { clientId?: unknown; extra?: Record<string, unknown> } } | undefined)
    ?.authInfo;
  const subject = info?.extra?.sub ?? info?.extra?.subject ?? info?.clientId;
  return typeof subject === 'string' && subject !== '' ? subject : undefined;
}
