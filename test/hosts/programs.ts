// The five programs that the suite drives, as `npm ci --prefix test/hosts` installs them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = import.meta.dirname;

export const PROGRAMS = {
  'claude-code': 'claude',
  gemini: 'gemini',
  codex: 'codex',
  copilot: 'copilot',
  opencode: 'opencode',
} as const;

export type Agent = keyof typeof PROGRAMS;

export const PROGRAM_DIRECTORY = join(ROOT, 'node_modules/.bin');

/** Each must be there in the version that package.json pins. */
export function missingPrograms(): string[] {
  const { dependencies } = readJson(join(ROOT, 'package.json')) as { dependencies: Record<string, string> };
  const wrong = Object.entries(dependencies).filter(([name, pinned]) => {
    const manifest = join(ROOT, 'node_modules', name, 'package.json');
    return !existsSync(manifest) || (readJson(manifest) as { version?: unknown }).version !== pinned;
  });
  const programs = Object.values(PROGRAMS).filter((name) => !existsSync(join(PROGRAM_DIRECTORY, name)));
  return [...wrong.map(([name, pinned]) => `${name} ${pinned}`), ...programs];
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
