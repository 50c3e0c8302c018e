// Its tool's own module imports what no cell has.
import { readFileSync } from 'node:fs';

export default {
  name: 'celled-badly',
  tools: [{ name: 'read', cell: import.meta.url, run: ({ path }) => readFileSync(path, 'utf8') }],
  init: () => null,
  reduce: (state) => state,
  decide: () => ({ wait: true }),
};
