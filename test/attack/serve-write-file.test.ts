// What an agent could do to its own recording through the tools of `foil mcp serve`: refused in guard, whatever plan it
// names. What only reads works while somebody else holds the ledger; and what a call notes is in its entries.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWorkspace } from '../../src/app/workspace-files.ts';
import { HOSTS } from '../../src/capture/settings/index.ts';
import { type Context, Values } from '../../src/cli/command.ts';
import { aboutOf, type Begun, type Work, worksOf } from '../../src/cli/mcp-serve-tools.ts';
import type { Json } from '../../src/core/index.ts';
import { plain } from '../../src/report/text.ts';
import { type HookedLedger, hookedLedger } from '../cli/hooked-ledger.ts';

async function serving(mode: 'observe' | 'guard') {
  const ledger = await hookedLedger();
  const runtime = join(ledger.root, 'run/counterfoil');
  writeFileSync(join(ledger.directory, 'settings'), JSON.stringify({ v: 1, mode, port: null, runtime }));
  const context: Context = {
    arguments: [],
    values: new Values(new Map()),
    cwd: ledger.work,
    env: ledger.env,
    now: Date.now,
    paint: plain,
    columns: undefined,
    stdin: async function* () {},
    progress: () => undefined,
    warn: () => undefined,
    onInterrupt: () => () => undefined,
  };
  const works = worksOf(context, ledger.located);
  const begun = {
    role: 'executor',
    workspace: openWorkspace(ledger.work, [ledger.directory]),
    session: { id: 'f'.repeat(64) },
  } as unknown as Begun;
  const call = async (name: string, args: Record<string, Json>): Promise<Json> => {
    const work = works.find((each) => each.name === name) as Work;
    return (await work.run(args, begun)).answer;
  };
  return { ledger, call, works };
}

/** Claude Code's hooks, as an install leaves them. */
function hooked({ work, env, directory }: HookedLedger): string {
  const host = HOSTS.find(({ agent }) => agent === 'claude-code');
  const { path } = host?.file('project', { project: work, home: env.HOME, env }) ?? { path: '' };
  mkdirSync(join(path, '..'), { recursive: true });
  const command = `foil hook claude-code --ledger ${directory}`;
  const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
  writeFileSync(path, JSON.stringify({ hooks }));
  return path;
}

const code = (given: Promise<unknown>): Promise<unknown> =>
  given.then(
    () => null,
    (error: { code?: unknown }) => error.code,
  );

it('write_file does not write the settings in which hooks stand, in guard; nor through a link', async () => {
  const { ledger, call } = await serving('guard');
  const path = hooked(ledger);
  const before = readFileSync(path, 'utf8');
  symlinkSync('.claude', join(ledger.work, 'notes'));
  const plan_hash = 'a'.repeat(64);
  for (const to of ['.claude/settings.json', './x/../.claude/settings.json', 'notes/settings.json', path])
    expect(await code(call('write_file', { path: to, content: '{}', plan_hash })), to).toBe('CALL_REFUSED');
  expect(await code(call('write_file', { path: 'src/a.ts', content: '', plan_hash }))).toBe(
    'PLAN_NOT_APPROVED',
  );
  expect(readFileSync(path, 'utf8')).toBe(before);
});

it('a refusal names no way past the record, and observe lets the call go on to the plan that it needs', async () => {
  const guarded = await serving('guard');
  hooked(guarded.ledger);
  const args = { path: '.claude/settings.json', content: '{}', plan_hash: 'a'.repeat(64) };
  await expect(guarded.call('write_file', args)).rejects.toThrow(/^Counterfoil refuses this call: it would /);
  const observed = await serving('observe');
  hooked(observed.ledger);
  expect(await code(observed.call('write_file', args))).toBe('PLAN_NOT_APPROVED');
});

it('the tools that read need no lock on the ledger', async () => {
  const { ledger, call } = await serving('guard');
  // A writer can do without neither.
  rmSync(join(ledger.directory, 'lock'));
  writeFileSync(join(ledger.directory, 'head'), 'damaged');
  expect(await call('list_plans', {})).toEqual({ plans: [] });
  expect(await call('read_audit_log', {})).toMatchObject({ last: 1 });
});

it('K2 what a call notes is taken for its entries, and every tool that does something says that it may', async () => {
  expect(aboutOf({ intent: 'why', notes: 'and this', plan_hash: 'h', phase_id: 'p' })).toEqual({
    intent: 'why',
    notes: 'and this',
    planHash: 'h',
    phaseId: 'p',
  });
  expect(aboutOf({ notes: 7 })).toEqual({});
  const { works } = await serving('observe');
  const noting = works.filter(({ properties }) => 'intent' in properties);
  expect(noting.length).toBeGreaterThan(3);
  for (const { name, properties } of noting) expect(Object.keys(properties), name).toContain('notes');
});
