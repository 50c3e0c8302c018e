// How a project is tested, as its files say, and how the part of it that changed is, where the whole has no tests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { projectCommands } from '../../src/gate/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { judge, leadingClaim, readContract } from '../../src/rules/index.ts';
import { claim, edit, evidence } from '../rules/cases.ts';

const places: string[] = [];
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'foil-project-'));
  places.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The command that the gate names for a claim of this change. */
function advised(files: Readonly<Record<string, string>>, changed: string, whole = false) {
  const judgement = judge({
    claims: [claim('tested', whole ? 'All tests pass' : 'Tests pass', { whole })],
    disclosures: [],
    evidence: evidence({ changes: [edit(1, changed)] }),
    contract: readContract('fix it', DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: projectCommands(project(files), [changed]),
  });
  return leadingClaim(judgement)?.suggestion?.command ?? null;
}

const TESTED = '{"scripts":{"test":"vitest run"}}';
const WORKSPACE = { 'package.json': '{"workspaces":["packages/*"]}', 'packages/a/package.json': TESTED };
const PNPM = {
  'package.json': '{}',
  'pnpm-workspace.yaml': '',
  'pnpm-lock.yaml': '',
  'packages/a/package.json': TESTED,
};
const BARE = 'def test_m():\n    assert True\n';
const UNITTEST = 'import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n';

describe('B3b the command that tests what changed', () => {
  it.each<[string, Readonly<Record<string, string>>, string, string | null, string | null]>([
    ['a package with tests', { 'package.json': TESTED }, 'src/a.js', 'npm test', 'npm test'],
    [
      'a Makefile',
      { 'package.json': '{}', Makefile: '.PHONY: test\ntest:\n\tx\n' },
      'a.js',
      'make test',
      'make test',
    ],
    ['a workspace of npm', WORKSPACE, 'packages/a/src/x.js', 'cd packages/a && npm test', null],
    ['one of pnpm', PNPM, 'packages/a/x.js', 'cd packages/a && pnpm test', null],
    ['one of yarn', { ...WORKSPACE, 'yarn.lock': '' }, 'packages/a/x.js', 'cd packages/a && yarn test', null],
    [
      'a folder of another language',
      { 'services/api/go.mod': 'module a' },
      'services/api/in/a.go',
      'cd services/api && go test ./...',
      null,
    ],
    [
      'a package without tests',
      { ...WORKSPACE, 'packages/b/package.json': '{}' },
      'packages/b/x.js',
      null,
      null,
    ],
    ['pytest', { 'test_m.py': BARE }, 'm.py', 'python3 -m pytest', 'python3 -m pytest'],
    ['the test itself', { 'test_m.py': BARE }, 'test_m.py', 'python3 -m pytest', 'python3 -m pytest'],
    [
      'unittest',
      { 'test_m.py': UNITTEST },
      'm.py',
      'python3 -m unittest discover -s .',
      'python3 -m unittest discover -s .',
    ],
    [
      'unittest in a folder',
      { 'tests/test_m.py': UNITTEST },
      'lib/m.py',
      'python3 -m unittest discover -s tests',
      'python3 -m unittest discover -s tests',
    ],
    ['a Python file without a test', { 'test_other.py': BARE }, 'm.py', null, null],
  ])('%s', (_, files, changed, part, whole) => {
    expect(advised(files, changed)).toBe(part);
    expect(advised(files, changed, true)).toBe(whole);
  });

  it('leaves alone what lies elsewhere', () => {
    const root = project({ 'a/package.json': TESTED });
    expect(projectCommands(join(root, 'b'), ['../a/x.js', `${root}/a/x.js`]).test).toBeNull();
  });
});
