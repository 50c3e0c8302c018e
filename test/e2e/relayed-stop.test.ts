// The end of a turn goes to the service where one of this version listens. Who listens here is the test: it sees what the
// hook tells, and answers or does not. Where nobody takes it the hook judges itself, and a process of its own seals.
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownBuild } from '../../src/app/service/own-build.ts';
import type { JsonObject } from '../../src/core/index.ts';
import {
  ANSWER_TYPE,
  type Build,
  beat,
  serviceFiles,
  socketPath,
  writeState,
} from '../../src/service/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, type Project } from './recorded-project.ts';

const agent = new ClaudeSession('relayed');
const GUARD = { mode: 'guard' } as const;

/** In the service's place. Gives what came. */
async function listen(
  project: Project,
  take: (socket: Socket) => void,
  build: Build = ownBuild(),
): Promise<{ readonly heard: () => string; readonly server: Server }> {
  const files = serviceFiles(project.directory);
  const path = socketPath(project.directory, project.env);
  mkdirSync(files.directory, { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  let text = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      text += piece.toString();
      if (text.endsWith('}')) take(socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  onTestFinished(() => void server.close());
  const started = new Date().toISOString();
  beat(files);
  writeState(files, { pid: process.pid, port: null, socket: path, ...build, started, problem: null });
  return { heard: () => text, server };
}

function answer(told: object): (socket: Socket) => void {
  const body = JSON.stringify(told);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${ANSWER_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return (socket) => void socket.write(`${head}\r\n\r\n${body}`);
}

const responses = (project: Project): number =>
  project.entries().filter(({ kind }) => kind === 'response').length;

describe('the end of a turn', () => {
  it('is the service’s to record and to answer, word for word, though the connection stays open', async () => {
    const project = await newProject();
    project.settings('guard');
    const said = { exit: 2, stdout: '{"decision":"block"}', stderr: 'grüße\n' };
    const { heard } = await listen(project, answer(said));
    const { code, stdout, stderr } = await project.hook('claude-code', agent.stop('Done.'), GUARD);
    expect({ exit: code, stdout, stderr }).toEqual(said);
    expect(heard()).toMatch(/^POST \/v1\/hook\/claude-code HTTP\/1\.1\r\n/);
    expect(heard()).toContain('"last_assistant_message":"Done."');
    expect(responses(project)).toBe(0);
  });

  it('is known by the command line, too', async () => {
    const project = await newProject();
    const { heard } = await listen(project, answer({ exit: 0, stdout: '', stderr: '' }));
    const { hook_event_name: _, ...nameless } = agent.stop('Done.');
    await project.hook('claude-code', nameless, { event: 'Stop' });
    expect(heard()).toContain('?event=Stop ');
    expect(responses(project)).toBe(0);
  });

  it('that was taken and not answered is not told twice, and in guard is refused', async () => {
    const project = await newProject();
    project.settings('guard');
    await listen(project, (socket) => void socket.destroy());
    const { code, stdout, stderr } = await project.hook('claude-code', agent.stop('Done.'), GUARD);
    expect(`${code} ${stdout}${stderr}`).toMatch(/the service (?:gave no answer|stopped)/);
    expect(`${code} ${stdout}`).toMatch(/^2 |"decision":"block"/);
    const end = agent.event('SubagentStop', { agent_id: 'a1', last_assistant_message: 'Done.' });
    const subagent = await project.hook('claude-code', end, GUARD);
    expect(JSON.parse(subagent.stdout)).toMatchObject({ decision: 'block' });
    expect(responses(project)).toBe(0);
  });

  it('that gets no answer is refused by the mode of the ledger, twice, and the next entry tells of it', async () => {
    const project = await newProject();
    project.settings('guard');
    const { server } = await listen(project, (socket) => void socket.destroy());
    // As installed: the line names the ledger, and the settings say how strict it is.
    const end = async (): Promise<JsonObject> => {
      const { code, stdout } = await project.hook('claude-code', agent.stop('Done.'));
      return { code, ...(JSON.parse(stdout) as JsonObject) };
    };
    const first = await end();
    expect(first).toMatchObject({ code: 0, decision: 'block' });
    expect(first.reason).toMatch(
      /^Counterfoil could not judge this turn: the service .+\. In guard mode no turn ends unjudged\. Wait a moment, then end your turn again/,
    );
    expect(first.systemMessage).toContain(
      'Counterfoil replaces a service that hangs for 30 seconds at the next prompt',
    );
    expect(await end()).toMatchObject({ code: 0, decision: 'block' });
    const third = await end();
    expect(third).not.toHaveProperty('decision');
    expect(third.systemMessage).toContain('could not judge this turn');
    expect(responses(project)).toBe(0);
    await new Promise((resolve) => server.close(resolve));
    await project.tell('claude-code', agent.prompt('Go on.'));
    expect(project.entries().find(({ kind }) => kind === 'gap')?.payload).toMatchObject({
      reason: 'unrecorded',
      events: 3,
      why: expect.stringContaining('the service'),
    });
  });

  it('that gets no answer in observe is let through, and the next entry tells of it', async () => {
    const project = await newProject();
    const { server } = await listen(project, (socket) => void socket.destroy());
    project.settings('observe');
    const { code, stdout } = await project.hook('claude-code', agent.stop('Done.'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    await new Promise((resolve) => server.close(resolve));
    await project.tell('claude-code', agent.prompt('Go on.'));
    expect(project.entries().map(({ kind }) => kind)).toContain('gap');
  });

  it.each<[string, (project: Project) => Promise<object>]>([
    [
      'nobody listens any more',
      async (project) => {
        const { server } = await listen(project, () => undefined);
        await new Promise((resolve) => server.close(resolve));
        return {};
      },
    ],
    [
      'the service is of another version',
      async (project) => {
        await listen(project, answer({ exit: 0, stdout: '', stderr: '' }), { version: '0.0.1' });
        return {};
      },
    ],
    [
      'the service is of another build of the same version',
      async (project) => {
        const build = { hash: '0123456789abcdef', made: 1 };
        await listen(project, answer({ exit: 0, stdout: '', stderr: '' }), { ...ownBuild(), build });
        return {};
      },
    ],
    [
      'the command line is stricter than the settings',
      async (project) => {
        await listen(project, answer({ exit: 0, stdout: '', stderr: '' }));
        return GUARD;
      },
    ],
    [
      'it belongs to a run',
      async (project) => {
        await listen(project, answer({ exit: 0, stdout: '', stderr: '' }));
        return { env: { FOIL_SESSION: 'a'.repeat(64) } };
      },
    ],
  ])('is the hook’s own where %s', async (_, prepare) => {
    const project = await newProject();
    const options = await prepare(project);
    const { code } = await project.hook('claude-code', agent.stop('Here is how it works.'), options);
    expect(code).toBe(0);
    expect(responses(project)).toBe(1);
    rmSync(serviceFiles(project.directory).state);
  });

  it('that the hook judged itself is sealed soon after, without anybody else', async () => {
    const project = await newProject();
    await project.hook('claude-code', agent.stop('Here is how it works.'));
    await vi.waitFor(async () => expect(await project.expectIntact()).toMatchObject({ unsealed: 0 }), 20_000);
  });

  it('other events are not the service’s', async () => {
    const project = await newProject();
    const { heard } = await listen(project, answer({ exit: 0, stdout: '', stderr: '' }));
    await project.hook('claude-code', agent.call('c1', { command: 'echo "hook_event_name: Stop"' }));
    expect(heard()).toBe('');
    expect(project.entries().some(({ kind }) => kind === 'tool.call')).toBe(true);
  });
});

it('the end of a session is sealed when its hook ends', async () => {
  const project = await newProject();
  await project.hook('claude-code', agent.event('SessionEnd', { reason: 'exit' }));
  expect(await project.expectIntact()).toMatchObject({ unsealed: 0 });
});
