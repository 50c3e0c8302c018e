// What a payload from a stranger could do to a ledger for good: every line here was once acknowledged and then made
// the ledger unusable or BROKEN for ever.
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { FOIL, Sandbox } from '../cli/foil.ts';
import { expectIntact, newFileLedger } from '../file-ledger.ts';
import { fastDirectory, temporary } from '../temporary.ts';

describe('an append that is acknowledged leaves a ledger that verifies and takes the next', () => {
  const sandbox = new Sandbox();
  afterAll(() => sandbox.remove());

  it('whatever the names in a payload are', () => {
    sandbox.ledger();
    for (const payload of [
      '{"b":1,"\ufeffa":2}',
      '{"\ufeff":{"\ufeff":1,"\ue000":2},"z":3}',
      '{"__proto__":{"$x":1}}',
    ]) {
      sandbox.ok(['append', 'note', '--payload', payload]);
    }
    sandbox.ok(['append', 'note']);
    sandbox.ok(['checkpoint']);
    sandbox.ok(['verify']);
  });

  it('a malformed reference to content is refused as wrong usage, and nothing is written', () => {
    for (const payload of [
      '{"$content":"x"}',
      '{"a":[{"$content":null}]}',
      `{"a":{"$content":"sha256:${'0'.repeat(64)}","bytes":1,"x":1}}`,
    ]) {
      const { code, stderr } = sandbox.run(['append', 'note', '--payload', payload]);
      expect(stderr).toContain('content');
      expect(code).toBe(2);
      expect(sandbox.run(['append', 'note', '--lines'], { input: `${payload}\n` }).code).toBe(2);
    }
    sandbox.ok(['verify']);
  });

  it('the kinds that only the ledger writes are refused, and malformed archives', async () => {
    const directory = temporary(fastDirectory);
    const { ledger } = await newFileLedger(directory);
    for (const kind of ['ledger.open', 'key.rotate', 'gap', 'archive']) {
      await expect(ledger.append({ kind, payload: {}, source: 'sdk' })).rejects.toThrow();
    }
    await ledger.append({ kind: 'note', payload: { $content: undefined } as never, source: 'sdk' });
    await ledger.seal();
    await expectIntact(directory);
  });
});

it('verify exits 4 for a broken ledger also where nobody reads what it says', () => {
  const sandbox = new Sandbox();
  try {
    sandbox.ledger(2);
    sandbox.write('.foil/checkpoint', 'x');
    const script = `node ${FOIL} verify | true; echo "\${PIPESTATUS[0]}"`;
    // The reader is gone before the verdict comes.
    const { stdout } = spawnSync('bash', ['-c', script], {
      cwd: sandbox.work,
      env: sandbox.env,
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe('4');
  } finally {
    sandbox.remove();
  }
});
