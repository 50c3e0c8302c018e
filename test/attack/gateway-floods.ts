// The service as a process of its own, under an upstream that sends more than anybody could hold, in pieces as small or
// packed as tightly as they come: its memory is bounded, its time grows with what came, and others are served. `scale`
// is one in the long form; in the short one what takes long to read is a part of that.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { newProject, type Project } from '../e2e/recorded-project.ts';
import { ask, entriesIn, type Reply, sse, type TestUpstream, upstream } from '../service/gateway/stage.ts';
import { rawUpstream } from './wire-ends.ts';

const EVENTS = { 'content-type': 'text/event-stream' };
const REQUEST = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] });

const event = (data: Record<string, unknown>): [string, unknown] => [String(data.type), data];
const start = (index: number, block: unknown): [string, unknown] =>
  event({ type: 'content_block_start', index, content_block: block });
const tool = (id: string): unknown => ({ type: 'tool_use', id, name: 'rm', input: {} });
const input = (index: number, text: string): [string, unknown] =>
  event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } });
const stop = (index: number): [string, unknown] => event({ type: 'content_block_stop', index });
const BEGIN = event({ type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } });
const END = event({ type: 'message_stop' });
const PLAIN = sse(BEGIN, start(0, tool('toolu_1')), input(0, '{"a":1}'), stop(0), END);

const messages = (
  on: { readonly url: string },
  options = {},
  path = 'anthropic/v1/messages',
): Promise<Reply> => ask(`${on.url}/${path}`, REQUEST, options);

