// A recorded session in which every secret of the corpus appears wherever a host or a program can put one. Afterwards
// none of them is in any file under the state, configuration and runtime directories: entries, packs, sessions, head,
// notes of what was missed, the service's log.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { plantedSecrets, tokens } from '../corpus/redact/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { type Input, newProject, type Project, post } from './recorded-project.ts';

// Some thousand events, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 240_000 });

const planted = plantedSecrets();
/** Made once: each asking makes others. */
const TOKENS = tokens();
/** Of a key over several lines, one of its lines. */
const core = (secret: string): string => secret.split('\n')[1] ?? secret;
const secrets = [
  ...new Set([...planted.map(({ secret }) => secret), ...TOKENS.map(({ secret }) => core(secret))]),
];
/** In every event, and no secret: what shows that the search finds what is there. */
const CANARY = 'canary-4711-may-be-seen';

function expectNone(project: Project): void {
  const needles = secrets.map((secret) => ({ secret, escaped: JSON.stringify(secret).slice(1, -1) }));
  const leaks: string[] = [];
  for (const { path, bytes } of project.files()) {
    const text = bytes.toString('latin1');
    for (const { secret, escaped } of needles) {
      if (text.includes(secret) || text.includes(escaped) || path.includes(secret))
        leaks.push(`${path.slice(project.root.length)}: ${escaped.slice(0, 40)}`);
    }
  }
  expect(leaks).toEqual([]);
}

function expectSeen(project: Project): void {
  const seen = [...project.files()].filter(({ bytes }) => bytes.includes(CANARY));
  expect(seen.length).toBeGreaterThan(0);
}

/** One text in everything that Claude Code can say. */
function everywhere(host: ClaudeSession, text: string, at: number): Input[] {
  const id = `c${at}`;
  const args = { command: `echo ${CANARY}` };
  const response = (stdout: string) => ({ stdout, stderr: text, interrupted: false, isImage: false });
  const file = { file_path: `/home/dev/${text}/a.txt`, content: `${CANARY} ${text}` };
  const elsewhere = new ClaudeSession(`${host.id}-${at}`, `/home/dev/${text}`);
  return [
    host.prompt(`${CANARY} ${text}`),
    host.prompt(`<task-notification>${text}</task-notification>`),
    host.call(id, { command: text, nested: [{ deep: text }], [text]: text }),
    host.asks({ command: text }),
    host.result(id, { command: text, nested: [{ deep: text }], [text]: text }, 'Bash', {
      tool_response: response(text),
    }),
    host.failure(`${id}f`, `Exit code 1\n${text}`),
    host.call(text, args, text, { agent_id: text, [text]: text, note: text, mcp_server: { name: text } }),
    host.event('PermissionDenied', { tool_name: 'Bash', tool_input: args, tool_use_id: text, reason: text }),
    host.call(`${id}w`, file, 'Write'),
    host.result(`${id}w`, file, 'Write', { tool_response: { ...file, type: 'create', originalFile: text } }),
    host.batch(`unseen ${text}`),
    host.event('SubagentStart', { agent_id: text, agent_type: text }),
    host.event('SubagentStop', { agent_id: text, agent_type: text, last_assistant_message: text }),
    host.event('PreCompact', { trigger: text, custom_instructions: text }),
    host.event('ConfigChange', { source: text, file_path: `/etc/${text}` }),
    host.event('Notification', { message: text, title: text }),
    host.event(text, { [text]: text }),
    host.stop(`${CANARY} ${text}`),
    { ...elsewhere.start(text), transcript_path: `/home/dev/${text}.jsonl`, model: text },
    elsewhere.end(text),
    `${JSON.stringify(host.call(id, { command: text })).slice(0, -2)}`,
    `not JSON at all: ${text}`,
    JSON.stringify([text]),
    { ...host.call(id), tool_name: [text] },
  ];
}

