// Django.
import type { TestConfig, Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';
import { withModules } from './unittest.ts';

export const manage: Reader = (args) => {
  const [command, ...rest] = args;
  switch (command) {
    case 'test': {
      const tool: Tool = {
        kind: 'test',
        runner: 'django test',
        values:
          '-v --verbosity --settings --pythonpath --parallel -p --pattern --testrunner -t --top-level-directory',
        flags:
          '--failfast --keepdb --noinput --no-input -r --reverse -d --debug-sql --debug-mode --shuffle -b --buffer',
        selectors: '-k --tag',
        excludes: '--exclude-tag',
      };
      return withModules(readOptions(tool, rest));
    }
    case 'check':
      return found('build', 'django check');
    case 'migrate':
      return found('ship', 'django migrate', {
        dry: rest.find((arg) => arg === '--plan' || arg === '--check') ?? null,
      });
    case undefined:
    case 'shell':
    case 'help':
      return null;
    default:
      return found('run', `django ${command}`);
  }
};

export const programs = (): Table => ({ 'django-admin': manage });

export const traits: readonly Traits[] = [{ name: 'django test', module: 'django' }];

export const config: TestConfig = { names: 'manage\\.py' };
