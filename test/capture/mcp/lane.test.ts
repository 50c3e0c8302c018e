// A lane hands on what it is given: the same bytes in the same order, split and held up however, and nothing early.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conversation } from '../../../src/capture/mcp/conversation.ts';
import { Lane } from '../../../src/capture/mcp/lane.ts';
import { Lines } from '../../../src/capture/mcp/lines.ts';
import type { Direction } from '../../../src/capture/mcp/message.ts';
import { FakeRecorder } from './fake-recorder.ts';

const LONGEST = 64;

function newLane(direction: Direction, recorder = new FakeRecorder(), longest = LONGEST) {
  const out: Buffer[] = [];
  const replies: string[] = [];
  const conversation = new Conversation(recorder, { server: 'test' });
  const lane = new Lane({
    direction,
    conversation,
    write(bytes) {
      out.push(Buffer.from(bytes));
      return undefined;
    },
    reply: (line) => void replies.push(Buffer.from(line).toString()),
    longest,
  });
  return { lane, conversation, recorder, replies, text: () => Buffer.concat(out).toString('latin1') };
}

function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, at) => bytes.subarray(places[at], to));
}

const call = (id: number, message = 'hi'): string =>
  `{"method":"tools/call","params":{"name":"echo","arguments":{"message":"${message}"}},"jsonrpc":"2.0","id":${id}}\n`;

