// What the stand-ins for the model APIs have in common. Each API is a dialect: which requests are its own, which tools a
// request offers, and how a reply is written, streamed or whole.
import type { ServerResponse } from 'node:http';
import type { Reply } from './script.ts';

export interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly [name: string]: unknown;
}

export interface Asked {
  readonly path: string;
  readonly body: Body;
}

export interface Dialect {
  readonly isTurn: (path: string) => boolean;
  readonly tools: (body: Body) => readonly string[];
  readonly answer: (asked: Asked, reply: Reply, response: ServerResponse) => void;
  /** Other requests that a host makes and needs an answer to. */
  readonly aside?: (path: string) => unknown;
}

let ids = 0;

/** Another one each time: hosts join what they get by it. */
export function newId(prefix: string): string {
  ids += 1;
  return `${prefix}_${ids.toString(36).padStart(24, '0')}`;
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Server-sent events. Those with a name say it in the event line, too. */
export function sendEvents(
  response: ServerResponse,
  events: readonly (readonly [name: string | null, data: unknown])[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [name, data] of events) {
    if (name !== null) response.write(`event: ${name}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

/** The member `name` of each, where it is a text. */
export function textsOf(list: readonly unknown[], name: string): string[] {
  return list
    .map((each) => (each as Record<string, unknown>)[name])
    .filter((text) => typeof text === 'string');
}
