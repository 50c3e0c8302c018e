// A committed settings file of a host sets XDG_STATE_HOME for its hooks. What is kept about a ledger that lies elsewhere
// (its mode, and of a `.foil/` everything) is still found where the person who installed the hooks has it, and a registry
// that a clone brings registers nothing.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDefence } from '../../src/app/hook/defence.ts';
import { locateHook } from '../../src/app/hook/hook-ledger.ts';
import { isStrict, parseHookLine } from '../../src/app/hook/hook-line.ts';
import { init } from '../../src/cli/commands/init.ts';
import { install } from '../../src/cli/commands/install.ts';
import { mode } from '../../src/cli/commands/mode.ts';
import { locate, readSettings, registerHere } from '../../src/ledger/index.ts';
import { Machine } from './hostile-clone.ts';

const hooksOf = (machine: Machine): string =>
  readFileSync(join(machine.project, '.codex/hooks.json'), 'utf8');

/** The words of its first hook, behind `hook`. */
const wordsOf = (machine: Machine): string[] =>
  (/ hook (codex [^;]*); else/.exec(hooksOf(machine))?.[1] ?? '').split(' ');

async function installed(how: 'here' | 'elsewhere'): Promise<{ machine: Machine; ledger: string }> {
  const machine = new Machine();
  machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
  const ledger = join(how === 'here' ? machine.project : machine.root, how === 'here' ? '.foil' : 'ledger');
  const words = how === 'here' ? [] : ['--ledger', ledger];
  await machine.run(init, how === 'here' ? ['--here'] : words);
  await machine.run(install, ['codex', '--mode', 'guard', ...words]);
  return { machine, ledger };
}

/** As a hook with these words finds it in an environment that a repository made. */
function modeIn(machine: Machine, words: readonly string[], XDG_STATE_HOME: string): string {
  const line = parseHookLine(words);
  if (typeof line === 'string') return line;
  const { located, env } = locateHook({
    ...line,
    cwd: machine.project,
    env: { ...machine.env, XDG_STATE_HOME },
  });
  return readSettings(located.directory, env).mode;
}

describe('XDG_STATE_HOME in the environment of a pinned hook', () => {
  it('does not hide the mode that is kept for a ledger elsewhere', async () => {
    const { machine, ledger } = await installed('elsewhere');
    const settings = join(ledger, 'settings');
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('"guard"', '"observe"'));
    expect(modeIn(machine, wordsOf(machine), '/x')).toBe('guard');
    expect(isStrict(wordsOf(machine), { ...machine.env, XDG_STATE_HOME: '/x' })).toBe(true);
  });

  it('does not hide the settings of a .foil/', async () => {
    const { machine } = await installed('here');
    expect(modeIn(machine, wordsOf(machine), '/x')).toBe('guard');
    const env = { ...machine.env, XDG_STATE_HOME: '/x' };
    expect(isStrict(wordsOf(machine), env)).toBe(true);
    const line = parseHookLine(wordsOf(machine));
    if (typeof line === 'string') throw new Error(line);
    expect(locateHook({ ...line, cwd: machine.project, env }).located.notice).toBeUndefined();
  });

  it('is not named where the ledger’s own place says it, as in hooks of earlier versions', async () => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    await machine.run(install, ['codex', '--mode', 'guard']);
    expect(wordsOf(machine)).not.toContain('--state');
    expect(modeIn(machine, wordsOf(machine), '/x')).toBe('guard');
  });

  it('is not added to a hook that Codex trusts by foil mode', async () => {
    const { machine, ledger } = await installed('elsewhere');
    const path = join(machine.project, '.codex/hooks.json');
    const old = hooksOf(machine).replaceAll(/ --state [^; ]+/g, '');
    expect(old).not.toBe(hooksOf(machine));
    writeFileSync(path, old);
    await machine.run(mode, ['observe', '--ledger', ledger]);
    await machine.run(mode, ['guard', '--ledger', ledger]);
    expect(hooksOf(machine)).toBe(old);
    expect(modeIn(machine, wordsOf(machine), machine.env.XDG_STATE_HOME ?? '')).toBe('guard');
  });
});

describe('a registry that a clone brings', () => {
  it('registers no .foil/, wherever XDG_STATE_HOME leads', async () => {
    const machine = new Machine();
    machine.file('home/me/project/.git/HEAD', 'ref: refs/heads/main\n');
    const theirs = { ...machine.env, XDG_STATE_HOME: join(machine.project, 'state') };
    const directory = await machine.brought();
    const origin = readFileSync(join(directory, 'checkpoint'), 'utf8').split('\n', 1)[0] ?? '';
    registerHere(directory, origin, theirs);
    expect(locate({ cwd: machine.project, env: theirs }).how).toBe('here');

    const login = {
      XDG_STATE_HOME: join(machine.root, 'login'),
      XDG_CONFIG_HOME: machine.env.XDG_CONFIG_HOME,
    };
    const asking = { cwd: machine.project, env: theirs, login };
    expect(locateHook({ ...asking, ledger: undefined }).located.how).toBe('project');
    expect(locateHook({ ...asking, ledger: directory }).located.notice).toContain(
      'neither made nor registered',
    );

    // Outside of the work tree it is the user's own.
    cpSync(join(machine.project, 'state'), join(machine.root, 'mine'), { recursive: true });
    const mine = { ...machine.env, XDG_STATE_HOME: join(machine.root, 'mine') };
    expect(locateHook({ ledger: undefined, cwd: machine.project, env: mine, login }).located.how).toBe(
      'here',
    );
  });
});

describe('in guard an agent', () => {
  it('may not remove what is kept about a ledger elsewhere, whatever the variables say', async () => {
    const { machine, ledger } = await installed('elsewhere');
    const { project, env } = machine;
    const asked = (command: string, given: NodeJS.ProcessEnv): string | null =>
      makeDefence(locate({ ledger, env: given }), given)(
        { commands: [command], paths: [] },
        { agent: 'codex', cwd: project, began: project },
      );
    mkdirSync(join(machine.root, 'home/me/.config/counterfoil'), { recursive: true });
    expect(asked(`rm -rf ${env.XDG_STATE_HOME}/counterfoil/modes`, env)).not.toBeNull();
    const astray = { ...env, XDG_CONFIG_HOME: '/x', XDG_STATE_HOME: '/x' };
    expect(asked('rm -rf ~/.config/counterfoil', astray)).not.toBeNull();
    expect(asked('rm -rf ~/.local/state/counterfoil', astray)).not.toBeNull();
    expect(asked('rm -rf build', astray)).toBeNull();
  });
});
