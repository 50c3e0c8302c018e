// How often an attester has tried one run, pack and set of artifacts. Each attempt is a line in a small file of its own,
// appended before anything runs: so an attempt that was killed counts, and two at once get two numbers.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '#platform';
import { canonicalize } from '../core/index.ts';
import { AttestError } from './attest-error.ts';

const FOLDER = 'attempts';
const MOST_ATTEMPTS = 10_000;

export interface Attempted {
  readonly origin: string;
  readonly runId: string;
  readonly packRoot: string;
  readonly artifactHash: string;
}

/** From 1. `id` must not have been used before. Durable when it returns. */
export function takeAttempt(state: string, of: Attempted, id: string): number {
  const folder = join(state, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, sha256Hex(canonicalize([of.origin, of.runId, of.packRoot, of.artifactHash])));
  const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (before >= MOST_ATTEMPTS * (id.length + 1))
    throw new AttestError('TOO_MANY_ATTEMPTS', `this has already been tried ${MOST_ATTEMPTS} times.`);
  const fd = openSync(file, 'a', 0o600);
  try {
    writeSync(fd, `${id}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return readFileSync(file, 'utf8').split('\n').indexOf(id) + 1;
}
