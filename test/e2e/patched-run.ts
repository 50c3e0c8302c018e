// A run in a ledger of its own, with an operator, and `foil patch` over it.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { locate } from '../../src/ledger/index.ts';
import { type Result, Sandbox } from '../cli/foil.ts';

const COUNTER = join(import.meta.dirname, '../runtime/agents/counter.mjs');
export const PASSES = `total=node -e "process.exit(require('./state.json').state.total === 10 ? 0 : 1)"`;

export class PatchedRun extends Sandbox {
  run_id = '';
  readonly agent = this.path('agent.mjs');

  /** A run that waits, with 2 as its total. */
  static async begin(): Promise<PatchedRun> {
    const made = new PatchedRun();
    made.ok(['init', '--here']);
    made.ok(['operator', 'init', '--no-passphrase']);
    made.write('counterfoil.yaml', 'grants:\n  allow:\n    - tool:call:*\n');
    made.ok(['grants', 'accept']);
    cpSync(COUNTER, made.agent);
    vi.stubEnv('XDG_CONFIG_HOME', made.env.XDG_CONFIG_HOME);
    const run = await startRun(made.options).finally(() => vi.unstubAllEnvs());
    await run.observe({ times: 2 });
    await run.close();
    made.run_id = run.id;
    return made;
  }

  get options() {
    const { directory, keyDirectory } = locate({ cwd: this.work, env: this.env });
    return { agent: this.agent, cwd: this.work, place: { directory, keyDirectory } };
  }

  id(number = 0): string {
    return `${this.run_id}:${number}`;
  }

  patch(...words: string[]): Result {
    return this.run(['patch', ...words]);
  }

  propose(operations: unknown, ...words: string[]): Result {
    const given = ['patch', 'propose', this.run_id, '--operations', '-', '--reason', 'wrong total', ...words];
    return this.run(given, { input: JSON.stringify(operations) });
  }

  /** Up to a step, each of which must be taken. */
  take(steps: readonly string[], number = 0): string {
    return steps.map((step) => this.ok(['patch', step, this.id(number)])).join('');
  }

  /** Edits the agent's module on disk. */
  edit(change: (text: string) => string): void {
    writeFileSync(this.agent, change(readFileSync(this.agent, 'utf8')));
  }

  /** Recovers the run by other code, in a process of its own: a process loads a module once. `work` has the run. */
  recovered(text: string, work: string): unknown {
    writeFileSync(this.agent, text);
    const runtime = join(import.meta.dirname, '../../dist/runtime.js');
    const options = JSON.stringify({ ...this.options, run: this.run_id });
    const script = `const { recoverRun } = await import(${JSON.stringify(runtime)});
      const run = await recoverRun(${options});
      const told = ${work};
      await run.close();
      console.log(JSON.stringify(told));`;
    const words = ['--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, words, { env: this.env, encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  recover(): ReturnType<typeof recoverRun> {
    return recoverRun({ ...this.options, run: this.run_id });
  }
}
