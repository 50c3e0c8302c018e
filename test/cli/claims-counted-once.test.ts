// `foil status` and `foil verify` count the same claims in the same words, also where a turn was sent back first.
import { expect, it } from 'vitest';
import { readToday } from '../../src/report/recent.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { guardedProject } from '../attack/guarded-project.ts';

it.each(['observe', 'guard'] as const)(
  'in %s, status and verify agree on what is not proven',
  async (mode) => {
    const { project, agent, tell, verify } = await guardedProject(mode);
    await tell(agent.prompt('Fix `src/sum.js`: it subtracts'));
    const edit = { file_path: `${project.work}/src/sum.js`, old_string: 'a - b', new_string: 'a + b' };
    await tell(agent.call('c', edit, 'Edit'));
    await tell(agent.result('c', edit, 'Edit', { tool_response: { filePath: edit.file_path } }));
    for (let turn = 0; turn < 3; turn++) await tell(agent.stop('Fixed. All tests pass.'));
    const { counts } = await verify();
    const store = openFileStore(project.directory, { readOnly: true });
    const today = await readToday(store, (await store.head()).seq, '');
    await store.close();
    const { claims, proven, unproven, excused, sent_back } = today;
    expect(counts.claimsUnproven).toBeGreaterThan(0);
    expect({ claims, proven, unproven }).toEqual({
      claims: counts.claims,
      proven: counts.claimsProven,
      unproven: counts.claimsUnproven,
    });
    expect(sent_back > 0).toBe(mode === 'guard');
    expect(proven + unproven + excused + sent_back).toBe(claims);
  },
);
