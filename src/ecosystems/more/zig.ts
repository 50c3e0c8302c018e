// Zig, Nim, V, Crystal and Solidity.
import { type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table } from '../tool.ts';
import { project } from './projects.ts';

const zig: Reader = (args) => {
  const [sub, step] = args;
  if (sub === 'test')
    return readOptions(
      {
        kind: 'test',
        runner: 'zig test',
        selectors: '--test-filter',
        values: '-O -target --mod --dep -I -L',
        dry: '--test-no-exec',
      },
      args.slice(1),
    );
  if (sub === 'build')
    return step === 'test'
      ? found('test', 'zig build test')
      : found(step === 'run' ? 'run' : 'build', 'zig build');
  if (sub === 'fmt') return found('format', 'zig fmt', { rewrites: !args.includes('--check') });
  return sub === 'run' ? found('run', 'zig run', { targets: args.slice(1, 2) }) : null;
};

export const programs = (): Table => ({
  zig,
  forge: project('forge', { script: 'run', fmt: 'format' }),
  nimble: project('nimble'),
  v: (args) =>
    args[0] === 'test'
      ? found('test', 'v test', { targets: args.slice(1).filter((arg) => !/^-|^\.$/.test(arg)) })
      : null,
});

export const outputs: readonly Output[] = [
  oneLine(
    'zig test',
    'Build Summary: ',
    /^Build Summary: .{1,60}; <passed>\/<total> tests passed(?:; <failed> failed)?/,
  ),
  oneLine('zig test', ' tests passed', /^All <passed> tests passed\.?$/),
  oneLine('zig test', ' passed; ', /^<passed> passed; <skipped> skipped; <failed> failed\.$/),
  // Suite result: ok. 7 passed; 0 failed; 0 skipped; finished in 41.20ms
  oneLine(
    'forge test',
    'Suite result: ',
    /^Suite result: (?:ok|FAILED)\. <passed> passed; <failed> failed; <skipped> skipped;/,
  ),
];

export const traits: readonly Traits[] = [
  {
    name: 'zig test',
    failing: [
      [
        '2 passed; 0 skipped; 1 failed.',
        'Build Summary: 1/3 steps succeeded; 1 failed; 2/3 tests passed; 1 failed',
        'error: the following test command failed with exit code 1:',
      ],
    ],
    bad: /^error: the following (?:test|build) command failed/m,
  },
  // What failed is told again at the end of all.
  {
    name: 'forge test',
    failing: [
      [
        'Encountered a total of 1 failing tests, 2 tests succeeded',
        'Suite result: FAILED. 2 passed; 1 failed; 0 skipped; finished in 41.20ms (12.00ms CPU time)',
      ],
    ],
    bad: /^Encountered (?:a total of )?[1-9]\d* failing tests?\b/m,
  },
  { name: 'crystal spec', finds: true },
];
