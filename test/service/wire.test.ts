// The wire to the service as strangers use it: whatever they send, the service goes on, says no more than a word, and
// has on record only what it was told in the right form.
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, ParseError } from '../../src/core/index.ts';
import { RecordError, type WireCall } from '../../src/record/index.ts';
import { readState, WireClient } from '../../src/service/index.ts';
import { LineTooLong, WireLines } from '../../src/service/wire-lines.ts';
import { encodeWireLine, parseWireReply, parseWireRequest } from '../../src/service/wire-message.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';

const CALL: WireCall = {
  tool: 'echo',
  args: { text: 'hello' },
  toolUseId: null,
  beside: { mcp: { server: 'test', direction: 'to-server' } },
};
const ABOUT = { agent: 'test', cwd: '/', role: null };
const HEAD = 'GET /v1/wire HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n';

const socketOf = (project: Project): string => String(readState(project.directory)?.socket);
const kinds = (project: Project): string[] => project.recorded().map(({ kind }) => kind);

/** All that comes back until the other side closes. */
async function exchange(path: string, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket: Socket = connect({ path });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  for (const piece of pieces) socket.write(piece);
  socket.end();
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const upgraded = `${HEAD}upgrade: counterfoil-wire\r\n\r\n`;
const begin = encodeWireLine({ do: 'begin', id: 1, about: ABOUT });

describe('the wire to the service', () => {
  it('K8a, K8b: has a call on record when it says so, and its result, in a session of its own', async () => {
    const project = await newProject();
    await project.serve();
    const wire = new WireClient({ socket: socketOf(project), about: ABOUT });
    const call = await wire.call(CALL);
    expect(kinds(project)).toEqual(['session.start', 'tool.call']);
    const end = {
      result: 'ok' as const,
      errorCode: null,
      output: 'hello',
      durationMs: 1,
      beside: CALL.beside,
    };
    await wire.result(call, end);
    expect(project.recorded().at(-1)).toMatchObject({ kind: 'tool.result', cause: call.seq });
    await wire.observe({ event: 'ping', problem: null, beside: CALL.beside });
    await wire.end({ reason: 'done', exitCode: 3 });
    expect(kinds(project)).toEqual([
      'session.start',
      'tool.call',
      'tool.result',
      'observation',
      'session.end',
    ]);
    expect(project.recorded().at(-1)?.payload).toMatchObject({ entries: 4 });
    expect(await project.json(project.recorded()[1], 'args')).toEqual({ text: 'hello' });
    await project.expectIntact();
  });

  it("takes no result for another connection's call", async () => {
    const project = await newProject();
    await project.serve();
    const [a, b] = [0, 1].map(() => new WireClient({ socket: socketOf(project), about: ABOUT }));
    const call = await a?.call(CALL);
    const end = { result: 'ok' as const, errorCode: null, durationMs: 1, beside: CALL.beside };
    await expect(b?.result(call ?? { seq: 0 }, end)).rejects.toBeInstanceOf(RecordError);
    const forged = encodeWireLine({ do: 'result', id: 2, seq: call?.seq ?? 0, end });
    const bye = encodeWireLine({ do: 'end', id: 3, reason: 'x', exitCode: null });
    const answers = await exchange(socketOf(project), upgraded, begin, forged, bye);
    expect(answers).toContain('{"id":2,"seq":null,"error":"AUDIT_APPEND_FAILED"}');
    expect(kinds(project)).not.toContain('tool.result');
    await a?.end();
    await b?.end();
  });

  it('closes the door to what is no message, and serves the next', async () => {
    const project = await newProject();
    await project.serve();
    const path = socketOf(project);
    expect(await exchange(path, `${HEAD}upgrade: websocket\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(path, `${HEAD}origin: http://x\r\nupgrade: counterfoil-wire\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    const call = { ...CALL, beside: { tool: 'another', mcp: {} } };
    for (const bad of [
      '{}\n',
      '[]\n',
      '\n',
      'x'.repeat(17 * 1024 * 1024),
      encodeWireLine({ do: 'call', id: 2, call }),
    ])
      expect(await exchange(path, upgraded, begin, bad)).not.toContain('"id":2');
    const wire = new WireClient({ socket: path, about: ABOUT });
    await wire.call(CALL);
    await wire.end();
    const { text } = {
      text: await exchange(path, upgraded, encodeWireLine({ do: 'call', id: 7, call: CALL }), 'x\n'),
    };
    expect(text).not.toContain(project.root);
    expect(kinds(project).filter((kind) => kind === 'tool.call')).toHaveLength(1);
  });

  it('leaves with the service, which waits for nobody', async () => {
    const project = await newProject();
    const { child } = await project.serve();
    const wire = new WireClient({ socket: socketOf(project), about: ABOUT, patienceMs: 0 });
    await wire.call(CALL);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await expect(wire.call(CALL)).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
    expect(project.recorded().at(-1)).toMatchObject({
      kind: 'session.end',
      payload: { reason: 'connection closed' },
    });
    await project.expectIntact();
  });

  it('parses what it writes, and nothing but ParseError comes out of what it does not', () => {
    const request = {
      do: 'call' as const,
      id: 1,
      call: { ...CALL, digest: undefined, file: undefined, caller: undefined },
    };
    expect(parseWireRequest(encodeWireLine(request).toString())).toEqual(request);
    const word = fc.constantFrom('begin', 'call', 'result', 'observe', 'missed', 'end', 'x');
    const member = fc.constantFrom('about', 'call', 'end', 'seen', 'missed', 'seq', 'reason', 'exitCode');
    fc.assert(
      fc.property(word, fc.dictionary(member, fc.jsonValue()), fc.string(), (name, members, text) => {
        for (const line of [JSON.stringify({ id: 1, do: name, ...members } satisfies Json), text])
          for (const parse of [parseWireRequest, parseWireReply])
            try {
              parse(line);
            } catch (error) {
              expect(error).toBeInstanceOf(ParseError);
            }
      }),
    );
  });

  it('cuts lines wherever the bytes were split, within a bound', () => {
    const lines = new WireLines(10);
    const got = [...'abc\n\nde', ...'f\n'].flatMap((byte) => lines.push(Buffer.from(byte)));
    expect(got).toEqual(['abc', '', 'def']);
    expect(() => lines.push(Buffer.from('x'.repeat(11)))).toThrow(LineTooLong);
  });
});
