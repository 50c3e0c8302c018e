// Writes docs/requirements.md, the page for readers, from spec/requirements.json. With --check it writes nothing
// and fails when the page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const page = join(root, 'docs/requirements.md');

const FAMILIES = [
  ['K', 'The ledger and the MCP boundary'],
  ['G', 'Sessions bound to Bitcoin'],
  ['C', 'Input commitment and output validation'],
  ['B', 'The evidence gate'],
  ['O', 'Runs that can be replayed'],
  ['X', 'Witnesses, reports, teams and more'],
];

const text = render(JSON.parse(readFileSync(join(root, 'spec/requirements.json'), 'utf8')));
if (!process.argv.includes('--check')) {
  writeFileSync(page, text);
} else if (readOrEmpty(page) !== text) {
  console.error('docs/requirements.md is out of date: run node scripts/requirements.mjs');
  process.exitCode = 1;
}

function render(requirements) {
  const kept = requirements.filter((promise) => promise.kept);
  const planned = requirements.filter((promise) => !promise.kept);
  return `${[
    '<!-- Generated from spec/requirements.json by scripts/requirements.mjs. Do not edit. -->',
    '# What Counterfoil promises',
    `Each promise has an id. A promise is _kept_ when tests that cite its id pass; where it has several clauses, each clause is cited by a test of its own. Until then it is _planned_, and nothing in this version should be taken to do it. Of ${requirements.length} promises ${kept.length} are kept.`,
    '## Kept',
    ...families(kept),
    '## Planned',
    ...families(planned),
  ].join('\n\n')}\n`;
}

function families(requirements) {
  return FAMILIES.flatMap(([letter, title]) => {
    const own = requirements.filter((promise) => promise.id.startsWith(letter));
    return own.length === 0 ? [] : [`### ${title}`, own.map(item).join('\n')];
  });
}

function item({ id, title, text, clauses = {} }) {
  const lines = Object.entries(clauses).map(([letter, clause]) => `  - **${id}${letter}** ${clause}`);
  return [`- **${id} ${title}.** ${text}`, ...lines].join('\n');
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
