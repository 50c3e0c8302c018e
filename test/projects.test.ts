import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { divideTests } from './projects.ts';
import { temporary } from './temporary.ts';

function divided(files: Readonly<Record<string, string>>): ReturnType<typeof divideTests> {
  const root = temporary();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return divideTests(root);
}

it('every test file is in one project; slow ones and those of real agents are in none', () => {
  const { unit, process } = divideTests(join(import.meta.dirname, '..'));
  const all = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.slow.test.ts'))
    .filter((name) => !name.startsWith('hosts/'))
    .map((name) => join('test', name));
  expect([...unit, ...process].sort()).toEqual(all.sort());
  expect(unit).toContain('test/core/merkle.test.ts');
  expect(process).toContain('test/cli/bundle.test.ts');
});

it('what a file reaches decides, however far away it is', () => {
  const files = {
    'test/plain.test.ts': "import { a } from '../src/a.ts';",
    'test/own.test.ts': `import { spawn } from '${'node:child'}_process';`,
    'test/far.test.ts': "import { b } from './b.ts';",
    'test/b.ts': "export { c } from './deep/c.ts';",
    'test/deep/c.ts': `const FOIL = '../${'dist'}/foil.cjs';`,
    'test/built.test.ts': "import { thread } from '../src/thread.ts';",
    'test/long.slow.test.ts': '',
    'src/a.ts': `import { spawn } from '${'node:child'}_process'; import './b.ts';`,
    'src/b.ts': "import './a.ts';",
    'src/thread.ts': `new Worker('${'worker'}.cjs');`,
  };
  expect(divided(files)).toEqual({
    unit: ['test/plain.test.ts'],
    process: ['test/built.test.ts', 'test/far.test.ts', 'test/own.test.ts'],
  });
});
