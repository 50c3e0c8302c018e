// Before the suite: all five programs must be there, and what users get is built.
import build from '../build.ts';
import { missingPrograms } from './programs.ts';

export default function setup(): void {
  const missing = missingPrograms();
  if (missing.length > 0)
    throw new Error(`Missing: ${missing.join(', ')}. Install the agents first: npm ci --prefix test/hosts`);
  build();
}
