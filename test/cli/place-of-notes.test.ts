// Where notes about a ledger lie, a pause say, is decided once, when the ledger is made. No later command forgets what stands
// there because it runs in another environment, and what an earlier version left in the usual place still counts.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withPlaces } from '../../src/app/settings-places.ts';
import { DEFAULT_SETTINGS, locate, readSettings, writeSettings } from '../../src/ledger/index.ts';
import { runtimeBase } from '../../src/record/index.ts';
import { Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const ledger = (): string => locate({ cwd: sandbox.work, env: sandbox.env }).directory;
const paused = (env: NodeJS.ProcessEnv = {}): string | null => {
  const { stdout } = sandbox.run(['status', '--json'], { env });
  return (JSON.parse(stdout) as { paused_until: string | null }).paused_until;
};

describe('the place for notes', () => {
  it('of a ledger that foil run made is that of every command after it', () => {
    sandbox.ok(['run', '--', 'true']);
    expect(readSettings(ledger(), sandbox.env).runtime).toBe(join(sandbox.root, 'run/counterfoil'));
    sandbox.ok(['pause', '5m']);
    sandbox.ok(['install', 'claude-code']);
    expect(paused()).not.toBe(null);
  });

  it.each([
    ['foil install', ['install', 'codex']],
    ['foil mode', ['mode', 'guard']],
  ])('stays what it is where %s runs in another environment', (_, words) => {
    sandbox.ok(['init']);
    sandbox.ok(['pause', '5m']);
    const before = readSettings(ledger(), sandbox.env).runtime;
    const other = join(sandbox.root, 'other');
    mkdirSync(other, { mode: 0o700 });
    sandbox.ok(words, { env: { XDG_RUNTIME_DIR: other } });
    expect(readSettings(ledger(), sandbox.env).runtime).toBe(before);
    expect(paused({ XDG_RUNTIME_DIR: other })).not.toBe(null);
    expect(existsSync(join(other, 'counterfoil'))).toBe(false);
  });

  it('of settings that name none is the usual one, whatever the environment says', () => {
    sandbox.ok(['init']);
    const located = locate({ cwd: sandbox.work, env: sandbox.env });
    writeSettings(located.directory, DEFAULT_SETTINGS, sandbox.env);
    const usual = runtimeBase({});
    expect(withPlaces(DEFAULT_SETTINGS, located, sandbox.env).runtime).toBe(usual);
    expect(withPlaces({ ...DEFAULT_SETTINGS, runtime: '/kept' }, located, sandbox.env).runtime).toBe('/kept');
    expect(usual).not.toContain(sandbox.root);
  });
});
