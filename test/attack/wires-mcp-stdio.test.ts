// `foil mcp wrap` between a hostile client and a hostile server. Whatever a lenient server takes for a call is on record
// before it has it; whatever a client may take for the answer is on record before that; and neither side can make the
// proxy hang, grow or break the ledger. Where only the bytes matter the proxy runs in this process.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { type LineClient, type RawClient, wrapped, wrappedHere } from '../e2e/mcp-client.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';
import { manyCalls, peakOf } from './many-calls.ts';

const LENIENT = join(import.meta.dirname, 'lenient-server.mjs');

interface Wrapped<Client extends LineClient = LineClient> {
  readonly project: Project;
  readonly client: Client;
  marks(): string[];
  of(kind: string): { readonly payload: Record<string, unknown>; readonly seq: number }[];
}

/** The proxy as a process. */
async function wrap(
  env: NodeJS.ProcessEnv = {},
  server = [process.execPath, LENIENT],
): Promise<Wrapped<RawClient>> {
  const project = await newProject();
  return between(project, (marks) => wrapped(project, { MARKS: marks, ...env }, server));
}

/** The proxy in this process. */
async function wrapHere(): Promise<Wrapped> {
  const project = await newProject();
  return between(project, (marks) => wrappedHere(project, { MARKS: marks }, [process.execPath, LENIENT]));
}

function between<Client extends LineClient>(
  project: Project,
  connect: (marks: string) => Client,
): Wrapped<Client> {
  const marks = join(project.root, 'marks');
  return {
    project,
    client: connect(marks),
    marks: () => (existsSync(marks) ? readFileSync(marks, 'utf8').split('\n').filter(Boolean) : []),
    of: (kind) => project.entries().filter((entry) => entry.kind === kind),
  };
}

