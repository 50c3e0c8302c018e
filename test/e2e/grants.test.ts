// Grants from the proposal to the refusal: accepted by an operator, held against each call by the hooks of a real agent's
// form, and judged again from the entries.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  encodeVerifierKey,
  type Json,
  type JsonObject,
  makeSigner,
  type VerifierKey,
} from '../../src/core/index.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import { acceptGrants } from '../../src/ledger/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { CODES } from '../../src/verify/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { httpHere, wrapped, wrappedHere } from './mcp-client.ts';
import { newProject, type Project } from './recorded-project.ts';

const GRANTS = ['fs:read:src/**', 'process:exec:cat'];
const AUTHORITY: readonly string[] = Object.entries(CODES).flatMap(([code, { facet }]) =>
  facet === 'authority' ? [code] : [],
);

async function foil(project: Project, words: readonly string[], exit = 0): Promise<JsonObject> {
  const { code, stdout, stderr } = await project.foil([...words, '--ledger', project.directory, '--json']);
  expect({ code, stderr: code === exit ? '' : stderr + stdout }).toEqual({ code: exit, stderr: '' });
  return JSON.parse(stdout) as JsonObject;
}

async function granted(
  mode: 'observe' | 'guard',
  allow = GRANTS,
  deny: readonly string[] = [],
): Promise<Project> {
  const project = await newProject();
  project.settings(mode);
  mkdirSync(join(project.work, 'src'));
  writeFileSync(join(project.work, 'src/a'), 'a\n');
  writeFileSync(join(project.root, 'b'), 'b\n');
  propose(project, allow, deny);
  await foil(project, ['operator', 'init', '--no-passphrase']);
  await foil(project, ['grants', 'accept']);
  return project;
}

function propose({ work }: Project, allow: readonly string[], deny: readonly string[] = []): void {
  const lists = Object.entries({ allow, deny }).map(
    ([name, texts]) => `  ${name}: ${JSON.stringify(texts)}\n`,
  );
  writeFileSync(join(work, 'counterfoil.yaml'), `grants:\n${lists.join('')}`);
}

/** What the host hears of a call: null where it may be made. */
async function ask(
  project: Project,
  host: ClaudeSession,
  id: string,
  args: Json,
  tool = 'Bash',
): Promise<string | null> {
  const { stdout } = await project.tell('claude-code', host.call(id, args, tool));
  if (stdout === '') return null;
  const { hookSpecificOutput: said } = JSON.parse(stdout) as { hookSpecificOutput: JsonObject };
  expect(said.permissionDecision).toBe('deny');
  return String(said.permissionDecisionReason);
}

async function begin(project: Project, id = 's'): Promise<ClaudeSession> {
  const host = new ClaudeSession(id, project.work);
  await project.tell('claude-code', host.start());
  await project.tell('claude-code', host.prompt('look around'));
  return host;
}

const authority = async (project: Project) =>
  (await verifyDirectory(project.directory, { threads: 0 })).facets.authority;

