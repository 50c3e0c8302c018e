// The operator's key as a person meets it: at a terminal, with a passphrase, and what those without one can not do.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FOIL, Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const PASSPHRASE = ['correct', 'horse', 'battery'].join(' ');
const keyFile = () => join(sandbox.root, 'config', 'counterfoil', 'operator.key');

/** Typed at a terminal, each line when it is asked for. Gives all that the terminal showed. */
function typing(
  words: readonly string[],
  typed: readonly string[],
): Promise<{ code: number | null; stdout: string }> {
  const command = [process.execPath, FOIL, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: sandbox.work,
    env: { ...sandbox.env, NO_COLOR: '1' },
    timeout: 20_000,
  });
  let stdout = '';
  let asked = 0;
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString();
    const questions = stdout.match(/(?:operator key|Once more): /g)?.length ?? 0;
    for (; asked < questions; asked++) child.stdin.write(`${typed[asked] ?? ''}\r`);
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout }));
  });
}

function passphraseFile(text = `${PASSPHRASE}\n`, mode = 0o600): NodeJS.ProcessEnv {
  const file = sandbox.write('passphrase', text);
  chmodSync(file, mode);
  return { FOIL_OPERATOR_PASSPHRASE_FILE: file };
}

describe('operator init', () => {
  it('B7d makes a key for its owner alone, under a passphrase typed twice, and trusts it', async () => {
    const { code, stdout } = await typing(['operator', 'init'], [PASSPHRASE, PASSPHRASE]);
    expect(stdout).toMatch(/operator\+[0-9a-f]{8}\+/);
    expect(code).toBe(0);
    expect(stdout).not.toContain(PASSPHRASE);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    const { vkey, seed, encrypted } = JSON.parse(readFileSync(keyFile(), 'utf8'));
    expect({ seed, text: typeof encrypted.text }).toEqual({ seed: null, text: 'string' });
    expect(readFileSync(join(sandbox.root, 'config/counterfoil/trust.yaml'), 'utf8')).toContain(vkey);
    expect(sandbox.json(['operator', 'show'])).toMatchObject({ vkey, encrypted: true });
    expect(sandbox.run(['operator', 'init', '--no-passphrase']).code).toBe(1);
    // Pins of ledgers stay, and are still understood.
    sandbox.ok(['init']);
    expect(sandbox.run(['verify']).code).toBe(0);
  });

  it.each([
    ['two that differ', [PASSPHRASE, `${PASSPHRASE}!`], 'the two passphrases differ'],
    ['one that is short', ['1234', '1234'], 'at least 8'],
  ])('B7d makes nothing of %s', async (_, typed, problem) => {
    const { code, stdout } = await typing(['operator', 'init'], typed);
    expect(stdout).toContain(problem);
    expect(code).toBe(1);
    expect(sandbox.run(['operator', 'show']).code).toBe(3);
  });

  it('B7d without a terminal there is no way in, and without a passphrase the warning is plain', () => {
    const nobody = spawnSync('setsid', ['-w', process.execPath, FOIL, 'operator', 'init'], {
      cwd: sandbox.work,
      env: sandbox.env,
      input: `${PASSPHRASE}\n${PASSPHRASE}\n`,
      encoding: 'utf8',
    });
    expect(nobody.status).toBe(1);
    expect(nobody.stderr).toContain('no terminal');
    const { code, stdout, stderr } = sandbox.run(['operator', 'init', '--no-passphrase']);
    expect(code).toBe(0);
    expect(stderr).toContain('every program that runs as you, agents included, can accept a policy');
    expect(stdout).toContain("WARNING: the key isn't encrypted");
  });
});

describe('policy accept', () => {
  beforeEach(() => {
    sandbox.ledger(0);
    sandbox.write('counterfoil.yaml', 'gate:\n  blocks: 3\n');
  });

  it('B7d needs the passphrase, from a terminal or a private file', async () => {
    sandbox.ok(['operator', 'init'], { env: passphraseFile() });
    const wrong = sandbox.run(['policy', 'accept'], { env: passphraseFile('something else\n') });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('wrong passphrase') });
    const open = sandbox.run(['policy', 'accept'], { env: passphraseFile(undefined, 0o644) });
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('chmod 600') });
    expect(sandbox.json(['log', '--last', '1'])).toMatchObject({ kind: 'ledger.open' });
    const typed = await typing(['policy', 'accept'], [PASSPHRASE]);
    expect(typed.stdout).toMatch(/Entry 2: [0-9a-f]{64} is in force/);
    sandbox.write('counterfoil.yaml', 'gate:\n  blocks: 4\n');
    expect(sandbox.ok(['policy', 'accept'], { env: passphraseFile() })).toMatch(
      /Entry 3: .*\n {2}blocks: .* 3 times .* → .* 4 times/,
    );
  });

  it('B7d a key that somebody swapped is not one that is trusted, and one in bits is refused', () => {
    sandbox.ok(['operator', 'init', '--no-passphrase']);
    sandbox.ok(['policy', 'accept']);
    const trust = join(sandbox.root, 'config/counterfoil/trust.yaml');
    const trusted = readFileSync(trust, 'utf8');
    writeFileSync(trust, 'ledgers: []\noperators: []\n');
    const vkey = (sandbox.json(['operator', 'show']) as { vkey: string }).vkey;
    expect(sandbox.json(['policy', 'explain'])).toMatchObject({
      seq: null,
      accepted: null,
      unknown: { seq: 2, accepted_by: vkey },
    });
    expect(sandbox.ok(['policy', 'explain'])).toContain("your trust.yaml doesn't name that key");
    expect(sandbox.ok(['status'])).toContain("accepted by a key that your trust.yaml doesn't name");
    expect(sandbox.run(['policy', 'accept'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`under operators: "- vkey: ${vkey}"`),
    });
    writeFileSync(trust, trusted);
    expect(sandbox.json(['policy', 'explain'])).toMatchObject({
      seq: 2,
      accepted: { by: vkey, trusted: true },
      unknown: null,
    });
    const other = JSON.stringify({ v: 1, vkey, seed: 'ab'.repeat(32), encrypted: null });
    writeFileSync(keyFile(), other);
    sandbox.write('counterfoil.yaml', 'gate:\n  blocks: 5\n');
    expect(sandbox.run(['policy', 'accept']).code).toBe(1);
    writeFileSync(keyFile(), '{');
    expect(sandbox.run(['policy', 'accept']).stderr).toContain("isn't an operator key");
  });
});

describe('trust.yaml', () => {
  it.each([
    ['operators: [{vkey: nonsense}]', 'operators[0].vkey'],
    ['operators: 7', 'operators'],
    ['operators: [{vkey: x, path: /}]', 'unknown member "path"'],
  ])('that says %s is an error', (text, problem) => {
    sandbox.ledger(0);
    const { code, stderr } = sandbox.run(['verify', '--trust', sandbox.write('trust.yaml', `${text}\n`)]);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
  });
});
