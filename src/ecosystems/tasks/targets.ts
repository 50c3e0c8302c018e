// Runners of targets and pipelines of a project, whatever they run: make, just, task.
import type { TestConfig } from '../runner.ts';
import { each, found, type Reader, readOptions, type Table, type Tool } from '../tool.ts';
import { goal, goals, scriptKind } from './scripts.ts';

/** `make -C dir target VAR=value`. */
const make: Reader = (args) => {
  const given = args.filter((arg) => !/^-j\d*$/.test(arg) && !/^\w+[:?+]?=/.test(arg));
  return goals('make', readOptions(MAKE, given), 'build', /^check$/);
};

const MAKE: Tool = {
  kind: 'build',
  runner: 'make',
  values: '-j -f --file --makefile -l -o -W -I --jobs',
  flags: '-B -k -s -w --always-make --keep-going --silent',
  directory: '-C --directory',
  dry: '-n --just-print --recon -q --question -p -h -v',
};

const JUST = {
  values: '-f --justfile --set --shell',
  directory: '-d --working-directory',
  dry: '-n -l --list --summary --show -s --evaluate',
};

export const programs = (): Table => ({
  ...each('make gmake', () => make),
  just: goal('just', JUST),
  task: goal('task', {
    values: '-t --taskfile -o -c --concurrency',
    directory: '-d --dir',
    dry: '-n --dry -l --list -a --list-all --status',
  }),
  mage: goal('mage', { directory: '-d -w', dry: '-l' }),
  earthly: (args) => {
    const name = (args.find((arg) => arg.includes('+')) ?? '').split('+')[1] ?? '';
    return name === '' ? null : found(scriptKind(name), `earthly +${name}`);
  },
  mise: (args) => (args[0] === 'run' || args[0] === 'r' ? goal('mise run')(args.slice(1), 'mise') : null),
});

export const config: TestConfig = {
  names:
    'project\\.json|nx\\.json|turbo\\.json|(?:gnu)?makefile|[a-z0-9._-]+\\.mk|justfile|taskfile\\.ya?ml|dune-project|build\\.zig',
  lines: [['loosen', /\.ya?ml$/, /\b(?:continue-on-error|continueOnError):\s*true|\ballow_failure:\s*true/]],
};
