// Data: dbt, and clients of databases, which run what they are given. A script that they run is their target; a query on
// the command line says nothing of any file.
import { type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { each, type Table, type Tool, whole, withVerbs } from '../tool.ts';

/** `dbt build` runs the models and their tests. */
const DBT: Tool = {
  kind: 'test',
  runner: 'dbt',
  selectors: '-s --select --models -m',
  excludes: '--exclude',
  directory: '--project-dir',
  values: '--profiles-dir --profile -t --target --vars --threads',
  bare: 'nothing',
  dry: '--empty',
};

export const programs = (): Table => ({
  dbt: withVerbs('run', 'dbt', {
    ...each('build test', (sub) => ({ ...DBT, runner: `dbt ${sub}` })),
    run: { ...DBT, kind: 'run', runner: 'dbt run', selectors: '', values: `${DBT.values} -s --select` },
    compile: { ...DBT, kind: 'build', runner: 'dbt compile' },
    parse: { ...DBT, kind: 'lint', runner: 'dbt parse' },
  }),
  psql: whole('run', 'psql', {
    targets: '-f --file',
    values:
      '-d --dbname -h --host -p --port -U --username -c --command -v --set -o --output -P --pset -F -R -T',
  }),
  ...each('mysql mariadb', () =>
    whole('run', 'mysql', { values: '-h --host -P --port -u --user -D --database -e --execute' }),
  ),
  sqlite3: whole('run', 'sqlite3', { targets: '-init', values: '-cmd -separator' }),
  duckdb: whole('run', 'duckdb', { targets: '-f -init', values: '-c -cmd' }),
});

export const outputs: readonly Output[] = [
  // Done. PASS=4 WARN=0 ERROR=0 SKIP=0 TOTAL=4
  oneLine(
    'dbt',
    'Done. PASS=',
    /^(?:[\d:.]{5,16}\s+)?Done\. PASS=<passed> WARN=\d{1,9} ERROR=<failed> SKIP=<skipped>/,
  ),
];

export const traits: readonly Traits[] = [
  { name: 'dbt', failing: ['10:01:12  Done. PASS=2 WARN=0 ERROR=1 SKIP=0 TOTAL=3'] },
];
