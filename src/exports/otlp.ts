// Spans as OTLP has them in JSON: the JSON mapping of ExportTraceServiceRequest, with ids in hex, enumerations as
// numbers and 64-bit integers as strings. A line is one request, which is what files of OTLP JSON hold.

/** A typed value. */
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export const SPAN_KIND = { internal: 1, client: 3 } as const;
export const SPAN_STATUS = { unset: 0, ok: 1, error: 2 } as const;

// Members of payloads may be anything: what is not of its type has no attribute.

export function text(key: string, value: unknown): OtlpAttribute[] {
  return typeof value === 'string' && value !== '' ? [{ key, value: { stringValue: value } }] : [];
}

export function texts(key: string, values: readonly string[]): OtlpAttribute[] {
  if (values.length === 0) return [];
  return [{ key, value: { arrayValue: { values: values.map((value) => ({ stringValue: value })) } } }];
}

export function integer(key: string, value: unknown): OtlpAttribute[] {
  return Number.isSafeInteger(value) ? [{ key, value: { intValue: `${value}` } }] : [];
}

export function double(key: string, value: unknown): OtlpAttribute[] {
  return typeof value === 'number' && Number.isFinite(value) ? [{ key, value: { doubleValue: value } }] : [];
}

export function flag(key: string, value: unknown): OtlpAttribute[] {
  return typeof value === 'boolean' ? [{ key, value: { boolValue: value } }] : [];
}

/** The last millisecond, in 2554, whose nanoseconds are an unsigned 64-bit number. */
const LAST = 18_446_744_073_709;

/** Nanoseconds, from milliseconds; what lies outside of what can be said is moved to its edge. */
export function unixNano(milliseconds: number): string {
  return milliseconds > 0 ? `${Math.min(milliseconds, LAST)}000000` : '0';
}

/** Ids are never all zeros: that would be none. */
export function idOf(hex: string, digits: number): string {
  const id = hex.slice(0, digits);
  return /^0*$/.test(id) ? '1'.padStart(digits, '0') : id;
}

/** A request with these spans, each as its JSON, by the service they are of; a line with its `\n`. */
export function encodeOtlpRequest(
  spans: ReadonlyMap<string, readonly string[]>,
  scope: { readonly name: string; readonly version: string },
  resource: readonly OtlpAttribute[],
): string {
  const services = [...spans].map(([service, list]) => {
    const attributes = JSON.stringify([...text('service.name', service), ...resource]);
    return `{"resource":{"attributes":${attributes}},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[${list.join(',')}]}]}`;
  });
  return `{"resourceSpans":[${services.join(',')}]}\n`;
}
