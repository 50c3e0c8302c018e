// docs/add-a-validator.md is followed to the letter, on a copy of the sources: what it says is all that it takes.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { validatorTable, writeValidatorTable } from '../scripts/validators.mjs';
import { temporary } from './temporary.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/add-a-validator.md'), 'utf8');

/** Every block, with the last file that was named before it. */
function steps(): { file: string; language: string; text: string }[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: text = '', index }) => ({
    file: [...page.slice(0, index).matchAll(/`((?:src|test)\/[\w/.-]+\.ts)`/g)].at(-1)?.[1] ?? '',
    language,
    text,
  }));
}

function apply(diff: string, source: string): string {
  const lines = diff.split('\n').filter((line) => line !== '');
  const [before, after] = ['-', '+'].map((sign) =>
    lines
      .filter((line) => line[0] === ' ' || line[0] === sign)
      .map((line) => `${line.slice(1)}\n`)
      .join(''),
  );
  expect(source.split(before ?? '')).toHaveLength(2);
  return source.replace(before ?? '', after ?? '');
}

it('B14 the table of validators is that of their files', () => {
  const table = readFileSync(join(root, 'src/rules/validators/table.ts'), 'utf8');
  expect(table).toBe(validatorTable());
});

/** A project that lets nothing but the new validator settle what is said to be checked. */
const SESSION = `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newProject } from './recorded-project.ts';
import { makePackage, WorkingAgent } from './working-agent.ts';

it('settles a claim of an agent', async () => {
  const project = await newProject();
  makePackage(project.work);
  writeFileSync(join(project.work, 'counterfoil.yaml'), 'gate:\\n  claims:\\n    checked: [lint_pass]\\n');
  writeFileSync(join(project.work, 'package.json'), '{"type":"module","scripts":{"lint":"node --check src/sum.js"}}');
  const agent = new WorkingAgent(project, 'guard');
  await agent.start();
  await agent.prompt('Fix \`src/sum.js\`: it subtracts');
  await agent.edit('src/sum.js', 'a - b', 'a + b');
  expect((await agent.stop('Lint is clean.')).reason).toContain('No run of a linter is on record.');
  await agent.run('npm run lint');
  expect((await agent.stop('Lint is clean.', true)).reason).toBeNull();
  const passed = project.entries().filter(({ kind }) => kind === 'validation');
  expect(passed.map(({ payload }) => [payload.validator, payload.outcome])).toEqual([['lint_pass', 'pass']]);
  expect((await project.expectIntact()).claimsProven).toBe(1);
}, 120_000);
`;

it('B14 one file and one policy line make a validator, as the page says, and it settles what an agent claims', () => {
  const copy = temporary();
  for (const name of ['src', 'package.json']) cpSync(join(root, name), join(copy, name), { recursive: true });
  const isNeeded = (path: string): boolean => !/\.test\.ts$|\/(?:corpus|fixtures)$/.test(path);
  cpSync(join(root, 'test'), join(copy, 'test'), { recursive: true, filter: isNeeded });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // Where validators are named; all of it would take a minute on a busy machine.
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const include = ['src/policy', 'src/rules', 'src/verify', 'src/report/policy-words.ts', 'test/rules'];
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const compile = (): string => {
    try {
      execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit'], {
        cwd: copy,
      });
      return '';
    } catch (error) {
      return String((error as { stdout: unknown }).stdout);
    }
  };
  const changed: string[] = [];
  for (const { file, language, text } of steps()) {
    const path = join(copy, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, language === 'diff' ? apply(text, readFileSync(path, 'utf8')) : text);
    changed.push(file);
  }
  expect(new Set(changed)).toEqual(
    new Set([
      'src/rules/validators/lint-pass.ts',
      'src/policy/claim-policy.ts',
      'test/rules/lint-pass.test.ts',
    ]),
  );
  writeValidatorTable(join(copy, 'src/rules/validators'));
  expect(compile()).toBe('');
  writeFileSync(join(copy, 'test/e2e/lint-pass.test.ts'), SESSION);
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', copy];
  const env = { ...process.env, VITEST: undefined, NODE_EXTRA_CA_CERTS: '', NO_COLOR: '1' };
  const output = execFileSync(process.execPath, vitest, { cwd: copy, env, encoding: 'utf8', stdio: 'pipe' });
  expect(output).toMatch(/Tests +2 passed/);
}, 180_000);
