// A typing error in counterfoil.yaml, in guard: nothing goes on but its repair, and nobody is kept in a turn for ever.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, type Project } from './recorded-project.ts';

const TYPO = 'content: keep\ngate:\n  claims:\n    doen: [test_pass]\n';

async function broken(text = TYPO): Promise<{ project: Project; session: ClaudeSession; file: string }> {
  const project = await newProject();
  const session = new ClaudeSession('s', project.work);
  await project.tell('claude-code', session.prompt('go'), { mode: 'guard' });
  const file = join(project.work, 'counterfoil.yaml');
  writeFileSync(file, text);
  return { project, session, file };
}

const guard = async (project: Project, event: JsonObject): Promise<string> =>
  (await project.tell('claude-code', event, { mode: 'guard' })).stdout;

describe('a typing error in counterfoil.yaml, in guard', () => {
  it('K8 refuses what is not its repair, and names file, line and remedy', async () => {
    const { project, session, file } = await broken();
    const edit = { file_path: `${project.work}/src/a.ts`, old_string: 'a', new_string: 'b' };
    for (const event of [
      session.call('c1'),
      session.call('c2', { command: `cat ${file}` }),
      session.call('c3', edit, 'Edit'),
      session.call('c4', { ...edit, file_path: `${project.work}/src/counterfoil.yaml` }, 'Edit'),
      session.call('c5', { ...edit, file_path: `${project.work}/../counterfoil.yaml` }, 'Edit'),
      session.prompt('go on'),
    ]) {
      const told = await guard(project, event);
      expect(told).toMatch(/"permissionDecision":"deny"|"decision":"block"/);
      expect(told).toContain(`${file}, line 4: gate.claims.doen`);
      expect(told).toContain('foil policy check');
    }
    expect(project.recorded().filter(({ kind }) => kind === 'tool.call')).toEqual([]);
  });

  it.each([
    ['content: keep\ngate: [a\n', /not YAML: .* line \d/],
    ['content: kept\n', /line 1: content: must be one of/],
    ['redact:\n  remove: [no-such-rule]\n', /line 2: redact\.remove/],
  ])('names the line in %j', async (text, line) => {
    const { project, session } = await broken(text);
    expect(await guard(project, session.call('c1'))).toMatch(line);
  });

  it('K8 lets the file be read and edited, and records that; then all goes on', async () => {
    const { project, session, file } = await broken();
    const edit = { file_path: file, old_string: 'doen', new_string: 'done' };
    const relative = { file_path: 'counterfoil.yaml' };
    for (const event of [
      session.call('r1', relative, 'Read'),
      session.result('r1', relative, 'Read'),
      session.call('e1', edit, 'Edit'),
    ])
      expect(await guard(project, event)).toBe('');
    writeFileSync(file, TYPO.replace('doen', 'done'));
    expect(await guard(project, session.result('e1', edit, 'Edit'))).toBe('');
    expect(await guard(project, session.call('c1'))).toBe('');
    const calls = project.recorded().filter(({ kind }) => kind === 'tool.call' || kind === 'tool.result');
    expect(calls.map(({ payload }) => payload.tool_use_id)).toEqual(['r1', 'r1', 'e1', 'e1', 'c1']);
    await project.expectIntact();
  });

  it('B10b, B10c: refuses the end of a turn twice by our own count, whatever the host says, then lets it go as ungated', async () => {
    const { project, session } = await broken();
    const stop = { ...session.stop('Done.'), stop_hook_active: true };
    expect(await guard(project, stop)).toContain('"decision":"block"');
    expect(await guard(project, stop)).toContain('line 4');
    expect(await guard(project, stop)).not.toContain('"decision":"block"');
    const gates = project.recorded().filter(({ kind }) => kind === 'gate');
    expect(gates.map(({ payload }) => payload.verdict)).toEqual(['block', 'block', 'ungated']);
    await guard(project, session.prompt('go on'));
    expect(await guard(project, stop)).toContain('"decision":"block"');
  });
});

describe('the end of a turn that can not be recorded, in guard', () => {
  it('B10b is refused twice by our own count, whatever the host says', async () => {
    const project = await newProject();
    const session = new ClaudeSession('s', project.work);
    await project.tell('claude-code', session.prompt('go'), { mode: 'guard' });
    renameSync(join(project.directory, 'ledger'), join(project.directory, 'ledger.away'));
    writeFileSync(join(project.directory, 'ledger'), '');
    const stop = { ...session.stop('Done.'), stop_hook_active: true };
    const other = { ...new ClaudeSession('t', project.work).stop('Done.'), stop_hook_active: true };
    expect(await guard(project, stop)).toContain('"decision":"block"');
    expect(await guard(project, stop)).toContain('"decision":"block"');
    expect(await guard(project, stop)).not.toContain('"decision":"block"');
    expect(await guard(project, other)).toContain('"decision":"block"');
    await guard(project, session.prompt('go on'));
    expect(await guard(project, stop)).toContain('"decision":"block"');
  });
});
