// What the acts of the demo share: the place they play in, the expectations they count, and `foil` as a process.
import { spawn } from 'node:child_process';
import { withLedger } from '../../src/app/index.ts';
import { type Entry, parseEntry } from '../../src/format/index.ts';
import { locate } from '../../src/ledger/index.ts';
import type { Paint } from '../../src/report/index.ts';

/** One expectation. */
export interface Step {
  readonly name: string;
  readonly verdict: string;
  readonly held: boolean;
}

/** What the demo needs of whoever shows it. */
export interface Audience {
  readonly paint: Paint;
  now(): number;
}

export interface Stage extends Audience {
  /** A directory for this demo alone. */
  readonly base: string;
  /** Counts an expectation, and gives what is printed for it. */
  told(step: Step, lines: readonly string[]): string;
}

export function makeStage({ paint, now }: Audience, base: string, steps: Step[]): Stage {
  return {
    paint,
    now,
    base,
    told(step, lines) {
      steps.push(step);
      const mark = step.held ? paint.green('✓') : paint.red('✗ not as expected');
      return `${lines.map((line) => `   ${line}\n`).join('')}   ${mark}\n\n`;
    },
  };
}

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** A program to its end. Rejects only where it can't be started. */
export function runProgram(
  [program = '', ...words]: readonly string[],
  { cwd, env, input = '' }: StartOptions = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, stdio: 'pipe' });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, ...output }));
    child.stdin.on('error', () => undefined); // it may end without reading
    child.stdin.end(input);
  });
}

/** The words that start this very command. */
export function foilWords(): string[] {
  return [process.execPath, process.argv[1] ?? ''];
}

/** All entries of a ledger. */
export async function readEntries(ledger: string): Promise<Entry[]> {
  return withLedger(locate({ ledger }), async ({ store }) => {
    const lines: Uint8Array[] = [];
    const { seq } = await store.head();
    for await (const piece of store.read(1, seq)) lines.push(piece);
    return Buffer.concat(lines)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => parseEntry(Buffer.from(line)));
  });
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '   ');
}