describe('K3, K4: no secret is kept', () => {
  it('of what a host sends over HTTP, in whatever member', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const host = new ClaudeSession('s');
    for (let at = 0; at < TOKENS.length; at += 12) {
      const twelve = TOKENS.slice(at, at + 12).map(({ secret }) => secret);
      const events = everywhere(host, twelve.join(' | '), at);
      const answers = await Promise.all(events.map((event) => post(serving, 'claude-code', event)));
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    }
    // Every text of the corpus, as a member, in a list, as a name, and in prose.
    for (let at = 0; at < planted.length; at += 10) {
      const texts = planted.slice(at, at + 10).map(({ text }) => text);
      const args = { texts, named: Object.fromEntries(texts.map((text) => [text, { note: text }])) };
      await post(serving, 'claude-code', host.call(`chunk-${at}`, args, 'mcp__x__y'));
      await post(
        serving,
        'claude-code',
        host.result(`chunk-${at}`, args, 'mcp__x__y', { tool_response: args }),
      );
      await Promise.all(texts.slice(0, 3).map((text) => post(serving, 'claude-code', host.prompt(text))));
    }
    expectSeen(project);
    await project.expectIntact();
    expect([...project.files()].filter(({ path }) => path.startsWith(project.runtime))).toEqual([]);
    const counted = project.recorded().filter(({ payload }) => payload.redacted !== undefined);
    expect(counted.length).toBeGreaterThan(1.5 * TOKENS.length);
    // Killed, it leaves nothing behind either.
    process.kill(serving.pid, 'SIGKILL');
    await new Promise((resolve) => serving.child.on('exit', resolve));
    expectNone(project);
  });

  it('of what a host hands to hooks, and to hook processes', async () => {
    const project = await newProject();
    const host = new ClaudeSession('s');
    const texts = TOKENS.map(({ secret }) => secret);
    // One text at the places that hold one, all of them where a text may be long.
    const all = texts.join('\n\n');
    const events = everywhere(host, texts[0] ?? '', 0);
    events.push(
      host.prompt(all),
      host.failure('all', `Exit code 1\n${all}`),
      host.event('Later', { texts }),
      all,
    );
    for (const event of events) expect(await project.tell('claude-code', event)).toMatchObject({ code: 0 });
    for (const event of [...events.slice(0, 3), ...events.slice(-4)])
      expect(await project.hook('claude-code', event)).toMatchObject({ code: 0 });
    expectNone(project);
    expectSeen(project);
    await project.expectIntact();
  });

  it('where the ledger can not be written: not in the notes, nor in what is told of them later', async () => {
    const project = await newProject();
    const serving = await project.serve();
    const host = new ClaudeSession('s');
    await post(serving, 'claude-code', host.prompt(CANARY));
    const ledger = join(project.directory, 'ledger');
    const kept = project.entries();
    rmSync(ledger, { recursive: true });
    for (let at = 0; at < TOKENS.length; at += 18) {
      const six = [0, 3, 6, 9, 12, 15].map((more) => TOKENS[at + more]?.secret ?? '');
      project.settings(at % 4 === 0 ? 'observe' : 'guard');
      const events = everywhere(host, six.join(' | '), at);
      await Promise.all(events.map((event) => post(serving, 'claude-code', event)));
      if (at === 0)
        for (const secret of six.slice(0, 3)) await project.hook('claude-code', host.call(secret));
    }
    expect(kept.length).toBeGreaterThan(1);
    const notes = [...project.files()].filter(({ path }) => path.startsWith(project.runtime));
    expect(notes.some(({ bytes }) => bytes.length > 1000)).toBe(true);
    expectNone(project);
  });

  it('of a configuration that can not be understood: parsers quote what they stumble over', async () => {
    const project = await newProject();
    const tree = join(project.root, 'tree');
    mkdirSync(tree);
    const [{ secret = '' } = {}] = TOKENS;
    const host = new ClaudeSession('s', tree);
    for (const text of [`redact: [${secret}`, `${secret}: yes`, `content: ${secret}`]) {
      writeFileSync(join(tree, 'counterfoil.yaml'), text);
      const guard = await project.hook('claude-code', host.call('c1'), { mode: 'guard' });
      expect(guard.stdout).toContain('"permissionDecision":"deny"');
      expect(await project.tell('claude-code', host.call('c2'))).toMatchObject({ code: 0, stdout: '' });
    }
    rmSync(tree, { recursive: true }); // it is the user's own file
    await project.tell('claude-code', host.call('c3'));
    expect(project.recorded().some(({ kind }) => kind === 'gap')).toBe(true);
    expectNone(project);
  });

  it('of what a program records of itself: arguments, results, errors, intent, notes, files', async () => {
    const project = await newProject();
    const recorder = await openRecorder({ place: project.located, cwd: project.work, role: 'executor' });
    for (const { secret } of TOKENS.slice(0, 5)) void recorder.prompt(`before the session: ${secret}`);
    const session = await recorder.session();
    for (const { secret } of TOKENS) {
      await session.prompt(`${CANARY} ${secret}`);
      const words = { intent: secret, notes: secret, planHash: secret, phaseId: secret, invariantId: secret };
      const told = { role: secret, toolUseId: secret, ...words };
      await session.tool('echo', { text: secret, [secret]: [secret] }, async () => ({ out: secret }), told);
      const failing = session.tool(secret, secret, async () => {
        throw Object.assign(new Error(secret, { cause: new Error(secret) }), {
          code: secret,
          detail: secret,
        });
      });
      await expect(failing).rejects.toThrow();
      const file = { path: `/home/dev/${secret}`, members: ['content'] };
      await session.tool('write', { content: secret, path: file.path }, async () => secret, { file });
      await session.response(secret);
    }
    await session.end({ reason: TOKENS[0]?.secret ?? '' });
    await recorder.close();
    expectNone(project);
    expectSeen(project);
    await project.expectIntact();
  });

  it.each(['none', 'encrypt'] as const)('with content: %s', async (content) => {
    const project = await newProject();
    writeFileSync(join(project.work, 'counterfoil.yaml'), `content: ${content}\n`);
    const serving = await project.serve();
    const host = new ClaudeSession('s', project.work);
    for (let at = 0; at < 12; at += 3) {
      const three = TOKENS.slice(at, at + 3).map(({ secret }) => secret);
      const events = everywhere(host, three.join(' | '), at);
      await Promise.all(events.map((event) => post(serving, 'claude-code', event)));
    }
    const prompts = project.recorded().filter(({ kind }) => kind === 'prompt');
    expect(prompts.length).toBeGreaterThan(0);
    expectNone(project);
    const entry: JsonObject | undefined = prompts[0]?.payload;
    if (content === 'none') expect(entry?.text).toBeNull();
    else expect(entry?.text).toMatchObject({ type: expect.stringContaining('encrypted') });
    for (const { bytes } of project.files()) expect(bytes.includes(CANARY)).toBe(false);
  });
});