const call = (id: string, args = '{}'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":${args}}}`;
const say = (client: LineClient, id: Json, bytes: string | Buffer): void =>
  client.call(id, 't', { bytes: Buffer.from(bytes).toString('base64') });
const result = (id: string, more = '{"content":[]}'): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${more}}\n`;

describe('what a lenient server takes for a call is on record first', () => {
  it.each<[string, string | Buffer]>([
    ['no newline at the end of input', call('1')],
    ['a carriage return for a newline', `${call('1')}\r${call('2')}\r\n`],
    ['invalid UTF-8 in it', Buffer.from(`${call('1', '{"a":"\xff\xfe\xc3"}')}\n`, 'latin1')],
    ['a mark of byte order', `\ufeff${call('1')}\n`],
    ['a number that is none', `${call('1', '{"a":NaN}')}\n`],
    ['capitals', `${call('1').replace('"method"', '"METHOD"')}\n`],
    ['escapes', `${call('1').replace('tools/call', '\\u0074ools\\/call')}\n`],
    ['escapes in the name', `${call('1').replace('"method"', '"m\\u0065thod"')}\n`],
    ['a list', `[${call('1')},{"jsonrpc":"2.0","id":2,"method":"ping"},${call('"1"')}]\n`],
    ['a list in a list', `[[${call('1')}]]\n`],
    ['a member twice', `${call('1').replace('"id"', '"method":"ping","id"')}\n`],
    ['null for an id', `${call('null')}\n`],
    ['no id', `${call('1').replace('"id":1,', '')}\n`],
    ['an id that is a list', `${call('[1]')}\n`],
    ['an id as long as a page', `${call(`"${'i'.repeat(100_000)}"`)}\n`],
    [
      'members of every object',
      `${call('1', '{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}').replace('"jsonrpc"', '"__proto__":{"method":"x"},"jsonrpc"')}\n`,
    ],
    ['a depth of 100,000', `${call('1', '['.repeat(100_000) + ']'.repeat(100_000))}\n`],
    ['references to content', `${call('1', '{"$content":"x"}')}\n`],
    ['a name as long as a page', `${call('1').replace('"t"', `"${'t'.repeat(200_000)}"`)}\n`],
    [
      'a long id of its host',
      `${call('1').replace('"arguments"', `"_meta":{"claudecode/toolUseId":"${'u'.repeat(200_000)}"},"arguments"`)}\n`,
    ],
    ['zero bytes and blanks before it', `\0\n\n  \t ${call('1')}\n`],
  ])('with %s', async (_, bytes) => {
    const { client, project, marks, of } = await wrapHere();
    await client.until(() => client.stderr.includes('ready'));
    client.stdin.write(bytes);
    const { code } = await client.end();
    expect(code).toBe(0);
    expect(marks().length).toBeGreaterThan(0);
    const calls = of('tool.call').length;
    const seen = of('observation').filter(({ payload }) => payload.event === 'stdin').length;
    // Each is a call on record, or all of the line is, as something that nobody can tell.
    if (seen === 0) expect(calls).toBe(marks().length);
    expect(calls + seen).toBeGreaterThan(0);
    expect(of('tool.result')).toHaveLength(calls);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    await project.expectIntact();
  });

  it('a line of 50 MB that is no plain message is refused, and the next is served', async () => {
    const { client, marks } = await wrap();
    client.send(`${call('1').replace('"id"', `"x":"${'x'.repeat(50_000_000)}","method":"ping","id"`)}\n`);
    await client.until(() => client.stdout.includes('AUDIT_UNREADABLE'));
    client.call(2, 't');
    await client.answer(2);
    await client.end();
    expect(marks()).toEqual(['2']);
  });
});

describe('ids', () => {
  it('of every kind belong to their own calls', async () => {
    const { client, of, project } = await wrap();
    const ids = ['1', '"1"', '2.5', '1.50', '9007199254740992', '""', '-0', '1e3', '"\\u0061"'];
    for (const id of ids) client.send(`${call(id)}\n`);
    await client.until(() => client.messages().length === ids.length);
    await client.end();
    expect(of('tool.result').map(({ payload }) => payload.result)).toEqual(ids.map(() => 'ok'));
    const idOf = ({ payload }: { payload: Record<string, unknown> }): unknown =>
      (payload.mcp as { request_id: string }).request_id;
    expect(of('tool.call').map(idOf)).toEqual(ids);
    await project.expectIntact();
  });

  it.each<[string, string, string, string | null]>([
    ['in another spelling', '1', '1.0', null],
    ['as a power', '100', '1e2', null],
    ['in escapes', '"a"', '"\\u0061"', null],
    ['of another type', '1', '"1"', 'unknown-id'],
    ['that is null', '1', 'null', null],
    ['of nobody', '1', '77', 'unknown-id'],
  ])('an answer under one %s', async (_, id, given, problem) => {
    const { client, of, project } = await wrapHere();
    client.send(`${call(id, `{"bytes":"${Buffer.from(result(given)).toString('base64')}"}`)}\n`);
    await client.until(() => client.stdout.includes('result'));
    await client.end();
    const answers = of('observation').filter(({ payload }) => payload.event === 'response');
    const results = of('tool.result').map(({ payload }) => payload.result);
    expect(results).toEqual([answers.length === 0 ? 'ok' : 'aborted']);
    if (problem !== null) expect(answers.map(({ payload }) => payload.problem)).toEqual([problem]);
    await project.expectIntact();
  });

  it('of requests of the server collide with those of the client, and stay apart', async () => {
    const { client, of } = await wrapHere();
    const asked = '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\n';
    say(client, 1, asked);
    await client.until(() => client.stdout.includes('sampling'));
    // The client's answer to the server's 1, then the server's to the client's 1.
    client.send(result('1', '{"role":"assistant"}'));
    say(client, 2, result('1') + result('2'));
    await client.answer(2);
    await client.end();
    expect(of('tool.result').map(({ payload }) => payload.result)).toEqual(['ok', 'ok']);
    expect(of('observation').filter(({ payload }) => payload.problem !== null)).toEqual([]);
  });

  it('used by ten calls at once are answered in order, and the eleventh answer is one too many', async () => {
    const { client, of } = await wrapHere();
    for (let i = 0; i < 10; i++) client.call(5, 't');
    client.call(6, 't');
    await client.answer(6);
    say(client, 7, result('5') + result('7'));
    await client.answer(7);
    await client.end();
    expect(of('tool.result').filter(({ payload }) => payload.result === 'ok')).toHaveLength(12);
    const problems = of('observation').map(({ payload }) => payload.problem);
    expect(problems).toContain('answered-twice');
  });
});

describe('a server that', () => {
  it.each<[string, Buffer]>([
    ['prints junk', Buffer.from(`listening on 3000\n\x1b[1mhi\x1b[0m\r\nno end`)],
    ['prints what is not UTF-8', Buffer.from([0xff, 0xfe, 0x0a, 0x80, 0x00, 0x0a])],
    ['prints deep JSON', Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`)],
    ['prints lone brackets', Buffer.from('{\n}\n[\n]\n"\n')],
    ['prints a thousand lines', Buffer.from('log line\n'.repeat(1000))],
    [
      'names members of every object',
      Buffer.from('{"__proto__":{"a":1},"method":"__proto__","id":"__proto__"}\n'),
    ],
  ])('%s: the client has it byte for byte, the ledger a part, and calls go on', async (_, junk) => {
    const { client, of, project } = await wrapHere();
    say(client, 1, Buffer.concat([junk, Buffer.from(`\n${result('1')}`)]));
    await client.answer(1);
    client.call(2, 't');
    await client.answer(2);
    await client.end();
    expect(client.bytes.subarray(0, junk.length).equals(junk)).toBe(true);
    expect(of('tool.result').map(({ payload }) => payload.result)).toEqual(['ok', 'ok']);
    expect(of('observation').length).toBeLessThan(25);
    await project.expectIntact();
  });

  it.each<[string, string]>([
    ['in capitals', '{"jsonrpc":"2.0","ID":1,"RESULT":{}}\n'],
    ['twice in one', '{"jsonrpc":"2.0","id":1,"result":{},"result":{"content":[]}}\n'],
    ['with an error beside it', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}\n'],
    ['in a list', '[{"jsonrpc":"2.0","id":1,"result":{}}]\n'],
    ['in a list, twice', '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]\n'],
    ['with half characters', '{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}\n'],
    ['a thousand levels deep', `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(1000)}${']'.repeat(1000)}}\n`],
    ['with a reference to content', '{"jsonrpc":"2.0","id":1,"result":{"$content":"x"}}\n'],
    [
      'with numbers past all numbers',
      '{"jsonrpc":"2.0","id":1,"result":{"a":1e999,"b":123456789012345678901}}\n',
    ],
    [
      'with an error as long as a page',
      `{"jsonrpc":"2.0","id":1,"error":{"code":${'9'.repeat(5000)},"message":"${'m'.repeat(200_000)}"}}\n`,
    ],
    ['without a newline', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ])('answers %s: something of it is on record before the client has it', async (_, bytes) => {
    const { client, of, project } = await wrapHere();
    client.call(1, 't', { bytes: Buffer.from(bytes).toString('base64'), exit: 0 });
    await client.ended;
    expect(client.stdout).toBe(bytes);
    const results = of('tool.result').map(({ payload }) => payload.result);
    expect(results).toHaveLength(1);
    if (results[0] === 'aborted') expect(of('observation').length).toBeGreaterThan(0);
    await project.expectIntact();
  });

  it('changes its tools under way is a finding, however it does it', async () => {
    const { client, of } = await wrapHere();
    const lists: Json[][] = [
      [{ name: 'a', description: 'reads' }, { name: 'b' }],
      [{ name: 'b' }, { name: 'a', description: 'reads' }],
      [{ name: 'a', description: 'reads, and sends it on' }, { name: 'b' }],
      [{ name: 'a', description: 'reads, and sends it on' }, { name: 'b' }, { name: 'b', x: 1 }],
      [{ name: '__proto__' }, { name: 'constructor' }, { name: '' }, 7, null],
      [{ name: 'p', description: 'x'.repeat(5_000_000) }],
    ];
    for (const [i, tools] of lists.entries()) {
      client.send({ jsonrpc: '2.0', method: 'notifications/list', params: { tools } });
      client.send({ jsonrpc: '2.0', id: i, method: 'tools/list' });
      await client.until(() => client.messages().some(({ id }) => id === i));
    }
    await client.end();
    const seen = of('observation').filter(({ payload }) => payload.event === 'tools/list');
    expect(seen.map(({ payload }) => payload.problem)).toEqual([
      null,
      null,
      'tools-changed',
      'tools-changed',
      'tools-changed',
      // Too long to be compared, and not passed over.
      null,
    ]);
    expect(seen.at(-1)?.payload.content_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  describe.runIf(process.platform === 'linux')('writes faster than the client reads', () => {
    it.each([
      ['messages', `{"jsonrpc":"2.0","method":"notifications/message"}\n`],
      ['short lines', 'x\n'],
      ['blank lines', '\n'],
      ['no lines', 'x'],
    ])('%s: it is slowed down, and nothing piles up', async (_, piece) => {
      const { client, project } = await wrap();
      client.call(0, 't');
      await client.answer(0);
      const before = peakOf(client.child.pid);
      client.child.stdout?.pause();
      const size = 300_000_000;
      client.call(1, 't', { flood: { size, piece } });
      // It stops writing: no new line on its standard error for a while, and nothing more to be put on record.
      let last = '';
      for (let quiet = 0; quiet < 3; ) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        const seen = `${client.stderr.length} ${project.entries().length}`;
        quiet = seen === last ? quiet + 1 : 0;
        last = seen;
      }
      expect(client.stderr).not.toContain('flooded');
      expect(peakOf(client.child.pid) - before).toBeLessThan(100_000_000);
      client.child.kill('SIGKILL');
    });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'ignores %s with a call open goes on, and ends when it likes',
    async (signal) => {
      const { client, of, project } = await wrap({ STUBBORN: '1' });
      client.call(1, 't', { bytes: '' });
      await client.until(() => client.stderr.includes('ready'));
      client.call(2, 't');
      await client.answer(2);
      client.child.kill(signal);
      await client.until(() => client.stderr.includes(`got ${signal}`));
      client.call(3, 't');
      await client.answer(3);
      expect(await client.end()).toEqual({ code: 0, signal: null });
      expect(of('tool.result').map(({ payload }) => [payload.result, payload.error_code])).toEqual([
        ['ok', null],
        ['ok', null],
        ['aborted', 'SERVER_EXITED'],
      ]);
      await project.expectIntact();
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'leaves a child behind that keeps its output open: a signal ends the proxy',
    async () => {
      const { client, of } = await wrap({}, ['sh', '-c', 'sleep 300 & echo $! $$ >&2; exit 4']);
      await client.until(() => /\d+ \d+\n/.test(client.stderr));
      const [orphan = 0, server] = client.stderr.trim().split(' ').map(Number);
      try {
        while (existsSync(`/proc/${server}`)) await new Promise(setImmediate);
        client.child.kill('SIGTERM');
        await once(client.child, 'exit');
        expect(client.child.exitCode).toBe(4);
        expect(of('session.end')).toHaveLength(1);
      } finally {
        process.kill(orphan, 'SIGKILL');
      }
    },
  );
});

describe('a client that', () => {
  it('closes its input with calls open has their answers all the same', async () => {
    const { client, of } = await wrap();
    for (let i = 0; i < 50; i++) client.call(i, 't');
    expect(await client.end()).toEqual({ code: 0, signal: null });
    expect(client.messages()).toHaveLength(50);
    expect(of('tool.result').filter(({ payload }) => payload.result === 'ok')).toHaveLength(50);
  });

  it('closes its output: the server meets a closed pipe, and nothing hangs', async () => {
    const { client, of, project } = await wrap();
    client.call(1, 't');
    await client.answer(1);
    client.child.stdout?.destroy();
    client.call(2, 't', { flood: { size: 5_000_000, piece: 'x\n' } });
    await once(client.child, 'exit');
    expect(of('session.end')).toHaveLength(1);
    await project.expectIntact();
  });

  it.skipIf(process.platform !== 'linux')(
    'says 9 MB of small calls at once: bounded, each on record or refused',
    () => manyCalls(300),
  );
});