/** Bytes; null where the system does not tell. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

interface Running {
  readonly project: Project;
  readonly url: string;
  readonly pid: number;
  readonly to: TestUpstream;
}

async function running(): Promise<Running> {
  const project = await newProject();
  const to = await upstream((_, response) => void response.writeHead(200, EVENTS).end(PLAIN));
  const words = ['anthropic', 'openai', 'gemini'].flatMap((name) => ['--upstream', `${name}=${to.url}`]);
  const { port, pid } = await project.serve(['--port', '0', ...words]);
  const made = { project, url: `http://127.0.0.1:${port}`, pid, to };
  for (let i = 0; i < 3; i++) await messages(made);
  return made;
}

export function floods(scale: number): void {
  const MB = 1_000_000;
  const size = (megabytes: number): string => `${megabytes * scale} MB`;
  async function* pieces(size: number, piece: Buffer): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < size; sent += piece.length) yield piece;
  }
  const flood = (size: number, piece: string, first = '', last = ''): (() => AsyncGenerator<Buffer>) =>
    async function* () {
      yield Buffer.from(first);
      yield* pieces(size, Buffer.from(piece.repeat(Math.max(1, Math.floor(65_536 / piece.length)))));
      yield Buffer.from(last);
    };
  it.each<[string, Record<string, string>, () => AsyncGenerator<Buffer>, string]>([
    [
      `sends ${size(100)} of events`,
      EVENTS,
      flood(
        100 * MB * scale,
        sse(input(0, 'x'.repeat(50_000))),
        sse(BEGIN, start(0, tool('toolu_1'))),
        sse(stop(0), END),
      ),
      'anthropic/v1/messages',
    ],
    [
      'sends 100 MB of JSON',
      { 'content-type': 'application/json' },
      flood(100 * MB, 'x', '{"a":"', '"}'),
      'anthropic/v1/messages',
    ],
    [
      'sends one event of 100 MB',
      EVENTS,
      flood(100 * MB, 'x', 'data: {"a":"', '"}\n\n'),
      'anthropic/v1/messages',
    ],
    [
      `sends ${size(50)} of lines with no data in them`,
      EVENTS,
      flood(50 * MB * scale, 'data:\n', '', '\n'),
      'openai/v1/chat/completions',
    ],
    [`sends ${size(30)} of blank lines`, EVENTS, flood(30 * MB * scale, '\n', ''), 'anthropic/v1/messages'],
    [
      'sends elements of 60 MB',
      { 'content-type': 'application/json' },
      flood(60 * MB, 'x', '[{"a":"', '"}]'),
      'gemini/v1beta/models/g:streamGenerateContent',
    ],
  ])('%s', async (_, headers, body, path) => {
    const { project, url, pid, to } = await running();
    const sent = createHash('sha256');
    to.answer = async (__, response) => {
      response.writeHead(200, headers);
      for await (const chunk of body()) {
        sent.update(chunk);
        if (!response.write(chunk)) await once(response, 'drain');
      }
      response.end();
    };
    const before = peakOf(pid);
    const got = createHash('sha256');
    const reply = await messages(
      { url },
      { keep: false, onChunk: (chunk: Buffer) => void got.update(chunk) },
      path,
    );
    expect(reply.error).toBeNull();
    expect(got.digest('hex')).toBe(sent.digest('hex'));
    // Copies of the 16 MiB that are kept to be understood; not of what went by.
    expect(peakOf(pid) - before).toBeLessThan((_.endsWith(' of events') ? 260 : 150) * MB);
    expect(entriesIn(project.directory).filter(({ kind }) => kind === 'model.result')).toHaveLength(4);
  });

  it.each<[string, string, number, number]>([
    ['events', 'text/event-stream', 400_000 * scale, 90],
    ['a body', 'application/json', 400_000 * scale, 90],
  ])('sends %s byte by byte', async (_, type, count, most) => {
    const raw = await rawUpstream(async ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`);
      const chunk = Buffer.from('1\r\nx\r\n'.repeat(5000));
      for (let sent = 0; sent < count; sent += 5000) if (!socket.write(chunk)) await once(socket, 'drain');
      socket.end('0\r\n\r\n');
    });
    const project = await newProject();
    const { port, pid: other } = await project.serve(['--port', '0', '--upstream', `anthropic=${raw.url}`]);
    await messages({ url: `http://127.0.0.1:${port}` }).catch(() => undefined);
    const before = peakOf(other);
    let bytes = 0;
    await messages(
      { url: `http://127.0.0.1:${port}` },
      {
        keep: false,
        onChunk(chunk: Buffer) {
          bytes += chunk.length;
        },
      },
    );
    expect(bytes).toBe(count);
    expect(peakOf(other) - before).toBeLessThan(most * MB);
  });

  const packed = 30 * 1024 * 1024 * scale;
  it.each([
    ['line feeds', Buffer.alloc(packed, '\n')],
    ['carriage returns behind line feeds', Buffer.concat([Buffer.alloc(packed, '\n'), Buffer.from('\r')])],
    ['line feeds behind carriage returns', Buffer.concat([Buffer.alloc(packed, '\r'), Buffer.from('\n')])],
    ['nothing at all', Buffer.alloc(200 * 1024 * 1024 * Math.max(scale, 0.25))],
    ['brackets', Buffer.alloc(30 * 1024 * 1024, '[')],
  ])('packs %s into a few bytes: passed on, and others are served', async (_, body) => {
    const { project, url, pid, to } = await running();
    const zipped = gzipSync(body);
    let asked = 0;
    to.answer = (__, response) => {
      if (asked++ > 0) response.writeHead(200, EVENTS).end(PLAIN);
      else response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }).end(zipped);
    };
    const before = peakOf(pid);
    const [bomb, other] = await Promise.all([messages({ url }), messages({ url })]);
    expect(bomb.body.equals(zipped) || other.body.equals(zipped)).toBe(true);
    expect(peakOf(pid) - before).toBeLessThan(300 * MB);
    await project.expectIntact();
  });

  it('sends citations without end: time grows with their number alone', async () => {
    const { url, to } = await running();
    const citation = sse(
      event({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation: { n: 1 } },
      }),
    );
    const body =
      sse(BEGIN, start(0, { type: 'text', text: '', citations: [] })) +
      citation.repeat(100_000 * scale) +
      sse(END);
    to.answer = (_, response) => void response.writeHead(200, EVENTS).end(body);
    const reply = await messages({ url });
    expect(reply.body.length).toBe(body.length);
  });
}