/** Lets everything that can go on do so. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await undefined;
}

describe('lines', () => {
  it('K9a put together are what was cut', () => {
    const stream = fc.array(fc.constantFrom(0x0a, 0x0d, 0x61, 0xff, 0x7b), { maxLength: 200 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(300)), fc.integer({ min: 1, max: 20 }), (list, cuts, longest) => {
        const bytes = Uint8Array.from(list);
        const lines = new Lines(longest);
        const given = [...pieces(bytes, cuts).flatMap((piece) => [...lines.push(piece)]), ...lines.end()];
        expect(Buffer.concat(given.map((piece) => piece.bytes)).equals(bytes)).toBe(true);
        for (const piece of given) {
          if (!piece.long) expect(piece.bytes.length).toBeLessThanOrEqual(longest);
          expect(piece.bytes.subarray(0, -1).includes(0x0a)).toBe(false);
        }
      }),
    );
  });
});

describe.each<Direction>(['to-server', 'to-client'])('a lane %s', (direction) => {
  it('K9a hands on the same bytes, of messages, junk and long lines, split anywhere', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        call(1),
        call(2, 'y'.repeat(200)),
        '{"jsonrpc":"2.0","method":"notifications/message"}\r\n',
        '{"jsonrpc":"2.0","id":"a","result":{}}\n',
        `{"jsonrpc":"2.0","id":"b","result":{"content":"${'z'.repeat(100)}"}}  \r\n`,
        '[{"id":7,"method":"tools/call"},{"method":"ping","id":8}]\n',
        '\n',
        ' \r\n',
      ),
      // A long line that is no JSON does not go to a server.
      direction === 'to-client'
        ? fc.constantFrom('listening\n', `${'log '.repeat(40)}\n`, '{"half":\n', '\u00e9\n')
        : fc.constantFrom('listening\n', '{"half":\n', '\u00e9\n'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.nat(2000), { maxLength: 30 }),
        fc.boolean(),
        async (list, cuts, torn) => {
          const given = Buffer.from(torn ? list.join('').replace(/\n$/, '') : list.join(''));
          const { lane, text } = newLane(direction);
          for (const piece of pieces(given, cuts)) lane.push(piece);
          await lane.end();
          expect(text()).toBe(given.toString('latin1'));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a lane to the server', () => {
  it('K9a, K8a: hands on a call only once it is on record, and what comes behind it only then', async () => {
    const { lane, recorder, text } = newLane('to-server', new FakeRecorder(), 1000);
    const release = recorder.hold();
    const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}\n';
    lane.push(Buffer.from(ping + call(1) + ping));
    await settle();
    expect(text()).toBe(ping);
    release();
    await lane.end();
    expect(text()).toBe(ping + call(1) + ping);
    expect(recorder.calls()).toHaveLength(1);
  });

  it('K9e, K8a: of a line too long to be held sends all but what makes it a message, until it is on record', async () => {
    const { lane, recorder, text } = newLane('to-server');
    const release = recorder.hold();
    const long = call(1, 'x'.repeat(500));
    for (const byte of Buffer.from(long)) lane.push(Uint8Array.of(byte));
    await settle();
    expect(text()).toBe(long.slice(0, -2));
    expect(() => JSON.parse(text())).toThrow();
    release();
    await lane.end();
    expect(text()).toBe(long);
    const [recorded] = recorder.calls();
    expect(recorded).toMatchObject({ tool: 'echo', args: null, digest: { bytes: long.length - 1 } });
    expect(recorded?.digest?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('K8a answers with an error, under the id as it was sent, a call that can not be recorded', async () => {
    const { lane, recorder, replies, text } = newLane('to-server', new FakeRecorder(), 1000);
    recorder.failing = () => true;
    lane.push(Buffer.from(call(1).replace('"id":1', '"id":"a\\u0062"')));
    lane.push(Buffer.from('{"jsonrpc":"2.0","id":9,"method":"ping"}\n'));
    await lane.end();
    expect(text()).toBe('{"jsonrpc":"2.0","id":9,"method":"ping"}\n');
    expect(replies).toHaveLength(1);
    expect(replies[0]).toContain('"id":"a\\u0062"');
    expect(JSON.parse(replies[0] ?? '')).toMatchObject({
      jsonrpc: '2.0',
      id: 'ab',
      error: {
        message: expect.stringMatching(/^AUDIT_APPEND_FAILED: /),
        data: { code: 'AUDIT_APPEND_FAILED' },
      },
    });
  });

  it('K8a ends a long line that can not be recorded where it is no message, and goes on with the next', async () => {
    const { lane, recorder, replies, text } = newLane('to-server');
    recorder.failing = () => true;
    const long = call(1, 'x'.repeat(500));
    const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}\n';
    for (const piece of pieces(Buffer.from(long + ping), [100, 300, 580])) lane.push(piece);
    await lane.end();
    const [first, ...rest] = text().split('\n');
    expect(long.startsWith(first ?? '')).toBe(true);
    expect(() => JSON.parse(first ?? '')).toThrow();
    expect(rest.join('\n')).toBe(ping);
    expect(JSON.parse(replies[0] ?? '')).toMatchObject({
      id: 1,
      error: { data: { code: 'AUDIT_APPEND_FAILED' } },
    });
  });

  it.each([
    ['is no JSON', `{"id":1,method:"tools/call"}\n`, 'not-json'],
    ['names its method twice', `{"id":1,"method":"ping","method":"tools/call"}\n`, 'ambiguous'],
    [
      'has a carriage return in it',
      `{"id":1,"method":"ping","x":\r{"method":"tools/call"}\r}\n`,
      'carriage-return',
    ],
    ['holds two messages', `{"id":1,"method":"ping"} {"id":2,"method":"tools/call"}\n`, 'not-json'],
  ])('K8a puts on record, before it goes on, a line that %s', async (_, line, problem) => {
    const { lane, recorder, replies, text } = newLane('to-server', new FakeRecorder(), 1000);
    const release = recorder.hold();
    lane.push(Buffer.from(line));
    await settle();
    expect(text()).toBe('');
    release();
    await lane.end();
    expect(text()).toBe(line);
    expect(recorder.observations()).toMatchObject([{ event: 'stdin', problem }]);
    recorder.failing = () => true;
    lane.push(Buffer.from(line));
    await lane.end();
    expect(text()).toBe(line);
    expect(replies).toHaveLength(1);
  });

  it.each([
    ['two messages', `${call(1, 'x'.repeat(100)).trimEnd()} ${call(2).trimEnd()}\n`],
    ['a carriage return', `{"id":1,"method":"ping","x":"${'x'.repeat(100)}",\r"y":1}\n`],
    ['no JSON', `{"id":1,"method":"ping","x":"${'x'.repeat(100)}",}\n`],
    ['a name twice', `{"id":1,"method":"ping","x":"${'x'.repeat(100)}","method":"tools/call"}\n`],
  ])('K8a lets nothing whole through of a long line with %s in it', async (_, line) => {
    for (let cut = 1; cut < line.length; cut += 7) {
      const { lane, replies, text } = newLane('to-server');
      for (const piece of pieces(Buffer.from(line), [cut])) lane.push(piece);
      await lane.end();
      for (const part of text().split(/[\r\n]/)) {
        let parsed: unknown;
        try {
          parsed = JSON.parse(part);
        } catch {
          continue;
        }
        // The first of two messages is one that was recorded.
        expect(parsed).toMatchObject({ id: 1, method: 'tools/call' });
      }
      expect(replies.join('')).toContain('AUDIT_UNREADABLE');
    }
  });
});

describe('a lane to the client', () => {
  const answer = (text: string): string =>
    `{"result":{"content":[{"type":"text","text":"${text}"}]},"jsonrpc":"2.0","id":1}\n`;

  async function asked(longest = LONGEST) {
    const made = newLane('to-client', new FakeRecorder(), longest);
    const up = new Lane({
      direction: 'to-server',
      conversation: made.conversation,
      write: () => undefined,
      reply: () => undefined,
    });
    up.push(Buffer.from(call(1)));
    await up.end();
    return made;
  }

  it.each([
    ['short', 'yes'],
    ['long', 'y'.repeat(500)],
  ])('K8b delivers a %s answer only once it is on record', async (_, text) => {
    const { lane, recorder, text: out } = await asked(200);
    const release = recorder.hold();
    lane.push(Buffer.from(answer(text)));
    await settle();
    expect(out() === '' || out() === answer(text).slice(0, -2)).toBe(true);
    release();
    await lane.end();
    expect(out()).toBe(answer(text));
    expect(recorder.ends()).toMatchObject([{ result: 'ok' }]);
  });

  it.each([
    ['short', 'yes'],
    ['long', 'y'.repeat(500)],
  ])('K8b gives the error in place of a %s answer that can not be recorded', async (_, text) => {
    const { lane, recorder, text: out } = await asked(200);
    recorder.failing = () => true;
    lane.push(Buffer.from(answer(text)));
    await lane.end();
    const lines = out().split('\n').filter(Boolean);
    const messages = lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
    expect(messages).toMatchObject([{ id: 1, error: { data: { code: 'AUDIT_APPEND_FAILED' } } }]);
  });

  it('puts answers of our own between lines, never into a long one', async () => {
    const { lane, text } = newLane('to-client');
    lane.push(Buffer.from(`{"method":"x","params":"${'a'.repeat(100)}`));
    lane.inject(Buffer.from('{"ours":1}\n'));
    lane.push(Buffer.from('"}\n'));
    await lane.end();
    expect(text()).toBe(`{"method":"x","params":"${'a'.repeat(100)}"}\n{"ours":1}\n`);
  });
});
