// The attester's promise at full length: 100 submissions, two at a time, and a kill -9 over and over.
import { it } from 'vitest';
import { survivesKills } from './kills.ts';

it('loses none of 100 accepted jobs, two at a time, in 30 kills', async () => {
  await survivesKills({ jobs: 100, kills: 30 });
});
