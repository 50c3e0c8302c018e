// Writes the table of validators: every file in src/rules/validators that exports one. So a new validator is one file, and
// its line in the policy; without that line the table does not compile. The build and `npm run check` run this.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../src/rules/validators');

export function validatorTable(directory = folder) {
  const found = readdirSync(directory)
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(directory, file), 'utf8');
      const [, name, id] = /^export const (\w+): Validator = \{\n {2}id: '(\w+)',$/m.exec(text) ?? [];
      return name === undefined ? [] : [{ file, name, id }];
    });
  return `// Every validator by its id. Written by scripts/validators.mjs from the files beside it: do not edit.
import type { ValidatorId } from '../../policy/index.ts';
${found.map(({ file, name }) => `import { ${name} } from './${file}';`).join('\n')}
import type { Validator } from './validator.ts';

export const VALIDATORS: Readonly<Record<ValidatorId, Validator>> = {
${found.map(({ name, id }) => `  ${id}: ${name},`).join('\n')}
};
`;
}

export function writeValidatorTable(directory = folder) {
  const path = join(directory, 'table.ts');
  const text = validatorTable(directory);
  let before = '';
  try {
    before = readFileSync(path, 'utf8');
  } catch {}
  if (text !== before) writeFileSync(path, text);
}

if (process.argv[1] === import.meta.filename) writeValidatorTable();
