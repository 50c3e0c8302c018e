// foil release, through the built file: hashes on record, signed, and files held against them.
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

it('O12 records the hashes of artifacts and tools under a checkpoint, and names what differs', () => {
  sandbox.ok(['init']);
  const [artifact, tool] = [sandbox.write('app.js', 'let a;\n'), sandbox.write('cc', 'tool')];
  const record = ['release', 'record', 'v1', 'app.js', '--tool', 'cc'];
  expect(JSON.parse(sandbox.ok([...record, '--json']))).toMatchObject({
    name: 'v1',
    files: [
      { path: 'app.js', role: 'artifact', sha256: sha256Hex(readFileSync(artifact)), bytes: 7 },
      { path: 'cc', role: 'tool', sha256: sha256Hex(readFileSync(tool)) },
    ],
  });
  const { counts } = sandbox.json(['verify']) as { counts: { unsealed: number } };
  expect(counts.unsealed).toBe(0);
  expect(sandbox.ok(['release', 'check', 'v1'])).toContain('✓ app.js: same\n');
  sandbox.write('app.js', 'let b;\n');
  expect(sandbox.run(['release', 'check', 'v1'])).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('✗ app.js: differs\n✓ cc: same\n'),
  });
  expect(sandbox.run(['release', 'check', 'v2']).code).toBe(3);
  symlinkSync('/etc/hostname', join(sandbox.work, 'link'));
  expect(sandbox.run(['release', 'record', 'v2', 'link']).code).toBe(2);
});

it('O12 tells that a release was recorded before with another hash', () => {
  sandbox.write('lib.js', 'let a;\n');
  const record = ['release', 'record', 'v3', 'lib.js', '--json'];
  const first = JSON.parse(sandbox.ok(record)) as { entry: number; recorded_otherwise: unknown };
  expect(first.recorded_otherwise).toEqual([]);
  expect(JSON.parse(sandbox.ok(record))).toMatchObject({ recorded_otherwise: [] });
  sandbox.write('lib.js', 'let b;\n');
  expect(sandbox.ok(record.slice(0, -1))).toContain(
    `! Entry ${first.entry} recorded this name with other files: lib.js\n`,
  );
  expect(sandbox.ok(['release', 'check', 'v3'])).toContain(`! Entry ${first.entry} recorded this name`);
});
