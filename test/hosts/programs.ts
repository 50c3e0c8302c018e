// The five programs that the suite drives, as `npm ci --prefix test/hosts` installs them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runBounded } from './bounded.ts';

const ROOT = import.meta.dirname;

export const PROGRAMS = {
  'claude-code': 'claude',
  gemini: 'gemini',
  codex: 'codex',
  copilot: 'copilot',
  opencode: 'opencode',
} as const;

export type Agent = keyof typeof PROGRAMS;

const PACKAGES: Readonly<Record<Agent, string>> = {
  'claude-code': '@anthropic-ai/claude-code',
  gemini: '@google/gemini-cli',
  codex: '@openai/codex',
  copilot: '@github/copilot',
  opencode: 'opencode-ai',
};

export const PROGRAM_DIRECTORY = join(ROOT, 'node_modules/.bin');

/** What is wrong with each program that is not there, does not start, or is not of the version that package.json pins. */
export async function missingPrograms(home: string): Promise<string[]> {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const env = { HOME: home, PATH: `${PROGRAM_DIRECTORY}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const faults = (Object.keys(PROGRAMS) as Agent[]).map(async (agent) => {
    const path = join(PROGRAM_DIRECTORY, PROGRAMS[agent]);
    const pinned = dependencies[PACKAGES[agent]] ?? 'no version';
    const wanted = `${PROGRAMS[agent]} (${PACKAGES[agent]} ${pinned})`;
    if (!existsSync(path)) return [`${wanted} is not installed`];
    const ran = await runBounded(path, ['--version'], { cwd: home, env, seconds: 60 });
    if (ran.killed) return [`${wanted} does not say its version within a minute`];
    if (ran.code !== 0) return [`${wanted} does not start: ${ran.stderr.trim().split('\n')[0]}`];
    // A whole number, so that 1.0.10 is not taken for 1.0.102.
    const versions: readonly string[] = ran.stdout.match(/\d+(?:\.\d+)+/g) ?? [];
    return versions.includes(pinned) ? [] : [`${wanted} is there as ${versions[0] ?? 'something else'}`];
  });
  return (await Promise.all(faults)).flat();
}
