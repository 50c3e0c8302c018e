import { it } from 'vitest';
import { killWriters } from './writers.ts';

it.each([1, 2, 3, 4])('G7b writers that are killed leave what the next one makes good, seed %i', (seed) =>
  killWriters(seed, 5),
);
