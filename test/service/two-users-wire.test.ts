// `foil mcp wrap` of a locked ledger, with two real users: the agent's has the wrapper, the server and no key; the
// service's has the ledger. What the service did not write is refused or withheld. Needs root, to be both of them.
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RawClient, SERVER } from '../e2e/mcp-client.ts';
import { expectIntact } from '../file-ledger.ts';
import { parseLines } from '../read-log.ts';
import { AGENT, asFoil, become, CLIENTS, locked, type Place, serve } from './locked-place.ts';

const FAILED = { error: { data: { code: 'AUDIT_APPEND_FAILED' } } };

/** The wrapper as the agent's client starts it. */
function wrap(
  place: Place,
  groups: readonly number[] = [CLIENTS],
): { client: RawClient; ran: () => string[] } {
  const home = join(place.base, 'agent');
  if (!existsSync(home)) mkdirSync(home);
  chownSync(home, AGENT.uid, AGENT.gid);
  const marks = join(home, 'marks');
  const words = [
    process.execPath,
    ...become(AGENT, asFoil, groups),
    '--',
    'mcp',
    'wrap',
    '--socket',
    place.socket,
    '--name',
    'test',
    '--',
    process.execPath,
    SERVER,
  ];
  // FOIL=off is not for the agent's user to say.
  const env = { PATH: process.env.PATH, HOME: home, MARKS: marks, FOIL: 'off' };
  return {
    client: new RawClient({ work: home, env }, { words }),
    ran: () => (existsSync(marks) ? readFileSync(marks, 'utf8').trim().split('\n') : []),
  };
}

function entriesOf({ ledger }: Place, kind: string) {
  const folder = join(ledger, 'ledger');
  return readdirSync(folder)
    .sort()
    .flatMap((name) => parseLines(readFileSync(join(folder, name))))
    .filter((entry) => entry.kind === kind);
}

describe.skipIf(process.getuid?.() !== 0)(
  'foil mcp wrap of a locked ledger, as two users (needs root)',
  () => {
    it('K8a, K8b: records through the service, calls before they are made and answers before they are given', async () => {
      const place = locked();
      const service = await serve(place);
      const { client, ran } = wrap(place);
      client.call(1, 'echo', { text: 'hello' });
      expect(await client.answer(1)).toMatchObject({ result: { content: [{ text: 'hello' }] } });
      expect(entriesOf(place, 'tool.result')).toHaveLength(1);
      client.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
      await client.answer(2);
      expect(await client.end()).toEqual({ code: 0, signal: null });
      expect(ran()).toEqual(['1']);
      service.process.kill('SIGTERM');
      expect(await service.ended).toEqual({ code: 0, signal: null });
      expect(entriesOf(place, 'session.start')).toMatchObject([
        { source: 'mcp', payload: { agent: 'test', mode: 'locked', pid: null, trigger: 'mcp' } },
      ]);
      const [call] = entriesOf(place, 'tool.call');
      expect(call).toMatchObject({ source: 'mcp', payload: { tool: 'echo', mcp: { request_id: '1' } } });
      expect(entriesOf(place, 'tool.result')).toMatchObject([
        { cause: call?.seq, payload: { result: 'ok' } },
      ]);
      expect(entriesOf(place, 'session.end')).toMatchObject([{ payload: { reason: 'exit', exit_code: 0 } }]);
      expect((await expectIntact(place.ledger)).counts).toMatchObject({ unsealed: 0, contentAbsent: 0 });
    });

    it('K8a, K8b, K8c: fails closed while the service is away, and tells of it when it is back', async () => {
      const place = locked();
      const first = await serve(place);
      const { client, ran } = wrap(place);
      client.call(1, 'echo', { text: 'a' });
      await client.answer(1);
      client.call(2, 'held');
      await client.until(() => client.stderr.includes('held'));
      first.process.kill('SIGKILL');
      await first.ended;
      // Its call is on record, its answer can't be: withheld. What comes then is not even made.
      client.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
      expect(await client.answer(2)).toMatchObject(FAILED);
      client.call(4, 'echo', { text: 'b' });
      expect(await client.answer(4)).toMatchObject(FAILED);
      client.send({ jsonrpc: '2.0', id: 5, method: 'ping' });
      expect(await client.answer(5)).toMatchObject({ result: {} });
      expect(ran()).toEqual(['1', '2']);
      const second = await serve(place);
      client.call(6, 'echo', { text: 'c' });
      expect(await client.answer(6)).toMatchObject({ result: {} });
      expect(await client.end()).toEqual({ code: 0, signal: null });
      second.process.kill('SIGTERM');
      await second.ended;
      expect(ran()).toEqual(['1', '2', '6']);
      const ids = entriesOf(place, 'tool.call').map(({ payload }) => payload.mcp);
      expect(ids).toMatchObject([{ request_id: '1' }, { request_id: '2' }, { request_id: '6' }]);
      // Then the end of the call that the first service has on record, which no other one can tell.
      expect(entriesOf(place, 'gap')).toMatchObject([
        { payload: { reason: 'unrecorded', events: 2 } },
        { payload: { reason: 'unrecorded', events: 1 } },
      ]);
      // It says itself that it was blind for a while.
      await expectIntact(place.ledger, ['BLIND']);
    });

    it('and a user outside the group has a server whose calls are all refused', async () => {
      const place = locked();
      await serve(place);
      const { client, ran } = wrap(place, []);
      client.call(1, 'echo', { text: 'a' });
      expect(await client.answer(1)).toMatchObject(FAILED);
      await client.end();
      expect(ran()).toEqual([]);
      expect(entriesOf(place, 'tool.call')).toEqual([]);
    });

    it('ends the session of a wrapper that was killed', async () => {
      const place = locked();
      const service = await serve(place);
      const { client } = wrap(place);
      client.call(1, 'echo', { text: 'a' });
      await client.answer(1);
      client.child.kill('SIGKILL');
      await client.ended;
      service.process.kill('SIGTERM');
      await service.ended;
      expect(entriesOf(place, 'session.end')).toMatchObject([{ payload: { reason: 'connection closed' } }]);
      await expectIntact(place.ledger);
    });
  },
);
