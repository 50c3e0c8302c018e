// Leaves the compiled forms of start.script and gate.script for the Node that runs this: see foil.ts. The build does it for its own Node,
// `foil install` for the user's where that is another. A hook is run with it, on a ledger that is thrown away, because
// the compiled form holds what that run used.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function compiledStart(): string {
  return join(__dirname, `start-${process.version}-${process.arch}.cache`);
}

/** False where it could not be left, as in a package that another user installed: hooks then take a little longer. */
export function compileStart(): boolean {
  const foil = join(__dirname, 'foil.cjs');
  const directory = mkdtempSync(join(tmpdir(), 'foil-compile-'));
  const event = (name: string, members: object): string =>
    JSON.stringify({ session_id: 'compile', cwd: directory, hook_event_name: name, ...members });
  const call = (command: string) => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: command });
  const { FOIL: _, FOIL_SESSION: __, ...own } = process.env;
  const env = {
    ...own,
    XDG_RUNTIME_DIR: directory,
    XDG_CONFIG_HOME: directory,
    FOIL_LEDGER: join(directory, 'ledger'),
  };
  const run = (words: readonly string[], input = '', compiles?: string): void =>
    void execFileSync(process.execPath, [foil, ...words], {
      env: compiles === undefined ? env : { ...env, FOIL_COMPILE: compiles },
      input,
      cwd: directory,
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: 20_000,
    });
  try {
    run(['init']);
    const hook = ['hook', 'claude-code'];
    run(hook, event('UserPromptSubmit', { prompt: 'Fix `a.ts` and run `npm test`' }));
    const ended = { tool_response: { stdout: '1 passed', stderr: '', interrupted: false, isImage: false } };
    run(hook, event('PostToolUse', { ...call('npm test'), ...ended }));
    const said = { stop_hook_active: false, last_assistant_message: 'Fixed `a.ts`. All tests pass.' };
    run(hook, event('Stop', said), 'gate');
    run(hook, event('PreToolUse', call('true')), 'start');
    return existsSync(compiledStart());
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
