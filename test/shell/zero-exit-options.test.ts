// With an exit code of 0 of the whole line: must the check itself have exited 0? Each trick is refused by its own words.
import { describe, expect, it } from 'vitest';
import { isOwn } from '../../src/format/index.ts';
import { readCommand } from '../../src/shell/index.ts';

const flawOf = (command: string, runner = 'pytest', changed: string[] = []) =>
  readCommand(command, { cwd: '/w', root: '/w', changed }).checks.find((check) => check.runner === runner)
    ?.flaw;

describe('the exit code of a line is the check’s own', () => {
  it.each([
    'pytest',
    'cd api && pytest',
    'npm ci && pytest && echo fine',
    'pytest || exit 1',
    'pytest || { echo failed; exit 1; }',
    'pytest || (echo failed; false)',
    'pytest || false',
    'false || pytest',
    'rm -f x || true; pytest',
    '(rm x || true) && pytest',
    'set -e; pytest; echo done',
    'set -euo pipefail; pytest | tee log; echo done',
    'bash -eo pipefail -c "pytest | tee log; echo done"',
    'set -o pipefail && pytest | tail -3',
    `pytest | tee log; exit \${PIPESTATUS[0]}`,
    `pytest | tee log; test \${PIPESTATUS[0]} -eq 0`,
    'pytest; rc=$?; echo $rc; exit $rc',
    'pytest; exit $?',
    'pytest; exit',
    'rc=0; pytest || rc=$?; cat log; exit $rc',
    'rc=0; pytest || rc=1; exit "$rc"',
    'pytest; [ $? -eq 0 ] && echo fine',
    'pytest; if [ $? -ne 0 ]; then exit 1; fi',
    'pytest; [[ $? == 0 ]]',
    'out=$(pytest 2>&1); rc=$?; echo "$out"; exit $rc',
    'if pytest; then echo fine; else exit 1; fi',
    'if ! pytest; then exit 1; fi',
    'for i in 1 2; do pytest || exit 1; done',
    'set -e; for i in 1 2; do pytest; done',
    'until pytest; do sleep 1; done',
    'pytest & wait $!',
    'pytest & pid=$!; sleep 1; wait $pid',
    'run() { pytest "$@"; }; run tests',
    'check() { pytest || return 1; echo fine; }; check',
    'trap "rm -rf tmp" EXIT; pytest',
    'pytest > log 2>&1',
    '! ! pytest',
    'time pytest',
    'exec pytest',
    'eval "pytest -q"',
    'bash <<EOF\npytest\nEOF',
    'pytest # || true',
    'echo "pytest || true" && pytest',
    'source .venv/bin/activate && pytest',
    'export PATH="$HOME/.local/bin:$PATH" && pytest',
    'PATH=$PATH:/extra pytest',
    'T=tests; pytest $T',
    'pytest; rc=$?; unset FOO; export DONE=1; exit $rc',
    'pytest > log; rc=$?; while read -r l; do echo "$l"; done < log; exit $rc',
    'a=$(date +%s); pytest; rc=$?; b=$(date +%s); echo "rc=$rc after $((b-a))s"; exit $rc',
    'pytest; rc=$?; for f in a b; do rm -f $f; done; exit $rc',
    'rc=0; for f in a b; do pytest $f || rc=1; done; exit $rc',
    'f() { pytest; local rc=$?; echo $rc; return $rc; }; f',
    "trap 'rc=$?; rm -rf tmp; exit $rc' EXIT; pytest",
    'cleanup() { rc=$?; rm -rf tmp; exit $rc; }; trap cleanup EXIT INT TERM; pytest',
    "trap 'echo failed at $LINENO' ERR; pytest",
    'eval "$(pyenv init -)"; pytest',
    'shopt -s globstar nullglob; pytest',
    'n=0; until pytest; do n=$((n+1)); [ $n -ge 3 ] && exit 1; sleep 1; done',
    'readonly ROOT=/w; cd $ROOT && pytest',
    'IFS=, read -r a b <<< "1,2"; pytest',
  ])('%s', (command) => {
    // That the line may write afterwards, as `tee` does, takes no exit code away.
    expect(isOwn({ flaw: flawOf(command) ?? null })).toBe(true);
    expect(flawOf(command)).not.toBeUndefined();
  });
});

