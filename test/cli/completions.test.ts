// The scripts are given to the real shells: what they offer is what the commands have.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScript, SHELLS, subcommandsOf } from '../../src/cli/completion-scripts.ts';
import { loadCommands } from '../../src/cli/main.ts';
import { temporary } from '../temporary.ts';

const COMMANDS = await loadCommands();

function shell(program: string, script: string, line: string): string {
  const file = join(temporary(), 'script');
  writeFileSync(file, script);
  const { stdout, stderr, status } = spawnSync(program, ['-c', line.replaceAll('FILE', file)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: temporary() },
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout;
}

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('bash completes', () => {
  const script = completionScript('bash', COMMANDS);
  const offered = (...words: string[]): string[] =>
    shell(
      'bash',
      script,
      `source FILE; COMP_WORDS=(foil ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _foil; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
      .split('\n')
      .filter((word) => word !== '');

  it('the name of a command', () => {
    expect(offered('ver')).toEqual(['verify']);
    expect(offered('')).toEqual([...COMMANDS.map(({ name }) => name), '--help', '--version']);
  });

  it('a subcommand, and an option', () => {
    expect(offered('key', 'ro')).toEqual(['rotate']);
    expect(offered('log', '--foll')).toEqual(['--follow']);
    expect(offered('pack', 'create', '--js')).toEqual(['--json']);
  });

  it('nothing behind a command that it does not know', () => {
    expect(offered('nosuch', '')).toEqual([]);
  });
});

it.skipIf(!has('zsh'))('zsh reads its script, and offers what a command has', () => {
  const line = `compdef() { :; }; _describe() { print -l -- "\${(P@)2}"; }; _files() { :; }; source FILE; words=(foil key ''); CURRENT=3; _foil; words=(foil ''); CURRENT=2; _foil`;
  const offered = shell('zsh', completionScript('zsh', COMMANDS), line).split('\n');
  expect(offered).toEqual(expect.arrayContaining(['list', 'rotate', '--json:print JSON']));
  for (const { name, summary } of COMMANDS) expect(offered).toContain(`${name}:${summary}`);
});

it.skipIf(!has('fish'))('fish reads its script, and offers what a command has', () => {
  const script = completionScript('fish', COMMANDS);
  const offered = (line: string): string => shell('fish', script, `source FILE; complete -C '${line}'`);
  expect(offered('foil veri')).toMatch(/^verify\t/);
  expect(offered('foil key ro')).toMatch(/^rotate/);
  expect(offered('foil log --foll')).toMatch(/^--follow\t/);
});

it('reads subcommands from the usage lines', () => {
  expect(subcommandsOf('list | rotate [options]')).toEqual(['list', 'rotate']);
  expect(subcommandsOf('[30m | off]')).toEqual(['off']);
  expect(subcommandsOf('create [DIR] | verify|inspect FILE')).toEqual(['create', 'verify', 'inspect']);
  expect(subcommandsOf('RUN --at N [options]')).toEqual([]);
  expect(SHELLS).toEqual(subcommandsOf(COMMANDS.find(({ name }) => name === 'completions')?.usage ?? ''));
});
