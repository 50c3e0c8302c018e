// Holds lines of OTLP JSON against OpenTelemetry's own code: the protobuf messages it was generated from, and the names
// of its conventions. A member that the messages do not have, or of another type, does not come back from them.
import { createRequire } from 'node:module';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect } from 'vitest';

const require = createRequire(import.meta.url);

interface Message {
  verify(value: object): string | null;
  fromObject(value: object): object;
  encode(value: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(value: object, options: object): Request;
}

type Value = Record<string, unknown>;

export interface Attribute {
  readonly key: string;
  readonly value: Value;
}

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  events: { timeUnixNano: string; name: string; attributes: Attribute[] }[];
  droppedEventsCount: number;
  status: { code: number; message?: string };
}

export interface Request {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { scope: { name: string; version: string }; spans: Span[] }[];
  }[];
}

const message = require('@opentelemetry/otlp-transformer/build/src/generated/root').opentelemetry.proto
  .collector.trace.v1.ExportTraceServiceRequest as Message;

const NAMES = new Set<unknown>(
  Object.entries(conventions).flatMap(([name, value]) => (name.startsWith('ATTR_') ? [value] : [])),
);
const ID = { traceId: /^[0-9a-f]{32}$/, spanId: /^[0-9a-f]{16}$/, parentSpanId: /^[0-9a-f]{16}$/ };

/** The request of a line, once everything about it is right. */
export function readRequest(line: string): Request {
  const request = JSON.parse(line) as Request;
  expect(JSON.stringify(request)).toBe(line);
  // The one place where the JSON of OTLP is not that of protobuf: ids are hex, and not base64.
  const asProtobuf = JSON.parse(line, (key, value) => {
    if (!(key in ID)) return value;
    expect(value).toMatch(ID[key as keyof typeof ID]);
    expect(value).not.toMatch(/^0*$/);
    return Buffer.from(value, 'hex').toString('base64');
  }) as Request;
  const bytes = message.encode(message.fromObject(asProtobuf)).finish();
  const back = message.toObject(message.decode(bytes), { longs: String, bytes: String, json: true });
  expect(withDefaults(back)).toEqual(asProtobuf);
  for (const span of spansOf(request)) {
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    for (const { attributes } of [span, ...span.events]) checkAttributes(attributes);
  }
  for (const { resource } of request.resourceSpans) checkAttributes(resource.attributes);
  return request;
}

export function spansOf({ resourceSpans }: Request): Span[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** Attributes by name, each as the value it holds. */
export function valuesOf({ attributes }: { attributes: readonly Attribute[] }): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [held] = Object.values(value);
      const list = (held as { values?: Value[] }).values;
      return [key, list === undefined ? held : list.map((each) => Object.values(each)[0])];
    }),
  );
}

function checkAttributes(attributes: readonly Attribute[]): void {
  const keys = attributes.map(({ key }) => key);
  expect(new Set(keys).size, 'each name once').toBe(keys.length);
  for (const key of keys) expect(key.startsWith('counterfoil.') || NAMES.has(key), key).toBe(true);
  for (const { key, value } of attributes) {
    expect(Object.keys(value), key).toHaveLength(1);
    if ('intValue' in value) expect(value.intValue).toMatch(/^-?(0|[1-9]\d*)$/);
  }
}

/** Protobuf does not write what is zero or empty. */
function withDefaults(request: Request): Request {
  for (const span of spansOf(request)) {
    span.events ??= [];
    span.droppedEventsCount ??= 0;
    span.status ??= { code: 0 };
    span.status.code ??= 0;
  }
  return request;
}
