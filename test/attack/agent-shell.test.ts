// An agent that runs our own command in its shell, however it got there: the command looks where it comes from.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { insideOf } from '../../src/app/hook/inside-call.ts';
import { assertOutside } from '../../src/cli/own-commands.ts';
import { readSettings } from '../../src/ledger/index.ts';
import { ancestorsOf, processFact } from '../../src/session/index.ts';
import { FOIL } from '../cli/foil.ts';
import { type Guarded, guardedProject } from './guarded-project.ts';

/** What a child of this process sees above it. */
const CHILD = [process.pid];

/** A host that is this process: what is started from here is inside. */
async function hosted(mode: 'observe' | 'guard' = 'guard'): Promise<Guarded> {
  const guarded = await guardedProject(mode, { pid: process.pid });
  await guarded.tell(guarded.agent.start());
  await guarded.tell(guarded.agent.prompt('Fix it'));
  return guarded;
}

function run({ project }: Guarded, words: readonly string[], { program = process.execPath, env = {} } = {}) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: project.work,
    env: { ...project.env, ...env },
    encoding: 'utf8',
  });
  return { status, text: `${stdout}${stderr}` };
}

const refused = ({ project }: Guarded) =>
  project.recorded().filter(({ kind, payload }) => kind === 'config.change' && payload.what === 'refused');

describe('foil pause from inside a recorded session', () => {
  it('is refused in guard, though nobody read the command line, and that is on record', async () => {
    const guarded = await hosted();
    const { project } = guarded;
    const { status, text } = run(guarded, [FOIL, 'pause', '30m', '--ledger', project.directory]);
    expect(status).toBe(1);
    expect(text).toMatch(/foil refused it and recorded the attempt/);
    expect(text).not.toMatch(/foil (?:pause|mode|uninstall)|FOIL=/);
    expect(existsSync(join(project.runtime, 'pause'))).toBe(false);
    const [entry] = refused(guarded);
    expect(entry?.payload).toMatchObject({ command: 'foil pause', agent: 'claude-code', by: 'process' });
    expect(entry?.session_id).toBe(
      project.recorded().find(({ kind }) => kind === 'session.start')?.session_id,
    );
  });

  it('is refused behind shells, variables and decoded text', async () => {
    const guarded = await hosted();
    const line = `"${process.execPath}" "${FOIL}" pause --ledger "${guarded.project.directory}"`;
    const hidden = `eval "$(echo ${Buffer.from(line).toString('base64')} | base64 -d)"`;
    expect(run(guarded, ['-c', `sh -c '${hidden}'`], { program: '/bin/sh' }).status).toBe(1);
    expect(refused(guarded)).toHaveLength(1);
  });

  it('is obeyed from a terminal that the host did not start', async () => {
    const { project } = await guardedProject('guard', { pid: 1 });
    await expect(
      assertOutside(['pause', '--ledger', project.directory], { cwd: project.work, env: project.env }),
    ).resolves.toBeUndefined();
  });

  it('is obeyed in observe, and once the session has ended', async () => {
    const observed = await hosted('observe');
    const caller = ({ project }: Guarded) => ({ cwd: project.work, env: project.env, ancestors: CHILD });
    const words = ({ project }: Guarded) => ['pause', '--ledger', project.directory];
    await assertOutside(words(observed), caller(observed));
    const ended = await hosted();
    await expect(assertOutside(words(ended), caller(ended))).rejects.toMatchObject({ code: 'DENIED' });
    await ended.tell(ended.agent.event('SessionEnd', { reason: 'exit' }));
    await assertOutside(words(ended), caller(ended));
  });

  it('is refused where a detached process still has the host’s mark in its environment', async () => {
    const guarded = await guardedProject('guard', { pid: 999_999_999 });
    await guarded.tell(guarded.agent.start());
    const { project } = guarded;
    const words = ['pause', '--ledger', project.directory];
    const env = { ...project.env, CLAUDECODE: '1' };
    await assertOutside(words, { cwd: project.work, env: project.env });
    await expect(assertOutside(words, { cwd: project.work, env })).rejects.toMatchObject({ code: 'DENIED' });
    // Another host's mark says nothing of this session.
    await assertOutside(words, { cwd: project.work, env: { ...project.env, GEMINI_CLI: '1' } });
  });

  it('is refused under foil run, which says so to what it starts', async () => {
    const { project } = await guardedProject();
    const env = { ...project.env, FOIL_SESSION: 'a'.repeat(64), FOIL_LEDGER: project.directory };
    await expect(assertOutside(['mode', 'observe'], { cwd: project.work, env })).rejects.toMatchObject({
      code: 'DENIED',
    });
  });
});

describe('other commands from inside', () => {
  it.each([
    ['mode', 'observe'],
    ['key', 'rotate'],
    ['recover', '--accept-loss'],
    ['archive', '--all'],
    ['policy', 'accept'],
    ['overrides', 'ack'],
    ['auth', 'add', 'me', '--present'],
    ['operator', 'init'],
    ['serve', '--upstream', 'a=http://127.0.0.1:1', '--save'],
    ['session', 'cut'],
  ])('foil %s %s is refused', async (...words) => {
    const { project } = await hosted();
    const caller = { cwd: project.work, env: project.env, ancestors: CHILD };
    await expect(assertOutside([...words, '--ledger', project.directory], caller)).rejects.toMatchObject({
      code: 'DENIED',
    });
    expect(readSettings(project.directory).mode).toBe('guard');
  });

  it.each([
    ['status'],
    ['log'],
    ['show', '2'],
    ['verify'],
    ['why', '3'],
    ['mode'],
    ['key', 'list'],
    ['pause', 'off'],
  ])('foil %s stays with everybody', async (...words) => {
    const { project } = await hosted();
    await assertOutside([...words, '--ledger', project.directory], { cwd: project.work, env: project.env });
  });

  it('foil uninstall is refused for the ledger that the hooks name, whatever ledger it is aimed at', async () => {
    const guarded = await hosted();
    const { project } = guarded;
    mkdirSync(join(project.work, '.claude'));
    mkdirSync(join(project.work, '.git'));
    const command = {
      type: 'command',
      command: '/n',
      args: ['/x/foil.cjs', 'hook', 'claude-code', '--ledger', project.directory],
    };
    const settings = { hooks: { PreToolUse: [{ matcher: '*', hooks: [command] }] } };
    writeFileSync(join(project.work, '.claude/settings.local.json'), JSON.stringify(settings));
    const env = { ...project.env, FOIL_LEDGER: join(project.root, 'other') };
    await expect(
      assertOutside(['uninstall'], { cwd: project.work, env, ancestors: CHILD }),
    ).rejects.toMatchObject({
      code: 'DENIED',
    });
  });
});

describe('who is inside', () => {
  it('is not a process that got the number of a host that is gone', async () => {
    const guarded = await hosted();
    const path = join(guarded.project.directory, 'sessions/claude-code.s-1');
    const { readFileSync } = await import('node:fs');
    const state = JSON.parse(readFileSync(path, 'utf8')) as { host: { started: string } };
    expect(insideOf(guarded.project.directory, {}, { ancestors: [process.pid] })).not.toBeNull();
    state.host.started = '1';
    writeFileSync(path, JSON.stringify(state));
    if (processFact(process.pid).started !== null)
      expect(insideOf(guarded.project.directory, {}, { ancestors: [process.pid] })).toBeNull();
  });

  it('is found by its parents', () => {
    expect(ancestorsOf()[0]).toBe(process.ppid);
    expect(ancestorsOf(process.pid)).not.toContain(process.pid);
  });
});
