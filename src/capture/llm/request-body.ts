// Reads the body of a request. What all readers take for the same value is read as its API means it. Of all else nobody
// can say what the upstream will make of it, so it is recorded as it came: one message of the role `body`.
import { asItCame, isObject, type Json, type JsonDoubt, parsePlainBytes } from '../../core/index.ts';
import type { ModelMessage, ModelRequest } from '../../record/index.ts';
import type { Api } from './api.ts';

export interface ReadRequest {
  readonly request: ModelRequest;
  /** Null where it is read as its API means it. */
  readonly doubt: JsonDoubt | 'not-an-object' | 'encoded' | null;
}

/** `body` is decoded. Never throws. */
export function readRequest(api: Api, body: Uint8Array, path: string): ReadRequest {
  if (body.length === 0) return { request: api.request(null, path), doubt: null };
  const { value, doubt } = parsePlainBytes(body);
  if (value === undefined) return unread(body, doubt ?? 'not-json');
  if (doubt === null && (isObject(value) || api.name === 'other'))
    return { request: api.request(value, path), doubt: null };
  if (doubt === null) return unread(body, 'not-an-object');
  // These two are read alike, but for a character or a digit: what they say of calls and results counts.
  if (doubt === 'lone-surrogate' && isObject(value))
    return { request: inEscapes(api.request(value, path)), doubt };
  if (doubt === 'inexact-number' && isObject(value)) {
    const request = api.request(value, path);
    return { request: { ...request, messages: [whole(body), ...request.messages] }, doubt };
  }
  return unread(body, doubt);
}

/** Of a body in a coding that can't be undone here, or that is no JSON: the bytes themselves. */
export function unread(body: Uint8Array, doubt: NonNullable<ReadRequest['doubt']>): ReadRequest {
  return {
    request: { model: null, stream: false, messages: [whole(body)], tools: null, parameters: {} },
    doubt,
  };
}

function whole(body: Uint8Array): ModelMessage {
  return { role: 'body', value: asItCame(body) };
}

/** Half a surrogate pair can't be kept as a character, but as the escape that it is in JSON. */
function inEscapes({ messages, tools, parameters, ...request }: ModelRequest): ModelRequest {
  return {
    ...request,
    messages: messages.map((message) => ({ ...message, value: escaped(message.value) })),
    tools: tools === null ? null : escaped(tools),
    parameters: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, escaped(value)])),
  };
}

function escaped(value: Json): Json {
  const text = JSON.stringify(value);
  return /\\ud[89a-f]/.test(text) ? text : value;
}