describe('grants in guard', () => {
  it('O4 let a call through that they cover, and refuse every way around them', async () => {
    const project = await granted('guard');
    symlinkSync(project.root, join(project.work, 'src/up'));
    const host = await begin(project);
    expect(await ask(project, host, 'ok', { command: 'cat src/a' })).toBeNull();
    await project.tell('claude-code', host.result('ok', { command: 'cat src/a' }));
    const refused: [Json, string][] = [
      ['cat ../b', 'Bash'],
      ['cat src/up/b', 'Bash'],
      ['cp src/a c', 'Bash'],
      ['cat src/a > c', 'Bash'],
      ['echo "$(cat ../b)"', 'Bash'],
      ['echo ../b | xargs cat', 'Bash'],
      [`python3 -c 'open("../b")'`, 'Bash'],
      ['PATH=.:$PATH cat src/a', 'Bash'],
    ].map(([command = '', tool = '']) => [{ command }, tool]);
    refused.push(
      [{ file_path: join(project.root, 'b') }, 'Read'],
      [{ file_path: join(project.work, 'src/up/b') }, 'Read'],
      [{ file_path: join(project.work, 'src/a'), content: 'x' }, 'Write'],
      [{ pattern: '*', path: project.root }, 'Glob'],
      [{ url: 'https://example.org/', prompt: 'x' }, 'WebFetch'],
      [{ path: '/etc/shadow' }, 'mcp__files__read_file'],
      [{ todos: [] }, 'TodoWrite'],
      [{ file_path: '~/.profile' }, 'Read'],
      [{ file_path: ' /etc/passwd' }, 'Read'],
      [{ file_path: ['src/a'] }, 'Read'],
      [{}, 'Read'],
      [{ command: 'cat a', workdir: '..' }, 'Bash'],
      [{ command: 'cat ~/a' }, 'Bash'],
      [{ query: 'example.org' }, 'WebSearch'],
    );
    for (const [i, [args, tool]] of refused.entries())
      expect(await ask(project, host, `no${i}`, args, tool), JSON.stringify(args)).toMatch(
        /^Counterfoil refuses this: the call needs .*, which the grants of this session don't allow\.$/,
      );
    const entries = project.entries();
    expect(entries.filter(({ kind }) => kind === 'tool.denied')).toHaveLength(refused.length);
    expect(await authority(project)).toMatchObject({
      status: 'pass',
      message: `${refused.length + 1} calls checked against the grants of their sessions, and everything that ran was within them. ${refused.length} calls refused.`,
    });
    const session = entries.find(({ kind }) => kind === 'tool.denied')?.session_id ?? '';
    const audited = await foil(project, ['audit', 'run', session, '--check-capabilities']);
    const { denials, denied } = audited.capabilities as { denials: number; denied: JsonObject[] };
    expect([denials, denied.length]).toEqual([refused.length, refused.length]);
    expect(denied[0]).toMatchObject({
      entry: expect.any(Number),
      call: 'Bash  cat ../b',
      needs: [`fs:read:${join(project.root, 'b')}`],
    });
    await project.expectIntact();
  });

  it('O3 refuse a tool without a name, and one with a character that nobody sees', async () => {
    const project = await granted('guard', ['tool:call:**', 'mcp:call:srv/get_*']);
    const host = await begin(project);
    expect(await ask(project, host, '1', {}, 'mcp__srv__get_x')).toBeNull();
    for (const tool of ['', 'a\u200b', 'mcp__srv__get_x\u200b', 'p\u0430ypal', 'paypal\ufe0f', 'a/../b'])
      expect(await ask(project, host, `no${tool}`, {}, tool), tool).toMatch(
        /don't allow: no grant can name this tool, because (?:its|a part of its) name/,
      );
    for (const tool of ['раураӏ', 'mcp____x'])
      expect(await ask(project, host, `no${tool}`, {}, tool), tool).toMatch(/don't allow\.$/);
    const address = { url: 'evil.example.org' };
    expect(await ask(project, host, 'url', address, 'WebFetch')).toContain('needs network:get:**');
    // What enforces and what judges it afterwards are of one mind.
    expect(await authority(project)).toMatchObject({ status: 'pass', findings: [] });
  });

  it('O7 are not said to cover what a program did by itself', async () => {
    const project = await granted('guard', ['process:exec:make']);
    const host = await begin(project);
    expect(await ask(project, host, '1', { command: 'make' })).toBeNull();
    expect((await authority(project)).findings.map(({ code }) => code)).toEqual(['AMBIENT']);
    const at = ['--ledger', project.directory];
    const session = project.entries().find(({ kind }) => kind === 'tool.call')?.session_id ?? '';
    const audited = await project.foil(['audit', 'run', session, '--check-capabilities', ...at]);
    expect(audited.stdout).toContain('? Nobody can say whether all tool calls had required capabilities\n');
    expect(audited.stdout).not.toContain('✓ All tool calls');
    const searched = await project.foil(['grants', 'check', '--all', ...at]);
    expect(searched).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('? No call outside the grants was found in all sessions, but'),
    });
    expect(searched.stdout).not.toContain('✓');
  });

  it('O2 stay what they were while a session is open, and are new for the next', async () => {
    const project = await granted('guard');
    const host = await begin(project);
    propose(project, ['process:exec:**', 'fs:*:/**']);
    // What the file proposes counts for nothing by itself.
    expect(await ask(project, host, '1', { command: 'cat ../b' })).toMatch(/don't allow/);
    await foil(project, ['grants', 'accept']);
    expect(await ask(project, host, '2', { command: 'cat ../b' })).toMatch(/don't allow/);
    const next = await begin(project, 'next');
    expect(await ask(project, next, '3', { command: 'cat ../b' })).toBeNull();
    expect((await authority(project)).findings).toEqual([]);
  });

  it('O4 refuse a write through a link whose target is not there yet', async () => {
    const project = await granted('guard', ['fs:*:src/**', 'process:exec:cat']);
    symlinkSync('../../new', join(project.work, 'src/out'));
    const host = await begin(project);
    expect(await ask(project, host, '1', { command: 'cat src/a > src/out' })).toContain(
      `fs:write:${join(project.root, 'new')}`,
    );
    const args = { file_path: join(project.work, 'src/out'), content: 'x' };
    expect(await ask(project, host, '2', args, 'Write')).toMatch(/don't allow/);
    expect(await ask(project, host, '3', { command: 'cat src/a > src/in' })).toBeNull();
  });

  it('O4 begin at the work tree in which the session began, wherever the agent goes', async () => {
    const project = await granted('guard', ['fs:read:**', 'process:exec:*']);
    const secret = join(project.work, 'src/nested');
    mkdirSync(join(secret, '.git'), { recursive: true });
    writeFileSync(join(project.work, 'src/nested/s'), 'x\n');
    const host = await begin(project);
    const at = async (id: string, cwd: string, command: string): Promise<string | null> =>
      ask(project, new ClaudeSession(host.id, cwd), id, { command });
    expect(await at('1', project.root, 'cat b')).toMatch(/don't allow/);
    expect(await at('2', '/', 'cat etc/hostname')).toMatch(/don't allow/);
    expect(await at('3', secret, 'cat s')).toBeNull();
    const roots = project
      .entries()
      .flatMap(({ kind, payload }) =>
        kind === 'tool.call' ? [(payload.authority as JsonObject | undefined)?.root] : [],
      );
    expect(new Set(roots)).toEqual(new Set([project.work]));
  });

  it('O4 hold although what is noted of them was removed', async () => {
    const project = await granted('guard');
    rmSync(join(project.directory, 'sessions/foil.grants'));
    const host = await begin(project);
    expect(await ask(project, host, '1', { command: 'cat ../b' })).toMatch(/don't allow/);
  });
});

describe('grants of a key that the user does not know', () => {
  const stranger = makeSigner('operator', new Uint8Array(32).fill(8));
  const wide = { allow: ['fs:*:/**', 'process:exec:**', 'mcp:call:**'], deny: [] };
  async function forge({ directory }: Project): Promise<void> {
    const store = openFileStore(directory);
    await acceptGrants({ store }, wide, stranger);
    await store.close();
  }

  it('O2 loosen nothing, by hooks and wires, and a person is told', async () => {
    const project = await granted('guard');
    await forge(project);
    const host = new ClaudeSession('s', project.work);
    const { stdout } = await project.tell('claude-code', host.start());
    expect(stdout).toContain("accepted grants, and that key isn't an operator's here");
    expect(await ask(project, host, '1', { command: 'cat ../b' })).toMatch(/don't allow/);
    expect(await ask(project, host, '2', { command: 'cat src/a' })).toBeNull();
    const client = wrapped(project);
    client.call(1, 'echo', { text: 'hi' });
    expect(await client.answer(1)).toMatchObject({ error: { data: { code: 'CALL_NOT_GRANTED' } } });
    await client.end();
    const by = encodeVerifierKey(stranger as VerifierKey);
    const { in_force, unknown } = await foil(project, ['grants', 'explain']);
    expect([in_force, unknown]).toMatchObject([{ allow: GRANTS }, { ...wide, accepted_by: by }]);
    expect(await foil(project, ['status'])).toMatchObject({
      grants: { hash: expect.any(String), unknown: true },
    });
    const findings = (await authority(project)).findings.map(({ code }) => code);
    expect(findings).not.toContain('GRANTS_FOREIGN');
  });
});

describe('grants of MCP servers', () => {
  it('O4 let the wrapper refuse a tool with a code of its own, and the server never sees the call', async () => {
    const project = await granted('guard', ['mcp:call:test/echo']);
    const client = wrapped(project);
    client.call(1, 'echo', { text: 'hi' });
    expect(await client.answer(1)).toHaveProperty('result');
    client.call(3, 'echo\ufe0f', { text: 'hi' });
    expect(await client.answer(3)).toMatchObject({
      error: { code: -32091, message: expect.stringContaining('no grant can name this tool') },
    });
    client.call(2, 'exit', { code: 9 });
    expect(await client.answer(2)).toMatchObject({
      error: {
        code: -32091,
        data: { code: 'CALL_NOT_GRANTED' },
        message: expect.stringContaining('mcp:call:test/exit'),
      },
    });
    expect(await client.end()).toEqual({ code: 0, signal: null });
    const calls = project.entries().filter(({ kind }) => kind === 'tool.call');
    expect(calls.map(({ payload }) => (payload.authority as JsonObject).verdict)).toEqual([
      'allow',
      'deny',
      'deny',
    ]);
    expect(await authority(project)).toMatchObject({ status: 'pass', findings: [] });
  });
});

/** Each may call `exit`, which nobody granted, as some reader takes it. `ID` stands for an id. */
const UNCLEAR = [
  '{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo","name":"exit","arguments":{"code":9}}}',
  '{"jsonrpc":"2.0","id":ID,"method":"ping","method":"tools/call","params":{"name":"exit","arguments":{"code":9}}}',
  '{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo"},"params":{"name":"exit"}}',
  '{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo","Name":"exit"}}',
  '{"jsonrpc":"2.0","id":ID,"method":"ping"}\r{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"exit"}}',
];

describe('messages that can be read in several ways', () => {
  it('O4 reach no server where grants are in force, and are denied on record', async () => {
    const project = await granted('guard', ['mcp:call:**']);
    const client = wrappedHere(project);
    for (const [i, line] of UNCLEAR.entries()) {
      client.send(`${line.replace('ID', `${i + 10}`)}\n`);
      expect(await client.answer(i + 10), line).toMatchObject({
        error: { code: -32091, data: { code: 'CALL_NOT_GRANTED' } },
      });
    }
    client.send('// x\r{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exit"}}\n');
    expect(await client.answer(null)).toMatchObject({ error: { code: -32700 } });
    client.call(2, 'echo', { text: 'hi' });
    expect(await client.answer(2)).toHaveProperty('result');
    expect(await client.end()).toMatchObject({ code: 0 });
    expect(client.stderr).not.toContain('unreadable');
    const entries = project.entries();
    const calls = entries.filter(({ kind, payload }) => kind === 'tool.call' && payload.tool === 'stdin');
    expect(calls).toHaveLength(UNCLEAR.length + 1);
    for (const { payload } of calls)
      expect(payload.authority).toMatchObject({
        verdict: 'deny',
        missing: ['mcp:call:test/**'],
        unread: "its message can't be read in exactly one way",
      });
    expect(entries.filter(({ kind }) => kind === 'tool.denied')).toHaveLength(calls.length);
    expect(await authority(project)).toMatchObject({ status: 'pass', findings: [] });
  });

  it('O4 reach none over HTTP either', async () => {
    const project = await granted('guard', ['mcp:call:**']);
    const seen: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (chunk) => seen.push(String(chunk)));
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { url } = await httpHere(project, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    for (const body of UNCLEAR.map((line) => line.replace('ID', '7'))) {
      const answer = await fetch(url, { method: 'POST', body });
      expect(await answer.json(), body).toMatchObject({ id: 7, error: { code: -32091 } });
    }
    expect(seen).toEqual([]);
  });

  it('O4 pass in observe, and are on record as calls that would be denied', async () => {
    const project = await granted('observe', ['mcp:call:**']);
    const client = wrappedHere(project);
    const twice = '{"name":"exit","name":"echo","arguments":{"text":"hi"}}';
    client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${twice}}\n`);
    expect(await client.answer(1)).toHaveProperty('result');
    client.send(
      `[{"jsonrpc":"2.0","id":2,"method":"ping","method":"ping"},{"jsonrpc":"2.0","id":3}]\n// x\n`,
    );
    await client.end();
    const entries = project.entries();
    const calls = entries.filter(({ kind }) => kind === 'tool.call');
    expect(calls).toHaveLength(3);
    for (const { payload } of calls)
      expect(payload).toMatchObject({ tool: 'stdin', authority: { verdict: 'would-deny' } });
    const ends = entries.filter(({ kind }) => kind === 'tool.result');
    expect(ends.map(({ payload, cause }) => [cause, payload.result, payload.error_code])).toEqual([
      [calls[0]?.seq, 'ok', null],
      [calls[1]?.seq, 'aborted', 'NOT_ANSWERABLE'],
      [calls[2]?.seq, 'aborted', 'NOT_ANSWERABLE'],
    ]);
    const { findings } = await authority(project);
    expect(findings.map(({ code, seq }) => [code, seq])).toEqual(
      calls.map(({ seq }) => ['CALL_NOT_GRANTED', seq]),
    );
    await project.expectIntact('VIOLATION');
  });

  it('O4 are would-deny over HTTP in observe', async () => {
    const project = await granted('observe', ['mcp:call:**']);
    const server = createServer((request, response) => {
      const answer = { jsonrpc: '2.0', id: 7, result: {} };
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { url } = await httpHere(project, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const body = UNCLEAR[0]?.replace('ID', '7') ?? '';
    expect(await (await fetch(url, { method: 'POST', body })).json()).toHaveProperty('result');
    const { payload, seq } = project.entries().find(({ kind }) => kind === 'tool.call') ?? {};
    expect(payload?.authority).toMatchObject({ verdict: 'would-deny', missing: ['mcp:call:test/**'] });
    const result = project.entries().find(({ kind }) => kind === 'tool.result');
    expect(result).toMatchObject({ cause: seq, payload: { result: 'ok' } });
  });
});

describe('grants of Codex', () => {
  it('O4 hold for a command only if it means the same in every folder, because Codex does not tell the folder', async () => {
    const project = await granted('guard', [...GRANTS, 'process:exec:cd']);
    const told = async (command: string): Promise<string> => {
      const event = { session_id: 'c', turn_id: 't', cwd: project.work, model: 'm', tool_name: 'Bash' };
      const call = { ...event, hook_event_name: 'PreToolUse', tool_use_id: command, tool_input: { command } };
      return (await project.tell('codex', call)).stdout;
    };
    expect(await told(`cd ${project.work} && cat src/a`)).toBe('');
    expect(await told(`cat ${project.work}/src/a`)).toBe('');
    for (const command of ['cat src/a', 'cat nothing*', `cd ${project.work}; cat src/a`])
      expect(await told(command)).toContain("doesn't say in which folder");
  });
});

describe('grants in observe', () => {
  it('G3 are in a session that says so, of an MCP server too', async () => {
    const project = await granted('observe', ['mcp:call:test/none']);
    const client = wrapped(project);
    client.call(1, 'echo', { text: 'hi' });
    expect(await client.answer(1)).toHaveProperty('result');
    expect(await client.end()).toEqual({ code: 0, signal: null });
    const start = project.entries().find(({ kind }) => kind === 'session.start');
    expect(start?.payload).toMatchObject({ mode: 'observe', capabilities: expect.any(String) });
  });

  it('O4 say what would be refused', async () => {
    const project = await granted('observe');
    const host = await begin(project);
    expect(await ask(project, host, '1', { command: 'cat ../b' })).toBeNull();
    const call = project.entries().find(({ kind }) => kind === 'tool.call');
    expect(call?.payload.authority).toMatchObject({
      verdict: 'would-deny',
      missing: [`fs:read:${project.root}/b`],
    });
    expect((await authority(project)).findings).toMatchObject([{ code: 'CALL_NOT_GRANTED', seq: call?.seq }]);
    const searched = await project.foil(['grants', 'check', '--all', '--ledger', project.directory]);
    expect(searched.stdout).toContain('1 call outside the grants. Counterfoil looked in all sessions.');
  });

  it('O4 are unknown where nobody accepted any', async () => {
    const project = await newProject();
    propose(project, GRANTS);
    const host = await begin(project);
    expect(await ask(project, host, '1', { command: 'cat ../b' })).toBeNull();
    expect(await authority(project)).toMatchObject({ status: 'unknown', findings: [] });
  });
});

describe('foil grants', () => {
  it('O3 checks what is proposed, and says where it is wrong', async () => {
    const project = await newProject();
    expect(await foil(project, ['grants', 'check'])).toEqual({ grants: null });
    propose(project, ['fs:read:../../etc']);
    const { code, stderr } = await project.foil(['grants', 'check']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('grants.allow[0]: the scope must not have . or .. in it');
    propose(project, ['network:get:127.1']);
    for (const action of ['check', 'accept'])
      expect((await project.foil(['grants', action])).stderr).toContain(
        'grants.allow[0]: calls name this host in another way: write network:get:127.0.0.1',
      );
    propose(project, ['tool:call:Bash']);
    expect((await project.foil(['grants', 'check'])).stdout).toContain(
      'Note: tool:call:Bash: a call of Bash',
    );
  });

  it('O3 tells what a command needs, and what allows it', async () => {
    const project = await granted('guard');
    expect(await foil(project, ['grants', 'check', 'cat src/a'])).toMatchObject({ allowed: true });
    expect(await foil(project, ['grants', 'check', 'cat ../b'], 1)).toMatchObject({
      allowed: false,
      needs: [
        { need: 'process:exec:cat', allowed: true, by: 'process:exec:cat' },
        { need: `fs:read:${project.root}/b`, allowed: false, by: null },
      ],
    });
  });

  it('O3 accepts once, and explains what is in force', async () => {
    const project = await granted('guard');
    expect(await foil(project, ['grants', 'accept'])).toMatchObject({ changed: false });
    expect(await foil(project, ['grants', 'explain'])).toMatchObject({
      in_force: { allow: GRANTS, deny: [] },
    });
  });
});

describe('foil grants suggest', () => {
  const USED: readonly [Json, string][] = [
    [{ command: 'cat src/a | sort > out.txt' }, 'Bash'],
    [{ pattern: 'x', path: 'src' }, 'Grep'],
    [{ url: 'https://example.org/x', prompt: 'x' }, 'WebFetch'],
    [{ todos: [] }, 'TodoWrite'],
    [{ id: 1 }, 'mcp__github__get_issue'],
  ];

  it('O3 finds what a session needed, so that the same calls are allowed and others are not', async () => {
    const project = await newProject();
    project.settings('observe');
    mkdirSync(join(project.work, 'src'));
    writeFileSync(join(project.work, 'src/a'), 'a\n');
    const host = await begin(project);
    const used: [Json, string][] = [
      ...USED,
      [{ file_path: join(project.work, 'notes.md'), content: 'x' }, 'Write'],
    ];
    for (const [i, [args, tool]] of used.entries()) await ask(project, host, `${i}`, args, tool);
    await ask(project, host, 'lost', { command: 'python3 -c "print(1)"' });
    const [session] = project.entries().flatMap(({ session_id: id }) => (id === null ? [] : [id]));
    const said = await foil(project, ['grants', 'suggest', String(session).slice(0, 12)]);
    expect(said).toMatchObject({
      grants: {
        allow: [
          'fs:read:src/**',
          'fs:write:notes.md',
          'fs:write:out.txt',
          'mcp:call:github/get_issue',
          'network:get:example.org',
          'process:exec:cat',
          'process:exec:sort',
          'tool:call:TodoWrite',
        ],
      },
      calls: used.length + 1,
      derived: used.length + 1,
      unread: [{ tool: 'Bash', why: 'python3 runs what it is told' }],
    });
    const { stdout } = await project.foil([
      'grants',
      'suggest',
      String(session),
      '--ledger',
      project.directory,
    ]);
    expect(stdout).toContain('# Not covered: entry ');
    writeFileSync(join(project.work, 'counterfoil.yaml'), stdout);
    await foil(project, ['operator', 'init', '--no-passphrase']);
    await foil(project, ['grants', 'accept']);
    project.settings('guard');
    const next = await begin(project, 'next');
    for (const [i, [args, tool]] of used.entries())
      expect(await ask(project, next, `again${i}`, args, tool), JSON.stringify(args)).toBeNull();
    const others: [Json, string][] = [
      [{ command: 'cat out.txt' }, 'Bash'],
      [{ command: 'head src/a' }, 'Bash'],
      [{ command: 'python3 -c "print(1)"' }, 'Bash'],
      [{ file_path: join(project.work, 'other.md'), content: 'x' }, 'Write'],
      [{ url: 'https://www.example.org/', prompt: 'x' }, 'WebFetch'],
      [{ id: 1 }, 'mcp__github__delete_issue'],
    ];
    for (const [i, [args, tool]] of others.entries())
      expect(await ask(project, next, `other${i}`, args, tool), JSON.stringify(args)).not.toBeNull();

    // Of a session with grants the entries themselves say what was needed; what was refused is left out.
    const guarded = project.entries().findLast(({ kind }) => kind === 'session.start')?.session_id;
    expect(await foil(project, ['grants', 'suggest', String(guarded)])).toMatchObject({
      grants: said.grants,
      refused: others.length,
      derived: 0,
      unread: [],
    });
  });

  it('O3 keeps the denials of a session, and refuses again what it refused', async () => {
    const project = await granted('guard', ['fs:read:src/**'], ['fs:*:src/.env']);
    const files = ['f1', 'f2', 'f3', 'f4', 'f5', '.env'].map((name) => join(project.work, 'src', name));
    for (const file of files) writeFileSync(file, 'x\n');
    const host = await begin(project);
    for (const [i, file] of files.entries()) await ask(project, host, `${i}`, { file_path: file }, 'Read');
    const session = String(project.entries().findLast(({ kind }) => kind === 'session.start')?.session_id);
    const args = ['grants', 'suggest', session];
    expect(await foil(project, args)).toMatchObject({
      grants: {
        allow: files.slice(0, 5).map((file) => `fs:read:src/${basename(file)}`),
        deny: ['fs:*:src/.env'],
      },
      refused: 1,
    });
    const { stdout } = await project.foil([...args, '--ledger', project.directory]);
    expect(stdout).toMatch(/^# Left out: 1 call that was refused\.$/m);
    expect(stdout).toMatch(/^ {2}deny:\n {4}- fs:\*:src\/\.env$/m);
  });
});

describe('foil operator', () => {
  it('O3 enrols and revokes others on record, and a revoked operator accepts nothing more', async () => {
    const project = await granted('guard');
    const other = makeSigner('operator', new Uint8Array(32).fill(7));
    const vkey = encodeVerifierKey(other as VerifierKey);
    expect(await foil(project, ['operator', 'enrol', vkey])).toMatchObject({ operator: vkey, changed: true });
    expect(await foil(project, ['operator', 'enrol', vkey])).toMatchObject({ changed: false });
    const { vkey: own } = await foil(project, ['operator', 'show']);
    expect(await foil(project, ['operator', 'list'])).toEqual({
      operators: [
        { vkey: own, state: 'trusted' },
        { vkey, state: 'enrolled' },
      ],
    });
    expect(await foil(project, ['operator', 'revoke', vkey])).toMatchObject({ in_force: [] });
    expect(await foil(project, ['operator', 'revoke', String(own)])).toMatchObject({ in_force: ['grants'] });
    expect(
      project
        .entries()
        .slice(-3)
        .map(({ kind }) => kind),
    ).toEqual(['operator.enrol', 'operator.revoke', 'operator.revoke']);
    propose(project, ['fs:read:**']);
    expect(await foil(project, ['grants', 'accept'], 1)).toMatchObject({ error: { code: 'KEY' } });
    expect(await foil(project, ['operator', 'enrol', vkey], 1)).toMatchObject({ error: { code: 'KEY' } });
    await foil(project, ['operator', 'enrol', 'nobody'], 2);
    await foil(project, ['operator', 'show', vkey], 2);
    expect(await foil(project, ['verify'])).toMatchObject({ facets: { authority: { findings: [] } } });
    await project.expectIntact();
  });

  it('O2 says what a revoked operator leaves in force, and of later grants that they are a revoked one’s', async () => {
    const project = await granted('guard');
    const other = makeSigner('operator', new Uint8Array(32).fill(7));
    const vkey = encodeVerifierKey(other as VerifierKey);
    const accepted = async (allow: string[]): Promise<void> => {
      const store = openFileStore(project.directory);
      await acceptGrants({ store }, { allow, deny: [] }, other);
      await store.close();
    };
    const say = async (...words: string[]): Promise<string> =>
      (await project.foil([...words, '--ledger', project.directory])).stdout;
    await foil(project, ['operator', 'enrol', vkey]);
    await accepted(GRANTS);
    expect(await say('operator', 'revoke', vkey)).toMatch(
      /The grants in force were accepted by that key \(entry \d+\) and stay in force\. .*foil grants explain/,
    );
    expect(await foil(project, ['grants', 'accept'])).toMatchObject({ changed: true });
    expect(await foil(project, ['grants', 'accept'])).toMatchObject({ changed: false });
    await accepted(['fs:read:**']);
    expect(await say('status')).toContain('accepted by an operator who had been revoked');
    const explained = await say('grants', 'explain');
    expect(explained).toContain('that operator had been revoked before');
    expect(explained).not.toContain('add it');
  });
});

describe('a bundle of a run with grants', () => {
  async function bundled(project: Project, host: ClaudeSession): Promise<string[]> {
    await project.tell('claude-code', host.end());
    await foil(project, ['checkpoint']);
    const file = join(project.root, 'run.bundle');
    await foil(project, ['bundle', 'create', '--out', file]);
    const { stdout } = await project.foil(['verify', file, '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { code: string; level: string }[] };
    return findings
      .filter(({ code }) => AUTHORITY.includes(code))
      .map(({ code, level }) => `${code} ${level}`);
  }

  it('O4 fails where a call went outside of them', async () => {
    const project = await granted('observe');
    const host = await begin(project);
    await ask(project, host, '1', { command: 'cat ../b' });
    await project.tell('claude-code', host.result('1', { command: 'cat ../b' }));
    expect(await bundled(project, host)).toEqual(['CALL_NOT_GRANTED fail']);
  });

  it('O4 has nothing against calls within them, and tells what programs did by themselves', async () => {
    const project = await granted('guard', [...GRANTS, 'process:exec:make']);
    const host = await begin(project);
    expect(await ask(project, host, '1', { command: 'cat src/a && make' })).toBeNull();
    await project.tell('claude-code', host.result('1', { command: 'cat src/a && make' }));
    expect(await ask(project, host, '2', { command: 'cat ../b' })).not.toBeNull();
    expect(await bundled(project, host)).toEqual(['AMBIENT note']);
  });
});
