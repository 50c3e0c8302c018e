// tox and nox, which run tests in environments of their own.
import type { TestConfig, Traits } from '../runner.ts';
import type { Table, Tool } from '../tool.ts';

const session = (runner: string): Tool => ({
  kind: 'test',
  runner,
  // An environment says with what tests are run, not which.
  values:
    '-c --conf -p --parallel --workdir --result-json --default-python -f --noxfile -e -s --session --sessions --env',
  flags: '-q -v -r --recreate -R --reuse-existing-virtualenvs -x --force-color',
  selectors: '-t --tags -k -m',
  dry: '-l --listenvs --list --notest -n --devenv --showconfig',
  bare: 'nothing',
});

export const programs = (): Table => ({
  tox: {
    ...session('tox'),
    subs: {
      run: session('tox'),
      r: session('tox'),
      'run-parallel': session('tox'),
      p: session('tox'),
      list: null,
      l: null,
      devenv: null,
    },
  },
  nox: session('nox'),
});

export const traits: readonly Traits[] = [
  { name: 'tox', module: 'tox' },
  { name: 'nox', module: 'nox' },
];

export const config: TestConfig = {
  projects: [['tox.ini', 'tox', null]],
  names: 'tox\\.ini|noxfile\\.py',
  members: [
    [/testenv/, /^commands$/, 'command'],
    [/^/, /^ignore_(?:outcome|errors)$/, 'loosens'],
  ],
};
