// Tools that run in cells, from modules that have nothing of Node.
import { times } from './celled-times.mjs';

export const square = { name: 'square', cell: import.meta.url, run: ({ n }) => times(n, n) };
export const spin = {
  name: 'spin',
  cell: import.meta.url,
  limits: { fuel: 20_000 },
  run() {
    for (;;);
  },
};