describe('B4a a trick is refused, and its words are told', () => {
  it.each([
    ['pytest || true', 'masked', '|| true'],
    ['pytest || :', 'masked', '|| :'],
    ['pytest || echo failed', 'masked', '|| echo failed'],
    ['pytest && echo ok || echo bad', 'masked', '|| echo bad'],
    ['pytest; true', 'masked', '; true'],
    ['pytest; echo $?', 'masked', '; echo $?'],
    ['pytest\necho done', 'masked', '; echo done'],
    ['pytest | tail -3', 'masked', '| tail -3'],
    ['pytest |& tee log', 'masked', '|& tee log'],
    ['set -e; pytest | tail; echo x', 'masked', '| tail'],
    ['set -o pipefail; set +o pipefail; pytest | cat', 'masked', '| cat'],
    ['set -e; set +e; pytest; echo x', 'masked', '; echo x'],
    ['set -e; pytest && echo ok; echo end', 'masked', '; echo end'],
    ['! pytest', 'masked', '! pytest'],
    ['if pytest; then echo ok; fi', 'masked', 'if pytest'],
    ['if [ -d tests ]; then pytest; fi', 'masked', 'if [ -d tests ]'],
    ['while ! pytest; do break; done', 'masked', '! pytest'],
    ['for f in $FILES; do pytest $f || exit 1; done', 'masked', 'for f'],
    ['for f in a b; do pytest $f; done', 'masked', 'for f'],
    ['echo "$(pytest)"', 'masked', '$(pytest)'],
    ['local out=$(pytest)', 'masked', '$(pytest)'],
    ['diff <(pytest) expected', 'masked', '<(pytest)'],
    ['case x in x) pytest;; esac', 'masked', 'case x'],
    ['(pytest; exit 0)', 'masked', '; exit 0'],
    ['pytest; exit 0', 'masked', '; exit 0'],
    ["trap 'exit 0' EXIT; pytest", 'masked', "trap 'exit 0' EXIT"],
    ['rc=0; pytest || rc=$?; rc=0; exit $rc', 'masked', '|| rc=$?'],
    ['pytest; rc=$?; rc=0; exit $rc', 'masked', '; rc=$?'],
    ['{ pytest; } || true', 'masked', '|| true'],
    ['(pytest) || true', 'masked', '|| true'],
    ['bash -c "pytest; true"', 'masked', '; true'],
    ['bash -c "pytest" || true', 'masked', '|| true'],
    ['set -e; bash -c "pytest; true"', 'masked', '; true'],
    ['eval "pytest || true"', 'masked', '|| true'],
    ['exit() { :; }; pytest || exit 1', 'masked', '|| exit 1'],
    ['find . -name "test_*.py" -exec pytest {} \\;', 'masked', 'find -exec'],
    ['script -qc pytest /dev/null', 'masked', 'script'],
    ['watch pytest', 'masked', 'watch'],
    ['f() { pytest; true; }; f', 'masked', '; true'],
    ['f() { pytest; return 0; }; f', 'masked', '; return 0'],
    ['f() { false || return 1; set -e; }; f; pytest; true', 'masked', '; true'],
    ['pytest || return 1; true', 'masked', '; true'],
    ['set -n; pytest', 'masked', 'set -n'],
    ['set -o noexec; pytest', 'masked', 'set -o noexec'],
    ['pytest; rc=$?; unset rc; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; read rc <<< 0; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; builtin read rc <<< 0; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; ((rc=0)); exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; let rc=0; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; printf -v rc 0; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; for rc in 0; do :; done; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; while :; do rc=0; break; done; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; mapfile rc <<< 0; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; getopts a rc; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; rc=(0); exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; declare -n r=rc; r=0; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; coproc rc { :; }; wait; exit $rc', 'masked', '; rc=$?'],
    ['pytest; rc=$?; select rc in 0; do break; done <<< 1; exit $rc', 'masked', '; rc=$?'],
    ['f() { local rc; pytest; rc=$?; }; rc=0; f; exit $rc', 'masked', '; rc=$?'],
    ["x='rc=0'; pytest; rc=$?; : $((x)); exit $rc", 'masked', '; rc=$?'],
    ['rc=0; pytest || rc=256; exit $rc', 'masked', '|| rc=256'],
    ['pytest; rc=$?; eval "$(echo rc=0)"; exit $rc', 'masked', '; rc=$?'],
    ['set -e; eval "$(echo exit 0)"; pytest', 'masked', 'eval $(echo exit 0)'],
    ["trap 'rc=0' DEBUG; pytest", 'masked', "trap 'rc=0' DEBUG"],
    ['trap bye EXIT; bye() { exit 0; }; pytest', 'masked', "trap 'bye' EXIT"],
    ["set -e; trap 'exit 0' ERR; pytest", 'masked', "trap 'exit 0' ERR"],
    ['set -o pipefail; shopt -uo pipefail; pytest | cat', 'masked', '| cat'],
    ['enable -n exit; pytest; rc=$?; exit $rc; true', 'masked', '; rc=$?'],
    ['env SHELLOPTS=noexec bash -c pytest', 'shadowed', 'SHELLOPTS=noexec'],
    ['pytest &', 'background', 'pytest &'],
    ['nohup pytest > log 2>&1 &', 'background', '&'],
    ['pytest & wait', 'background', 'pytest &'],
    ['(pytest &)', 'background', 'pytest &'],
    ['coproc pytest', 'background', 'coproc'],
    ['docker compose run -d app pytest', 'background', 'run -d'],
    ['pytest --collect-only', 'dry-run', '--collect-only'],
    ['pytest --co -q', 'dry-run', '--co'],
    ['pytest --help', 'dry-run', '--help'],
    ['PYTEST_ADDOPTS=--collect-only pytest', 'dry-run', '--collect-only'],
    ['export PYTEST_ADDOPTS=--collect-only; pytest', 'dry-run', '--collect-only'],
    ['env PYTEST_ADDOPTS="-q --co" pytest', 'dry-run', '--co'],
    ['pytest() { echo ok; }; pytest', 'shadowed', 'function pytest'],
    ['function pytest { :; }; pytest -q', 'shadowed', 'function pytest'],
    ["alias pytest='true'; pytest", 'shadowed', 'alias pytest=true'],
    ['PATH=./fake:$PATH pytest', 'shadowed', 'PATH=./fake:$PATH'],
    ['export PATH=/tmp/fake:$PATH; pytest', 'shadowed', 'PATH=/tmp/fake:$PATH'],
    ['env PATH=fake pytest', 'shadowed', 'PATH=fake'],
    ['hash -p /bin/true pytest; pytest', 'shadowed', 'hash -p /bin/true pytest'],
    ['LD_PRELOAD=./x.so pytest', 'shadowed', 'LD_PRELOAD=./x.so'],
    ['source /tmp/env.sh; pytest', 'shadowed', 'source /tmp/env.sh'],
    ['echo "pytest() { :; }" > env.sh; . ./env.sh; pytest', 'shadowed', 'source ./env.sh'],
    ['command_not_found_handle() { :; }; pytest', 'shadowed', 'command_not_found_handle'],
    ['true || pytest', 'not-a-check', 'true ||'],
    ['exit 0; pytest', 'not-a-check', 'exit 0'],
    ['if false; then pytest; fi', 'not-a-check', 'if false'],
    ['true # pytest', 'not-a-check', '# pytest'],
    ['# pytest\ntrue', 'not-a-check', '# pytest'],
    [': pytest -q', 'not-a-check', ': pytest -q'],
    ['echo pytest', 'not-a-check', 'echo pytest'],
    ['P=true; $P pytest', 'not-a-check', 'true pytest'],
    ['which pytest', 'not-a-check', 'which pytest'],
    ['cat <<EOF\npytest: 5 passed\nEOF', 'not-a-check', '5 passed'],
  ])('%s', (command, code, words) => {
    const flaw = flawOf(command);
    expect(flaw?.code).toBe(code);
    expect(flaw?.detail).toContain(words);
  });

  it.each([
    ['npx() { echo x; }; npx vitest run', 'vitest', 'shadowed', 'function npx'],
    ['npm test --script-shell=/bin/true', 'npm test', 'shadowed', '--script-shell=/bin/true'],
    ['npm pkg set scripts.test="exit 0" && npm test', 'npm test', 'shadowed', 'package.json'],
    ['go test -exec true ./...', 'go test', 'shadowed', '-exec true'],
    ['make SHELL=/bin/true test', 'make test', 'shadowed', 'SHELL=/bin/true'],
    ['make -i test', 'make test', 'masked', 'make -i'],
    ['flake8 --exit-zero', 'flake8', 'masked', '--exit-zero'],
    ['mvn test -Dmaven.test.failure.ignore=true', 'mvn test', 'masked', '-Dmaven.test.failure.ignore=true'],
    ['npx jest --listTests', 'jest', 'dry-run', '--listTests'],
    ['vitest list', 'vitest', 'dry-run', 'vitest list'],
    ['go test -list . ./...', 'go test', 'dry-run', '-list'],
    ['cargo test --no-run', 'cargo test', 'dry-run', '--no-run'],
    ['cargo test -- --list', 'cargo test', 'dry-run', '--list'],
    ['dotnet test --list-tests', 'dotnet test', 'dry-run', '--list-tests'],
    ['phpunit --list-tests', 'phpunit', 'dry-run', '--list-tests'],
    ['rspec --dry-run', 'rspec', 'dry-run', '--dry-run'],
    ['npx playwright test --list', 'playwright', 'dry-run', '--list'],
    ['mocha --dry-run', 'mocha', 'dry-run', '--dry-run'],
    ['ctest -N', 'ctest', 'dry-run', '-N'],
    ['make -n test', 'make test', 'dry-run', '-n'],
    ['gradle test --dry-run', 'gradle test', 'dry-run', '--dry-run'],
    ['npm test -- --listTests', 'npm test', 'dry-run', '--listTests'],
    ['docker compose up -d', 'docker compose up', 'background', '-d'],
    ['npx turbo run test --dry', 'turbo test', 'dry-run', '--dry'],
    ['git push --dry-run', 'git push', 'dry-run', '--dry-run'],
    ['npm publish --dry-run', 'npm publish', 'dry-run', '--dry-run'],
  ])('%s', (command, runner, code, words) => {
    const flaw = flawOf(command, runner);
    expect(flaw?.code).toBe(code);
    expect(flaw?.detail).toContain(words);
  });

  it.each([
    ['./node_modules/.bin/vitest run', 'vitest', 'node_modules/.bin/vitest'],
    ['npx vitest run', 'vitest', 'node_modules/.bin/vitest'],
    ['python3 -m pytest', 'pytest', 'pytest.py'],
    ['PYTHONPATH=stubs pytest', 'pytest', 'stubs/pytest.py'],
    ['bash run_tests.sh', 'run_tests.sh', 'run_tests.sh'],
    ['cd sub && ./gradlew test', 'gradle test', 'sub/gradlew'],
    ['. ./env.sh && pytest', 'pytest', 'env.sh'],
  ])('%s where this session changed what runs', (command, runner, changed) => {
    expect(flawOf(command, runner)).toBeNull();
    expect(flawOf(command, runner, [changed])).toMatchObject({ code: 'shadowed' });
  });

  it('a changed program is a run of it, not a shadow', () => {
    expect(flawOf('python3 tools/report.py', 'python', ['tools/report.py'])).toBeNull();
    expect(flawOf('pytest tests/test_a.py', 'pytest', ['tests/test_a.py', 'conftest.py'])).toBeNull();
  });

  it('runs no function that may not be there', () => {
    const sure = (command: string) =>
      readCommand(command, { cwd: '/w', root: '/w' }).checks.some((check) => isOwn(check));
    expect(sure('run() { pytest; }; run')).toBe(true);
    for (const trick of [
      '[ -n "" ] && ls() { pytest; }; ls',
      'ls() { pytest; }; unset -f ls; ls',
      'ls() { pytest; }; bash -c ls',
      'run() { true; }; false && run() { pytest; }; run',
    ])
      expect(sure(trick), trick).toBe(false);
  });

  it('judges every check of a line for itself', () => {
    const { checks } = readCommand('npm run lint; npm test && npm run build', { cwd: '/w', root: '/w' });
    expect(checks.map(({ kind, flaw }) => [kind, flaw?.code ?? null])).toEqual([
      ['lint', 'masked'],
      ['test', null],
      ['build', null],
    ]);
  });
});
