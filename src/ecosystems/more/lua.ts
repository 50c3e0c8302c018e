// Lua, by itself and in Neovim.

import { add, type LineReader, n, type Output } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, lint, plainTest, type Table } from '../tool.ts';

export const programs: Table = {
  busted: plainTest('busted', '-p --pattern -o', { selectors: '-t --tags --filter', dry: '-l --list' }),
  luacheck: lint('luacheck'),
  lua: { kind: 'run', runner: 'lua' },
  // Without a window it runs what it is given; with one it is an editor.
  nvim: (args) =>
    args.includes('--headless') && /\b(?:Plenary(?:Busted|Test)\w*|MiniTest)\b/.test(args.join(' '))
      ? found('test', 'nvim --headless')
      : null,
};

// 2 successes / 0 failures / 0 errors / 0 pending : 0.000718 seconds
const read: LineReader = (line, report) => {
  const match =
    /^(\d{1,9}) success(?:es)? \/ (\d{1,9}) failures? \/ (\d{1,9}) errors? \/ (\d{1,9}) pending : /.exec(
      line,
    );
  if (!match) return false;
  return add(report, 'busted', n(match[1]), n(match[2]) + n(match[3]), n(match[4]));
};

export const outputs: readonly Output[] = [{ signs: [' pending : '], read }];

export const traits: readonly Traits[] = [{ name: 'busted', finds: true }];
