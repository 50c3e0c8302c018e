// Leaves the compiled form of start.script for the Node that runs this: see foil.ts. The build does it for its own Node,
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
  const event = { session_id: 'compile', cwd: directory, hook_event_name: 'PreToolUse', tool_name: 'Bash' };
  const input = JSON.stringify({ ...event, tool_input: { command: 'true' }, tool_use_id: 'compile' });
  const { FOIL: _, FOIL_SESSION: __, ...own } = process.env;
  const env = {
    ...own,
    XDG_RUNTIME_DIR: directory,
    XDG_CONFIG_HOME: directory,
    FOIL_LEDGER: join(directory, 'ledger'),
  };
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}): void =>
    void execFileSync(process.execPath, [foil, ...words], {
      env: { ...env, ...more },
      input,
      cwd: directory,
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: 20_000,
    });
  try {
    run(['init']);
    run(['hook', 'claude-code']);
    run(['hook', 'claude-code'], { FOIL_COMPILE: '1' });
    return existsSync(compiledStart());
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
