// Transcripts in which something went on after the tests had passed, as `foil scan` judges them: what leaves the code as it
// was overtakes nothing.
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/capture/hooks/claude-code.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { SessionScan } from '../../src/gate/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';

const TAP = '# tests 2\n# suites 0\n# pass 2\n# fail 0\n';

function verdict(message: string, ...told: readonly JsonObject[]): string | undefined {
  const scan = new SessionScan(DEFAULT_POLICY);
  const all = [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Fix src/sum.js' },
    write('src/sum.js', 'update'),
    ...told,
    { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: message },
  ];
  let found: string | undefined;
  for (const each of all) {
    const events = claudeCode.read({ session_id: 's', cwd: '/work/app', ...each }, null);
    for (const event of events) found = scan.take(event, null)?.verdict ?? found;
  }
  return found;
}

const done = (tool_name: string, tool_input: JsonObject, tool_response: JsonObject): JsonObject => ({
  hook_event_name: 'PostToolUse',
  tool_use_id: `toolu_${tool_name}`,
  tool_name,
  tool_input,
  tool_response,
});
const write = (path: string, type = 'create'): JsonObject =>
  done('Write', { file_path: `/work/app/${path}`, content: 'x' }, { type, content: 'x' });
const line = (command: string, stdout = ''): JsonObject =>
  done('Bash', { command }, { stdout, stderr: '', interrupted: false });
const TESTS = line('node --test', TAP);
const PASS = 'All tests pass.';

describe('B6 in a scan, the tests are fresh', () => {
  it.each([
    ['a script of the session was taken away', [write('check-api.js'), TESTS, line('rm check-api.js')]],
    ['what it ran was taken away', [write('a.js'), TESTS, line('node a.js', 'ok'), line('rm -f a.js')]],
    ['a device of Windows was written to', [TESTS, line('ping -n 2 127.0.0.1 >nul 2>&1')]],
    ['the work was put aside and brought back', [TESTS, line('git stash -q'), line('git stash pop -q')]],
    ['that was one line', [TESTS, line('git stash && node old.js; git stash pop')]],
    [
      'other commits were looked at',
      [TESTS, line('for c in a1 b2; do git checkout -q $c; node x.js; done; git checkout -q main')],
    ],
  ])('where %s', (_, told) => {
    expect(verdict(PASS, ...told)).toBe('pass');
  });

  it.each([
    ['code was taken away', [TESTS, line('rm src/lib.js')]],
    ['new code was taken away', [write('src/lib.js'), TESTS, line('rm src/lib.js')]],
    ['a file was written', [TESTS, line('echo 1 >src/null.js')]],
    ['the work was put aside', [TESTS, line('git stash -q')]],
    ['it was changed beside', [TESTS, line('git stash'), write('src/b.js'), line('git stash pop')]],
    ['another commit is there', [TESTS, line('git checkout -q a1b2c3d')]],
    ['the packages are others', [TESTS, write('package.json', 'update')]],
  ])('but not where %s', (_, told) => {
    expect(verdict(PASS, ...told)).toBe('block');
  });

  it('for what was made, whatever packages a manifest names', () => {
    expect(verdict('Fixed the sum.', TESTS, write('package.json', 'update'))).toBe('pass');
    expect(verdict('Fixed the sum.', TESTS, write('src/b.js'))).toBe('block');
  });
});

describe('B6 a scan knows what lies outside of the project', () => {
  const TEMPORARY = '/tmp/x/notes.py';
  const SETTINGS = '/home/ann/.config/bar/bar.conf';
  function turnOf(prompt: string, path: string | null, message: string): string | undefined {
    const scan = new SessionScan(DEFAULT_POLICY);
    const all = [
      { hook_event_name: 'UserPromptSubmit', prompt },
      ...(path === null
        ? []
        : [done('Write', { file_path: path, content: 'x' }, { type: 'create', content: 'x' })]),
      { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: message },
    ];
    let found: string | undefined;
    for (const each of all)
      for (const event of claudeCode.read({ session_id: 's', cwd: '/work/app', ...each }, null))
        found = scan.take(event, null)?.verdict ?? found;
    return found;
  }

  it('an edit of the settings of the user is a change, one of a temporary file is none', () => {
    expect(turnOf('change my bar', SETTINGS, 'Fixed.')).toBe('pass');
    expect(turnOf('change my bar', TEMPORARY, 'Fixed.')).toBe('block');
    expect(turnOf('change my bar', null, 'Fixed.')).toBe('block');
  });
});

describe('B6 folders that are moved', () => {
  it('are what lies in them', () => {
    const moved = line('mv specs/a specs/b');
    expect(verdict(PASS, TESTS, write('specs/a/spec.md', 'create'), moved)).toBe('pass');
    expect(verdict(PASS, TESTS, write('src/a/sum.js', 'create'), line('mv src/a src/b'))).toBe('block');
  });
});
