import { it } from 'vitest';
import { proveLeaves, proveTrees, SIZES } from './merkle-proofs.ts';

const EVERY_SIZE = Array.from({ length: SIZES - 1 }, (_, at) => at + 1);

it('proves every leaf of every tree, and no changed proof', () => proveLeaves(EVERY_SIZE));

it('proves every pair of trees consistent, and no changed proof', () => proveTrees(EVERY_SIZE));
