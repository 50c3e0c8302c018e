// node:test, the runner of Node itself.
import type { Mark } from '../language.ts';

/** `test('name', { skip: true }, …)` */
export const marks: readonly Mark[] = [
  [
    'skip-here',
    /(?<![\w$.])(?:it|test|describe|suite)\s*\(.*\{[^{}]{0,40}\b(?:skip|todo)\s*:\s*(?:true\b|["'`])/,
  ],
];
