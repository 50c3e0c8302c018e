// Upkeep by itself where hooks are commands, or the service leaves too soon: a hook looks at the time of one file, and has
// a process of its own started; that process cuts no session that was heard of within a day.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUpkeepLate } from '../../src/app/upkeep/upkeep-late.ts';
import { dayOf, readUpkeepNote, writeUpkeepNote } from '../../src/app/upkeep/upkeep-note.ts';
import { keepUpDaily } from '../../src/cli/daily-upkeep.ts';
import { DAY } from '../../src/ledger/index.ts';
import { hookHere } from '../e2e/hook-here.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';

const NOW = Date.now();
let project: Project;
beforeEach(async () => {
  project = await makeProject();
});
afterEach(() => project.remove());

/** What the hook would start, besides sealing. */
async function hook(event: string, more: object = {}, ppid?: number): Promise<string[][]> {
  const started: string[][] = [];
  const { work: cwd, env } = project;
  const body = { session_id: 's', cwd, transcript_path: null, hook_event_name: event, model: 'm', ...more };
  const result = await hookHere(['codex', '--ledger', project.directory], Buffer.from(JSON.stringify(body)), {
    env,
    cwd,
    ppid,
    started: (words) => started.push([...words]),
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return started.filter(([first]) => first !== 'checkpoint');
}

function age(name: string, days: number): void {
  const at = (NOW - days * DAY) / 1000;
  utimesSync(join(project.directory, name), at, at);
}

const START = { source: 'startup' };
const PROMPT = { turn_id: 't', prompt: 'Fix it' };

describe('B13e a hook', () => {
  it('has upkeep started where the last is over a day old, and not before', async () => {
    expect(await hook('SessionStart', START)).toEqual([]);
    const wanted = [['archive', '--if-due', '--ledger', project.directory]];
    age('lock', 2);
    expect(await hook('SessionStart', START)).toEqual(wanted);
    expect(await hook('UserPromptSubmit', PROMPT)).toEqual(wanted);
    expect(await hook('Stop', { ...PROMPT, stop_hook_active: false, last_assistant_message: 'Hm.' })).toEqual(
      [],
    );
    await writeUpkeepNote(project.directory, { day: dayOf(NOW), done: true });
    expect(await hook('UserPromptSubmit', PROMPT)).toEqual([]);
    age('upkeep', 2);
    expect(await hook('UserPromptSubmit', PROMPT)).toEqual(wanted);
  });
});

describe('B13e the process that it starts', () => {
  it('tidies up once a day, and says so', async () => {
    await hook('SessionStart', START);
    age('lock', 2);
    expect(isUpkeepLate(project.directory, NOW)).toBe(true);
    const { code, stdout } = await project.foil([
      'archive',
      '--if-due',
      '--ledger',
      project.directory,
      '--json',
    ]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { files: [], erased: [], problem: null }]);
    expect(readUpkeepNote(project.directory)).toMatchObject({ done: true });
    expect(isUpkeepLate(project.directory, Date.now())).toBe(false);
    expect((await project.foil(['archive', '--if-due', '--ledger', project.directory])).stdout).toBe(
      'Nothing is due.\n',
    );
    await project.expectIntact();
  });

  it('does nothing in a locked ledger, nor without a project, and is not started again at once', async () => {
    age('lock', 2);
    expect(await keepUpDaily(project.located, NOW)).toBeUndefined();
    expect(isUpkeepLate(project.directory, NOW)).toBe(false);
    await hook('SessionStart', START);
    project.settings('locked');
    expect(await keepUpDaily(project.located, NOW)).toBeUndefined();
    expect(readUpkeepNote(project.directory)).toBeUndefined();
  });

  it('cuts a session whose host is gone only when it is a day old', async () => {
    const host = spawn('sleep', ['86400'], { stdio: 'ignore' });
    await hook('SessionStart', START, host.pid);
    await hook('UserPromptSubmit', PROMPT, host.pid);
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(await keepUpDaily(project.located, NOW)).toMatchObject({ cut: 0 });
    expect(project.entries().map(({ kind }) => kind)).not.toContain('session.cut');
    expect(await keepUpDaily(project.located, NOW + 2 * DAY)).toMatchObject({ cut: 1 });
    expect(project.entries().at(-1)?.kind).toBe('session.cut');
  });
});
