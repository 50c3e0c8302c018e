// What the entries of a gateway say in a few words: which model was asked, what it answered, what it cost.
import type { Json, JsonObject } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import { counted, lasted, sized } from './text.ts';

export const MODEL_SUMMARIES: Readonly<Record<string, (payload: JsonObject) => string>> = {
  'model.call': ({ model, method, path, messages, request_bytes: bytes, stream }) =>
    parts(
      text(model) ?? `${text(method) ?? ''} ${text(path) ?? ''}`,
      isObject(messages) ? sent(messages) : null,
      typeof bytes === 'number' ? sized(bytes) : null,
      stream === true ? 'streamed' : null,
    ),
  'model.tool_use': ({ tool, tool_use_id: id, whole }) =>
    parts(text(tool) ?? '?', text(id), whole === false ? 'broken off' : null),
  'model.tool_result': ({ tool_use_id: id, error }) =>
    parts(text(id) ?? '?', error === true ? 'failed' : error === false ? 'ok' : null),
  'model.result': ({ result, error_code: error, status, stop_reason: stop, tokens, duration_ms: ms }) =>
    parts(
      result === 'ok' ? 'ok' : [text(result) ?? '?', text(error)].filter((each) => each !== null).join(' '),
      typeof status === 'number' && status !== 200 ? `HTTP ${status}` : null,
      text(stop),
      isObject(tokens) ? spent(tokens) : null,
      typeof ms === 'number' ? lasted(ms) : null,
    ),
  receipt: ({ id, model, status }) =>
    parts(text(id) ?? '?', text(model), typeof status === 'number' ? `HTTP ${status}` : null),
  'gateway.receipt': ({ origin, receipt }) =>
    parts(
      isObject(receipt) ? text(receipt.id) : '?',
      isObject(receipt) ? text(receipt.upstream) : null,
      `by ${text(origin) ?? '?'}`,
    ),
  'gateway.closing': ({ origin, closing }) =>
    parts(isObject(closing) ? closed(closing) : '?', `by ${text(origin) ?? '?'}`),
  'run.closing': (closing) =>
    parts(closed(closing), isObject(closing.client) ? `run ${text(closing.client.run)?.slice(0, 12)}` : null),
  'gateway.key': ({ version, public_key: key }) =>
    `version ${Number(version)}, key ${(text(key) ?? '?').slice(0, 8)}`,
};

function closed({ calls }: JsonObject): string {
  return typeof calls === 'number' ? `${counted(calls, 'model call')}` : '?';
}

/** `12 messages, 2 of them new` */
function sent({ count, kept }: JsonObject): string | null {
  if (typeof count !== 'number' || typeof kept !== 'number') return null;
  return kept === 0 ? counted(count, 'message') : `${counted(count, 'message')}, ${count - kept} new`;
}

function spent({ input, output, cache_read: read }: JsonObject): string | null {
  if (typeof input !== 'number' && typeof output !== 'number') return null;
  const cached = typeof read === 'number' && read > 0 ? ` + ${read} cached` : '';
  return `${number(input)}${cached} → ${number(output)} tokens`;
}

function number(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : '?';
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function parts(...all: readonly (string | null)[]): string {
  return all.filter((part) => part !== null && part.trim() !== '').join('  ');
}
