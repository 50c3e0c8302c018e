// PHP as the program that runs a script, and the tools of its projects.
import type { Traits } from '../runner.ts';
import { goal } from '../tasks/scripts.ts';
import {
  each,
  type Found,
  found,
  lint,
  own,
  plainTest,
  type Reader,
  readOptions,
  readTool,
  type Table,
  types,
  withVerbs,
} from '../tool.ts';
import { phpunit, programs as runners } from './phpunit.ts';

const php: Reader = (args, name) => {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && args[index - 1] !== '-d' && args[index - 1] !== '-c',
  );
  if (args.includes('-l'))
    return found('build', 'php -l', { targets: args.filter((arg) => !arg.startsWith('-')) });
  if (args.includes('-r')) return found('run', 'php -r');
  if (args[0] === '-v' || args[0] === '--version') return found('run', 'php', { dry: args[0] });
  if (args[0] === '-S') return found('run', 'php -S');
  const script = args[at];
  if (script === undefined) return null;
  const base = script.slice(script.lastIndexOf('/') + 1);
  const rest = args.slice(at + 1);
  if (base === 'artisan') return artisan(rest);
  if (base === 'console' && rest[0]?.startsWith('lint:')) return found('lint', rest[0]);
  if (base === 'console' && rest[0]?.includes('migrations:migrate')) return found('ship', rest[0]);
  const named = base.replace(/\.phar$/, '');
  const tool = own(programs(), named) ?? own(runners(), named);
  return tool !== undefined && base !== 'php'
    ? readTool(tool, rest, name)
    : found('run', 'php', { targets: [script] });
};

function artisan(rest: readonly string[]): Found | null {
  const [sub = ''] = rest;
  if (sub === 'test') return readOptions(phpunit('artisan test'), rest.slice(1));
  if (sub === 'dusk') return readOptions(phpunit('artisan dusk'), rest.slice(1));
  if (sub.startsWith('migrate'))
    return found('ship', `artisan ${sub}`, { dry: rest.find((arg) => arg === '--pretend') ?? null });
  return sub === '' || sub === 'tinker' || sub.startsWith('make:') ? null : found('run', `artisan ${sub}`);
}

export const programs = (): Table => ({
  codecept: withVerbs('test', 'codecept', {
    run: plainTest('codecept', '', { selectors: '-g --group', bare: 'selectors' }),
  }),
  behat: plainTest('behat', '-c -p', { selectors: '--tags --name --suite', dry: '--dry-run -dl' }),
  phpspec: withVerbs('test', 'phpspec', { run: plainTest('phpspec') }),
  php,
  phpstan: withVerbs(
    'types',
    'phpstan',
    each('analyse analyze', () =>
      types('phpstan', '-c --configuration -l --level --memory-limit --error-format -a'),
    ),
  ),
  psalm: types('psalm', '-c --config'),
  phpcs: lint('phpcs', '--standard --extensions --ignore'),
  'php-cs-fixer': (args) =>
    args[0] === 'fix' || args[0] === 'check'
      ? found('format', 'php-cs-fixer', { rewrites: args[0] === 'fix' && !args.includes('--dry-run') })
      : null,
  pint: (args) => found('format', 'pint', { rewrites: !args.includes('--test') }),
  composer: (args) => {
    const words = args.filter((arg, at) => !(at === 0 && (arg === 'run' || arg === 'run-script')));
    return goal(
      'composer',
      { directory: '-d --working-dir' },
      'install update require remove dump-autoload dumpautoload show outdated audit init create-project global config self-update validate exec why why-not clear-cache licenses search status suggests fund bump reinstall about archive browse check-platform-reqs depends diagnose',
    )(words, 'composer');
  },
});

export const traits: readonly Traits[] = [
  {
    name: 'php',
    good: /^No syntax errors detected in /m,
    bad: /^(?:PHP )?(?:Parse|Fatal) error: |^Errors parsing /m,
  },
  { name: 'phpstan', good: /^ \[OK\] No errors/m, failing: [' [ERROR] Found 1 error'] },
  { name: 'phpcs', bad: /^FOUND [1-9]\d* ERRORS?\b/m, failing: ['FOUND 1 ERROR AFFECTING 1 LINE'] },
  {
    name: 'php-cs-fixer',
    good: /^(?:Found|Fixed) 0 of \d+ files\b/m,
    bad: /^Found [1-9]\d* of \d+ files that can be fixed\b/m,
    failing: ['Found 1 of 12 files that can be fixed in 0.123 seconds, 14.00 MB memory used'],
  },
  {
    name: 'pint',
    good: /^ +PASS +\.{3,} \d+ files?$/m,
    bad: /^ +FAIL +\.{3,} \d+ files?, [1-9]\d* style issues?\b/m,
    failing: ['  FAIL   ............................................ 12 files, 1 style issue'],
  },
];
