// What our commands print is read by the model that runs them. In guard, inside a recorded session, it names no way to
// change the recording; in a person's own terminal it does.
import { describe, expect, it } from 'vitest';
import { isReadByModel } from '../../src/cli/own-commands.ts';
import { withoutAdvice, withoutWayPast } from '../../src/rules/index.ts';
import { runWarmSync } from '../cli/warm.ts';
import { guardedProject } from './guarded-project.ts';

const WAY =
  /foil (?:pause|mode (?:observe|guard)|uninstall|install|init|recover|auth (?:add|present|revoke)|policy accept|operator init|overrides ack|crashes ack|key rotate|plan approve|session (?:end|cut)|archive)|FOIL=|kill \d/;

describe('a command that an agent runs inside its session', () => {
  it('prints no way past, and in a terminal of a person it does', async () => {
    const { project, agent, tell } = await guardedProject('guard', { pid: 999_999_999 });
    await tell(agent.start());
    const run = (words: readonly string[], inside: boolean) => {
      const env = { ...project.env, ...(inside ? { CLAUDECODE: '1' } : {}) };
      const { stdout, stderr } = runWarmSync([...words, '--ledger', project.directory], {
        cwd: project.work,
        env,
      });
      return `${stdout}${stderr}`;
    };
    const lists = [
      ['auth', 'list'],
      ['auth', 'list', '--json'],
      ['operator', 'show'],
      ['status'],
      ['key'],
      ['session'],
      ['auth'],
      ['doctor'],
    ];
    for (const words of lists) expect(run(words, true), words.join(' ')).not.toMatch(WAY);
    expect(run(['auth', 'list'], true)).toMatch(/There are no auth keys, so sessions aren't authenticated\./);
    expect(run(['auth', 'list'], false)).toMatch(/foil auth add NAME --present/);
    expect(run(['session', 'end', 'abc'], true)).not.toMatch(WAY);
  });

  it.each([
    ['key'],
    ['session'],
    ['auth'],
    ['policy'],
    ['operator'],
    ['plan'],
    ['mcp'],
    ['--help'],
    ['verify'],
    ['log'],
  ])('foil %s is not refused: it only reads, or says how it is used', async (word) => {
    const { project, agent, tell } = await guardedProject('guard', { pid: process.pid });
    await tell(agent.start());
    const { assertOutside } = await import('../../src/cli/own-commands.ts');
    const env = { ...project.env, FOIL_LEDGER: project.directory };
    const caller = { cwd: project.work, env, ancestors: [process.pid] };
    await assertOutside([word], caller);
    await assertOutside([word, '--ledger', project.directory], caller);
  });

  it('is one only in guard, and only inside', async () => {
    const caller = (project: { work: string; env: NodeJS.ProcessEnv }) => ({
      cwd: project.work,
      env: { ...project.env, CLAUDECODE: '1' },
      ancestors: [],
    });
    for (const mode of ['guard', 'observe'] as const) {
      const { project, agent, tell } = await guardedProject(mode, { pid: 999_999_999 });
      await tell(agent.start());
      const words = ['status', '--ledger', project.directory];
      expect(isReadByModel(words, caller(project))).toBe(mode === 'guard');
      expect(isReadByModel(words, { cwd: project.work, env: project.env, ancestors: [] })).toBe(false);
    }
  });
});

describe('what is left of a text', () => {
  it('asks for a person once', () => {
    const text = 'The disk is full. Run `foil pause 30m`. A person has to put this right.';
    expect(withoutWayPast(text)).toBe('The disk is full. A person has to put this right.');
    const old = 'The disk is full. Run `foil pause 30m`. A person has to put that right.';
    expect(withoutWayPast(old).match(/A person has to/g)).toHaveLength(1);
  });

  it('keeps every other line as it stands', () => {
    const table = 'one   two\n  a     b\nUse `foil auth add NAME`. It is easy.\n';
    expect(withoutAdvice(table)).toBe('one   two\n  a     b\nIt is easy.\n');
    expect(withoutAdvice('It runs already: `kill 4242`, and start again.')).toBe('');
  });
});
