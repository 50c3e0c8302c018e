// What `foil mode` and `foil status` say is what the hooks will do, also where a file pins more than the settings say.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Sandbox } from './foil.ts';

describe('hooks that pin guard in the project scope', () => {
  it('are guard for `foil mode` and `foil status`, also after `foil mode observe`', () => {
    const sandbox = new Sandbox();
    onTestFinished(() => sandbox.remove());
    sandbox.ledger();
    expect(sandbox.ok(['mode'])).toMatch(/^observe: /);
    sandbox.ok(['install', 'claude-code', '--scope', 'project', '--mode', 'guard']);
    expect(sandbox.ok(['mode'])).toMatch(
      /^guard: [^\n]+\nThe hooks of claude-code pin guard in \S+settings\.json/,
    );
    expect(JSON.parse(sandbox.ok(['mode', '--json']))).toMatchObject({ mode: 'guard' });
    expect(JSON.parse(sandbox.ok(['status', '--json']))).toMatchObject({ mode: 'guard' });
    expect(sandbox.run(['status'], { env: { FOIL: 'off' } }).stdout).toContain("doesn't work in guard mode");
    expect(sandbox.ok(['mode', 'observe'])).toContain('pin guard');
    sandbox.ok(['install', 'claude-code', '--scope', 'project', '--mode', 'observe']);
    expect(sandbox.ok(['mode'])).toMatch(/^observe: [^\n]+\n$/);
    expect(JSON.parse(sandbox.ok(['status', '--json']))).toMatchObject({ mode: 'observe' });
  });
});
