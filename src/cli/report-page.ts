// The page that every report of this version has: dist/report.html, which the build makes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownProgram } from '../app/index.ts';

export function reportPage(): string {
  return readFileSync(join(ownProgram(), 'report.html'), 'utf8');
}
