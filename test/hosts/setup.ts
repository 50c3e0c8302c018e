// Before the suite: all five programs must be there, and what users get is built. After it: nothing is left.
import { mkdtempSync } from 'node:fs';
import build from '../build.ts';
import { beginRun, directoryPrefix } from './leftovers.ts';
import { missingPrograms } from './programs.ts';

export default async function setup(): Promise<void> {
  beginRun();
  const missing = await missingPrograms(mkdtempSync(directoryPrefix()));
  if (missing.length > 0)
    throw new Error(`Install the agents first: npm ci --prefix test/hosts\n  ${missing.join('\n  ')}`);
  build();
}
