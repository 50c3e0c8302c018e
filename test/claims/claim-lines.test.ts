// Single sentences as agents write them, with the types that are claimed in them, or none. The reader has learned from them;
// few may be read otherwise, and what nobody must get wrong is in claim-reader.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';

const lines = readFileSync(join(import.meta.dirname, 'claim-lines.txt'), 'utf8')
  .trim()
  .split('\n');

it('B3a single sentences are read as they are labelled', () => {
  const wrong = lines.filter((line) => {
    const at = line.indexOf('|');
    const types = line.slice(0, at).split(/[ ,]+/);
    const { claims } = readClaims(line.slice(at + 1).replaceAll('\\n', '\n'));
    if (types.includes('none')) return claims.some(({ unsure }) => !unsure);
    return !types.every((each) => claims.some(({ type }) => each.split('/').includes(type)));
  });
  if (process.env.VERBOSE === '1') console.log(wrong.join('\n'));
  console.log(`${lines.length - wrong.length} of ${lines.length} lines are read as they are labelled`);
  expect(wrong.length / lines.length).toBeLessThan(0.04);
});
