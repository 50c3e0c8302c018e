// Lua, by itself and in Neovim.
import { type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, lint, plainTest, type Table } from '../tool.ts';

export const programs = (): Table => ({
  busted: plainTest('busted', '-p --pattern -o', { selectors: '-t --tags --filter', dry: '-l --list' }),
  luacheck: lint('luacheck'),
  lua: { kind: 'run', runner: 'lua' },
  // Without a window it runs what it is given; with one it is an editor.
  nvim: (args) =>
    args.includes('--headless') && /\b(?:Plenary(?:Busted|Test)\w*|MiniTest)\b/.test(args.join(' '))
      ? found('test', 'nvim --headless')
      : null,
});

export const outputs: readonly Output[] = [
  // 2 successes / 0 failures / 0 errors / 0 pending : 0.000718 seconds
  oneLine(
    'busted',
    ' pending : ',
    /^<passed> success(?:es)? \/ <failed> failures? \/ <failed2> errors? \/ <skipped> pending : /,
  ),
];

export const traits: readonly Traits[] = [
  {
    name: 'busted',
    finds: true,
    failing: [
      '2 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds',
      '2 successes / 0 failures / 1 error / 0 pending : 0.01 seconds',
    ],
  },
  {
    name: 'luacheck',
    good: /^Total: \d+ warnings? \/ 0 errors in \d/m,
    failing: ['Total: 0 warnings / 1 error in 3 files'],
  },
];
