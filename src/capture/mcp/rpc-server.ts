// A small MCP server over lines of JSON: initialize, ping, the list of tools and their calls. What it offers is given; it
// knows nothing of what the tools do. A client may be anything: what is not understood is an error with its id.
import { addAbortSignal, type Readable } from 'node:stream';
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { RecordError } from '../../record/index.ts';
import { withoutWayPast } from '../../rules/index.ts';
import { Lines } from './lines.ts';
import { memberAt } from './message.ts';
import { refusalOf } from './refusal.ts';

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly readOnly: boolean;
  /** Throws ToolFailure for what the caller should hear, RecordError for what could not be recorded. */
  run(args: JsonObject): Promise<Json>;
}

/** A call that came to nothing, with a word for programs. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ServeOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ToolOffer[];
  /** Called with whatever else is asked for, which is not done. RecordError where that could not be recorded. */
  readonly refused: (name: string, args: Json, why: ToolFailure) => Promise<void>;
  readonly input: Readable;
  /** As if the input had ended. */
  readonly stop?: AbortSignal;
  readonly write: (line: string) => void;
}

const VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const LONGEST = 16 * 1024 * 1024;

/** Resolves when the input has ended and every call was answered. */
export async function serveTools(options: ServeOptions): Promise<void> {
  const lines = new Lines(LONGEST);
  const running = new Set<Promise<void>>();
  const take = (bytes: Uint8Array, long: boolean): void => {
    if (long) {
      options.write(encode(null, { error: { code: INVALID_REQUEST, message: 'the message is too long' } }));
      return;
    }
    const done = answer(Buffer.from(bytes).toString('utf8'), options).finally(() => running.delete(done));
    running.add(done);
  };
  try {
    const input = options.stop === undefined ? options.input : addAbortSignal(options.stop, options.input);
    for await (const chunk of input as AsyncIterable<Uint8Array>)
      for (const { bytes, long, last } of lines.push(chunk)) if (last) take(bytes, long);
  } catch (error) {
    if (options.stop?.aborted !== true) throw error;
  }
  for (const { bytes, long } of lines.end()) take(bytes, long);
  while (running.size > 0) await Promise.all(running);
}

async function answer(line: string, options: ServeOptions): Promise<void> {
  if (line.trim() === '') return;
  let message: Json;
  try {
    message = JSON.parse(line) as Json;
  } catch {
    options.write(encode(null, { error: { code: PARSE_ERROR, message: 'not JSON' } }));
    return;
  }
  if (!isObject(message) || typeof message.method !== 'string') {
    if (memberAt(message, 'result') === undefined && memberAt(message, 'error') === undefined)
      options.write(encode(null, { error: { code: INVALID_REQUEST, message: 'not a request' } }));
    return;
  }
  const { id, method, params } = message;
  if (typeof id !== 'string' && typeof id !== 'number') {
    // Nobody waits for an answer: a notification, or a call that is not made.
    if (method.startsWith('notifications/')) return;
    const why = new ToolFailure('NOT_ANSWERABLE', 'a call has an id.');
    const { name, args } = calledBy(method, params);
    await options.refused(name, args, why).catch(() => undefined);
    return;
  }
  options.write(encode(id, await respond(message.method, message.params, options)));
}

type Response = { readonly result: Json } | { readonly error: JsonObject };

async function respond(method: string, params: Json | undefined, options: ServeOptions): Promise<Response> {
  if (method === 'initialize') {
    const asked = memberAt(params, 'protocolVersion');
    const protocolVersion = VERSIONS.find((version) => version === asked) ?? String(VERSIONS[0]);
    const { name, version, instructions } = options;
    const serverInfo = { name, version };
    return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions } };
  }
  if (method === 'ping') return { result: {} };
  if (method === 'tools/list') return { result: { tools: options.tools.map(listed) } };
  const { name, args } = calledBy(method, params);
  const tool = method === 'tools/call' ? options.tools.find((each) => each.name === name) : undefined;
  if (tool !== undefined && isObject(args)) return call(tool, args);
  const [code, why] =
    method !== 'tools/call'
      ? [METHOD_NOT_FOUND, new ToolFailure('METHOD_NOT_FOUND', `there is no ${method}`)]
      : tool === undefined
        ? [INVALID_PARAMS, new ToolFailure('UNKNOWN_TOOL', `there is no tool ${name}`)]
        : [INVALID_PARAMS, new ToolFailure('INVALID_ARGUMENT', 'arguments must be an object')];
  try {
    await options.refused(name, args, why);
  } catch (error) {
    if (error instanceof RecordError) return { error: { ...refusalOf(`${error.code}: ${error.message}`) } };
    throw error;
  }
  return { error: { code, message: why.message } };
}

/** What is called, and with what: of other methods the method itself. */
function calledBy(method: string, params: Json | undefined): { readonly name: string; readonly args: Json } {
  if (method !== 'tools/call') return { name: method, args: params ?? null };
  const name = memberAt(params, 'name');
  return {
    name: typeof name === 'string' && name !== '' ? name : method,
    args: memberAt(params, 'arguments') ?? {},
  };
}

async function call(tool: ToolOffer, args: JsonObject): Promise<Response> {
  try {
    const value = await tool.run(args);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const structured = isObject(value) ? { structuredContent: value } : {};
    return { result: { content: [{ type: 'text', text }], ...structured } };
  } catch (error) {
    if (error instanceof RecordError) return { error: { ...refusalOf(`${error.code}: ${error.message}`) } };
    const code = error instanceof ToolFailure ? error.code : 'TOOL_ERROR';
    const message = withoutWayPast(error instanceof Error ? error.message : String(error));
    return {
      result: {
        isError: true,
        content: [{ type: 'text', text: `${code}: ${message}` }],
        structuredContent: { error: { code, message } },
      },
    };
  }
}

function listed({ name, description, inputSchema, readOnly }: ToolOffer): Json {
  return { name, description, inputSchema, annotations: { readOnlyHint: readOnly, openWorldHint: false } };
}

function encode(id: string | number | null, response: Response): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, ...response })}\n`;
}
