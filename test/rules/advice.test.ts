// What a held turn is told to do: a script that was changed and run is the work, whatever its name.
import { describe, expect, it } from 'vitest';
import { leadingClaim, readCommand } from '../../src/rules/index.ts';
import { claim, edit, judged, ran } from './cases.ts';

const statusOf = (...args: Parameters<typeof judged>) => leadingClaim(judged(...args))?.status ?? 'backed';

describe('B3b a script that was changed and run', () => {
  const FIXED = claim('done', 'Fixed it');
  const DEPLOYED = claim('shipped', 'Deployed', { about: 'deploy' });
  it.each([
    ['bash deploy.sh', FIXED, 'backed'],
    ['./deploy.sh staging', FIXED, 'backed'],
    ['bash -n deploy.sh', FIXED, 'backed'],
    ['bash deploy.sh || true', FIXED, 'unbacked'],
    ['bash other/release.sh', FIXED, 'unbacked'],
    ['bash deploy.sh', DEPLOYED, 'trick'],
    ['bash deploy.sh || true', DEPLOYED, 'trick'],
  ])('%s: %o is %s', (command, said, status) => {
    const { checks } = readCommand(command, { cwd: '/w', root: '/w', changed: ['deploy.sh'] });
    const found = { changes: [edit(1, 'deploy.sh')], runs: [ran(2, [...checks], { tests: null })] };
    expect(statusOf([said], 'fix deploy.sh', found)).toBe(status);
  });
});
