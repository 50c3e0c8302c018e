// Notes about a ledger are read from every place where they may lie, so a note that an agent would put into any of them is
// refused, not only in the one that the settings name.
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { noteDirectories } from '../../src/record/index.ts';
import { guardedProject } from './guarded-project.ts';

it('an agent in guard can put a pause into none of the places that are read', async () => {
  const { project, tell } = await guardedProject();
  const { directory, env, work } = project;
  const places = noteDirectories(directory, env);
  const usual = `/tmp/counterfoil-${process.getuid?.() ?? 0}`;
  expect(places.map((path) => dirname(path))).toContain(usual);
  expect(places.length).toBeGreaterThan(1);
  for (const [at, path] of places.entries()) {
    const answer = await tell({
      hook_event_name: 'PreToolUse',
      session_id: 's-1',
      cwd: work,
      tool_name: 'Write',
      tool_input: { file_path: join(path, 'pause'), content: '{}' },
      tool_use_id: `call-${at}`,
    });
    expect(answer.stdout, path).toContain('"deny"');
  }
});
