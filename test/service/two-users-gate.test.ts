// The gate in locked mode, with two real users: a turn is blocked and let through by the service, which signs with a key
// that the agent's user can't read.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePackage } from '../e2e/working-agent.ts';
import { parseLines } from '../read-log.ts';
import { AGENT, asAgent, asFoil, become, CLIENTS, locked, type Place, serve } from './locked-place.ts';

const READ = `
  const { readFileSync, readdirSync } = require('node:fs');
  const tried = process.argv.slice(1).map((path) => {
    try { readdirSync(path); return 'listed'; } catch (error) { if (error.code !== 'ENOTDIR') return error.code; }
    try { readFileSync(path); return 'read'; } catch (error) { return error.code; }
  });
  console.log(JSON.stringify(tried));`;

function hook(place: Place, cwd: string, name: string, members: object): Record<string, unknown> {
  const words = ['--mode', 'locked', '--socket', place.socket, '--ledger', place.ledger];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...become(AGENT, asFoil, [CLIENTS]), '--', 'hook', 'claude-code', ...words],
    {
      input: JSON.stringify({
        session_id: 's-1',
        transcript_path: '',
        cwd,
        hook_event_name: name,
        ...members,
      }),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: '/' },
    },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
}

describe.skipIf(process.getuid?.() !== 0)('the gate, locked, as two users (needs root)', () => {
  it("B3b, B5b: blocks and lets through, and signs with a key that the agent's user can't read", async () => {
    const place = locked();
    await serve(place);
    const work = join(place.base, 'work');
    mkdirSync(work);
    makePackage(work);
    spawnSync('chown', ['-R', `${AGENT.uid}:${AGENT.gid}`, work]);
    hook(place, work, 'SessionStart', { source: 'startup' });
    hook(place, work, 'UserPromptSubmit', { prompt: 'Fix `src/sum.js`: it subtracts' });
    const file = join(work, 'src/sum.js');
    const edit = { tool_name: 'Edit', tool_use_id: 't-1', tool_input: { file_path: file, old_string: '-' } };
    hook(place, work, 'PreToolUse', edit);
    writeFileSync(file, 'export const sum = (a, b) => a + b;\n');
    hook(place, work, 'PostToolUse', { ...edit, tool_response: { filePath: file } });
    const said = { stop_hook_active: false, last_assistant_message: 'Fixed `sum`. All tests pass.' };
    const { decision, reason } = hook(place, work, 'Stop', said);
    expect(decision).toBe('block');
    expect(reason).toContain('No test run is on record.');
    // The agent's user has no ledger to ask.
    expect(reason).not.toContain('foil validate --claim');
    const run = { tool_name: 'Bash', tool_use_id: 't-2', tool_input: { command: 'node --test' } };
    hook(place, work, 'PreToolUse', run);
    const { stdout, status } = spawnSync('node', ['--test'], { cwd: work, encoding: 'utf8' });
    expect(status).toBe(0);
    hook(place, work, 'PostToolUse', {
      ...run,
      tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
    });
    expect(hook(place, work, 'Stop', said)).toEqual({});

    const segments = join(place.ledger, 'ledger');
    const entries = readdirSync(segments).flatMap((name) => parseLines(readFileSync(join(segments, name))));
    expect(entries.map(({ kind }) => kind)).toContain('validation');
    expect(
      entries.filter(({ kind }) => kind === 'gate').map(({ payload: { verdict, mode } }) => [verdict, mode]),
    ).toEqual([
      ['block', 'locked'],
      ['pass', 'locked'],
    ]);
    const keys = join(place.env.XDG_CONFIG_HOME ?? '', 'counterfoil', 'keys');
    const [key = ''] = readdirSync(keys).filter((name) => name.includes('.validator-'));
    expect(existsSync(join(keys, key))).toBe(true);
    const paths = [keys, join(keys, key), join(place.ledger, 'sessions'), join(place.ledger, 'trees')];
    expect(asAgent(READ, paths)).toEqual(paths.map(() => 'EACCES'));
  });
});
