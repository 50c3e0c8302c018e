// A script or a setting outside of the project that is younger than the session stands in the runner's place.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Check } from '../../src/format/index.ts';
import { withLoaded, withoutStandIn } from '../../src/gate/stand-ins.ts';
import { readCommand } from '../../src/shell/index.ts';
import { temporary } from '../temporary.ts';

const checkOf = (command: string): Check => {
  const [check] = readCommand(command, { cwd: '/w', root: '/w' }).checks;
  if (check === undefined) throw new Error(command);
  return check;
};

it.each([
  ['pytest', 'bin/pytest', '#!/bin/sh\nexit 0\n', true],
  ['CI=1 pytest -q', 'bin/pytest', '#!/bin/sh\nexit 0\n', true],
  ['python3 -m pytest', 'bin/python3', '#!/bin/sh\necho "5 passed in 0.1s"\n', true],
  ['pytest', 'bin/pytest', '#!/usr/bin/python3\nimport sys\nprint("5 passed in 0.1s")\nsys.exit(0)\n', true],
  ['$HOME/bin/pytest', 'bin/pytest', '#!/bin/sh\nexit 0\n', true],
  ['~/bin/pytest -q', 'bin/pytest', '#!/bin/sh\nexit 0\n', true],
  ['npm test', '.npmrc', 'script-shell=/x/sh\n', true],
  [
    'pytest',
    'bin/pytest',
    '#!/usr/bin/python3\nimport sys\nfrom pytest import main\nsys.exit(main())\n',
    false,
  ],
  ['pytest', 'bin/other', '#!/bin/sh\nexit 0\n', false],
  ['npm test', '.npmrc', 'registry=http://localhost\n', false],
])('B4 %s, %s', (command, file, text, isRefused) => {
  const home = temporary();
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, file), text);
  const env = { HOME: home, PATH: `${home}/bin` };
  const later = Date.now() + 60_000;
  expect(withoutStandIn(checkOf(command), '/w', later, env).flaw).toBeNull();
  expect(withoutStandIn(checkOf(command), '/w', null, env).flaw).toBeNull();
  expect(withoutStandIn(checkOf(command), '/w', 1, env).flaw?.code ?? null).toBe(
    isRefused ? 'shadowed' : null,
  );
});

it('B4 a script that is younger than the session is recorded with what it loads', () => {
  const root = temporary();
  writeFileSync(join(root, 'scratch.mjs'), "// '../src/old.js'\nimport { total } from './src/cart.js'\n");
  const loaded = (begun: number | null) => withLoaded(checkOf('node scratch.mjs'), root, begun).targets;
  expect(loaded(1)).toContain('./src/cart.js');
  expect(loaded(1).join()).not.toContain('old');
  expect(loaded(Date.now() + 60_000)).toEqual(['scratch.mjs']);
  expect(loaded(null)).toEqual(['scratch.mjs']);
});
