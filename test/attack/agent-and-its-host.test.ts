// What the rules are told of this machine: the host of the open session, and the directory that the agent works in.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { guardedProject } from './guarded-project.ts';

describe('an agent', () => {
  it('may not kill the host of its own session, by number or by what the system calls it', async () => {
    const { agent, tell } = await guardedProject('guard', { pid: process.pid });
    await tell(agent.start());
    await tell(agent.prompt('Fix it'));
    const denied = async (command: string): Promise<boolean> =>
      (await tell(agent.call(command, { command }))).stdout.includes('"deny"');
    expect(await denied(`kill -STOP ${process.pid}`)).toBe(true);
    expect(await denied(`P=${process.pid}; kill $P`)).toBe(true);
    expect(await denied(`python3 -c "import os; os.kill(${process.pid}, 9)"`)).toBe(true);
    expect(await denied('kill -9 $PPID')).toBe(true);
    expect(await denied('kill 999999998')).toBe(false);
  });

  it('that works in a folder of ours is read as closely there', async () => {
    const { project, tell } = await guardedProject();
    const there = join(project.work, '.claude');
    mkdirSync(there);
    const agent = new ClaudeSession('s-1', there);
    const denied = async (command: string): Promise<boolean> =>
      (await tell(agent.call(command, { command }))).stdout.includes('"deny"');
    expect(await denied('rm -rf *')).toBe(true);
    expect(await denied('gzip s*')).toBe(true);
    expect(await denied('ls')).toBe(false);
    expect(await denied('rm agents/a.md')).toBe(false);
  });
});
