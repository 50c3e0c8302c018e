// O3: what a tool says it needs is what it would touch on this machine.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Grants, parseGrants, parseNeed } from '../../src/policy/index.ts';
import { needsHere } from '../../src/runtime/tool-needs.ts';

function judged(text: string): { need: string; allowed: boolean } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'foil-needs-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'out'));
  symlinkSync('/etc', join(root, 'out/led'));
  const { allow, deny } = parseGrants({ allow: ['fs:write:out/**'], deny: [] });
  const [need = ''] = needsHere([text.replace('ROOT', root)], root);
  const parsed = parseNeed(need);
  const allowed = parsed !== null && new Grants(allow, deny, root).decide(parsed).allowed;
  return { need: need.replace(root, 'ROOT'), allowed };
}

it.each([
  ['fs:write:ROOT/out/a', 'fs:write:ROOT/out/a', true],
  ['fs:write:out/a/b', 'fs:write:ROOT/out/a/b', true],
  ['fs:write:out/**', 'fs:write:ROOT/out/**', true],
  ['fs:write:out/led/passwd', 'fs:write:/etc/passwd', false],
  ['fs:write:ROOT/out/led/**', 'fs:write:/etc/**', false],
  ['fs:write:ROOT/out/../../a', 'fs:write:ROOT/out/../../a', false],
  ['fs:write:out/../a', 'fs:write:out/../a', false],
  ['fs:write:ROOT/out//a', 'fs:write:ROOT/out//a', false],
  ['fs:write:ROOT/out/./a', 'fs:write:ROOT/out/./a', false],
  ['fs:write:ROOT/out/a\0b', 'fs:write:ROOT/out/a\0b', false],
  ['fs:write:/**', 'fs:write:/**', false],
  ['fs:write:/', 'fs:write:/', false],
  ['fs:write:/proc/self/cwd/out/a', 'fs:write:/**', false],
  ['fs:write:/dev/fd/3/out/a', 'fs:write:/**', false],
  ['tool:call:add', 'tool:call:add', false],
])('O3 %j is %j', (text, need, allowed) => {
  expect(judged(text)).toEqual({ need, allowed });
});
