// Lines that check one state of the code and leave another, and ways to have something else run in a runner's place.
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/shell/index.ts';

const WHERE = { cwd: '/w', root: '/w' };
const flawOf = (command: string, changed: readonly string[] = []) =>
  readCommand(command, { ...WHERE, changed }).checks.find(({ kind }) => kind === 'test')?.flaw?.code ?? null;

describe('B4 code that a line changes before its check and again after it', () => {
  it.each([
    'cp src/a.js ../s && sed -i s/1/2/ src/a.js && npm test && cp ../s src/a.js',
    'git stash -q && npm test && git stash pop -q',
    'mv test/a.test.js ../t.js; npm test; rc=$?; mv ../t.js test/a.test.js; exit $rc',
    'trap "cp ../s src/a.js" EXIT; sed -i s/1/2/ src/a.js; npm test',
    'restore() { git checkout src/a.js; }; trap restore EXIT; sed -i s/1/2/ src/a.js; npm test',
    'echo x > vitest.config.ts && npx vitest run && rm vitest.config.ts',
  ])('%s', (command) => {
    expect(flawOf(command)).toBe('masked');
  });

  it.each([
    'sed -i s/1/2/ src/a.js && npm test',
    'npm test && git add -A && git commit -m x',
    'rm -rf coverage && npm test && rm -rf coverage',
    'echo start > run.log && npm test && echo end > run.log',
    'trap "rm -rf $tmp" EXIT; sed -i s/1/2/ src/a.js; npm test',
    'npm test > "$LOG" && npm run lint > "$LOG2"',
    'cp a.js /tmp/a.js && npm test && rm /tmp/a.js',
  ])('is not seen in %s', (command) => {
    expect(flawOf(command)).not.toBe('masked');
  });
});

describe('B4 what runs in place of a runner', () => {
  it.each([
    'bash --rcfile ../env.sh -i -c "npm test"',
    'npm_config_script_shell=../sh npm test',
    'export NPM_CONFIG_SCRIPT_SHELL=/x/sh; npm test',
    'npm_config_userconfig=../rc npm test',
    'NODE_OPTIONS="--import=data:text/javascript,process.exit(0)" npm test',
    'node -r ../p.cjs --test',
    'node --import "data:text/javascript,process.exit(0)" --test',
    'npm config set script-shell /bin/true && npm test',
    'PYTHONPATH=/tmp/x pytest',
    'PYTEST_PLUGINS=green pytest',
    'PYTEST_ADDOPTS="-p green" pytest',
    'npx vitest run --reporter=/tmp/r.js',
    'printf "#!/bin/sh" > ~/.local/bin/pytest; chmod +x ~/.local/bin/pytest; pytest',
    'cp fake.py pytest.py && python3 -m pytest',
  ])('%s', (command) => {
    expect(flawOf(command)).toBe('shadowed');
  });

  it.each([
    ['node --import ./register.mjs --test', 'register.mjs'],
    ['node --require=./hook --test', 'hook.js'],
    ['node --test --test-reporter ./quiet.mjs', 'quiet.mjs'],
    ['node --loader ./l.mjs --test', 'l.mjs'],
    ['cd sub && npx mocha -r ./setup.js', 'sub/setup.js'],
    ['npx jest --reporters ./r.js', 'r.js'],
    ['pytest -p plugins.green', 'plugins/green.py'],
    ['python3 -m pytest', 'sitecustomize.py'],
    ['PYTHONPATH=stubs pytest', 'stubs/usercustomize.py'],
    ['pytest', '/home/u/tools/pytest'],
    ['npm test', '/home/u/.npmrc'],
    ['pytest -q -c ci.ini', 'ci.ini'],
    ['pytest --config-file=loose.ini', 'loose.ini'],
    ['node run-tests.js', 'run-tests.js'],
    ['bash test.sh', 'test.sh'],
  ])('%s where this session made %s', (command, changed) => {
    expect(flawOf(command)).toBeNull();
    expect(flawOf(command, [changed])).toBe('shadowed');
  });

  it.each(['node Test.js', 'node src/test.mjs', 'python test.py'])('a test is the work: %s', (command) => {
    expect(flawOf(command, [command.split(' ')[1] ?? ''])).toBeNull();
  });

  it.each([
    'node --import tsx --test',
    'node -r ./test/setup.cjs --test',
    'bash -lc "npm test"',
    'pytest -p no:cacheprovider -p xdist',
    'npx vitest run --reporter=verbose',
    'npx mocha -r ts-node/register --reporter dot',
    'npm config set fund false && npm test',
    'PYTHONPATH=src pytest',
  ])('is not seen in %s', (command) => {
    expect(flawOf(command, ['src/a.py', 'src/a.js'])).toBeNull();
  });

  it('CDPATH leads nobody knows where', () => {
    const directories = ['CDPATH=../x cd src && npm test', 'export CDPATH=/x; cd src && npm test'].map(
      (command) => readCommand(command, WHERE).checks[0]?.directory,
    );
    expect(directories).toEqual([null, null]);
  });
});

describe('B4 a target that the line itself adds', () => {
  const ends = (command: string) => readCommand(command, WHERE).checks.map(({ flaw }) => flaw?.code ?? null);
  it.each([
    ["printf 'lint:\\n\\truff check\\n' >> Makefile && make lint && make test", [null, null]],
    ["cat >> Makefile <<'E'\nunit:\n\tgo test ./...\nE\nmake unit", [null]],
    ["printf 'test:\\n\\t@echo ok\\n' >> Makefile && make test", ['shadowed']],
    ["printf 'lint:\\n\\truff check || true\\n' >> Makefile && make lint", ['shadowed']],
    ["printf 'lint:\\n\\t-ruff check\\n' >> Makefile && make lint", ['shadowed']],
    ["printf 'test:\\n\\truff check\\n' >> Makefile && make test", ['shadowed']],
    ["printf 'test: lint\\n' >> Makefile && make test", ['shadowed']],
    ["printf 'lint:\\n\\truff check\\n' > Makefile && make lint", ['shadowed']],
    ["printf '%s:\\n\\ttrue\\n' test >> Makefile && make test", ['shadowed']],
    ['echo >> Makefile && sed -i s/pytest/true/ Makefile && make test', ['shadowed']],
  ])('%s', (command, flaws) => {
    expect(ends(command)).toEqual(flaws);
  });
});
