// Every command once as a process of its own, and once more in a warm process, which the other tests use: both must say
// the same. A command that is missing here fails the last test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadCommands } from '../../src/cli/main.ts';
import { type RunOptions, Sandbox } from './foil.ts';

interface Row {
  readonly words: readonly string[];
  /** Commands that must have run before, besides what makes a ledger with two notes. */
  readonly after?: readonly (readonly string[])[];
  readonly input?: string;
  readonly code?: number;
  readonly says: RegExp;
}

const event = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt: 'hi' });
const hook = (words: readonly string[]): Row => ({ words, input: event, says: /^$/ });

const ROWS: readonly Row[] = [
  { words: ['scan'], code: 3, says: /^foil: no transcripts of Claude Code/ },
  { words: ['install', 'claude-code'], says: /^Claude Code: .*settings\.local\.json made$/m },
  { words: ['uninstall'], after: [['install', 'claude-code']], says: /settings\.local\.json removed$/m },
  { words: ['run', '--', 'echo', 'from the agent'], says: /^from the agent\n\nrecorded by foil$/m },
  { words: ['mode', 'guard'], says: /^observe → guard:/ },
  { words: ['pause', '5m'], says: /^Recording is paused until / },
  { words: ['status'], says: /^mode {7}observe$/m },
  { words: ['log', '--kind', 'note'], says: /^ +2 {2}.* note .*\n +3 {2}.* note .*\n$/ },
  { words: ['show', '2'], says: /^entry 2 {2}note$/m },
  { words: ['verify'], says: /^INTACT: Entries 1–3 are intact/ },
  { words: ['init', '--ledger', 'other'], says: /^verifier key {4}counterfoil\//m },
  { words: ['append', 'note'], says: /^4 [0-9a-f]{64}$/m },
  { words: ['prove', '2'], after: [['checkpoint']], says: /^c2sp\.org\/tlog-proof/m },
  { words: ['checkpoint'], says: /^counterfoil\/[0-9a-f]{16}\n3\n/ },
  { words: ['anchor', 'status'], says: /^blocks {2}off$/m },
  { words: ['key', 'list'], says: / from 1 {2}current, private key here$/m },
  { words: ['archive'], says: /^Nothing to do: / },
  { words: ['recover'], says: /^sealed everything up to entry 3\.$/m },
  { words: ['doctor'], says: /^ok {4}locks .*work between processes$/m },
  { words: ['completions', 'bash'], says: /^complete -o default -F _foil foil$/m },
  { words: ['why', '2'], code: 3, says: /^foil: entry 2 isn't a claim\./ },
  { words: ['evidence'], code: 3, says: /^foil: no session is recorded here yet\.$/m },
  { words: ['contract', 'show'], code: 3, says: /^foil: no session is recorded here yet\.$/m },
  {
    words: ['validate', '--claim', 'tested', '--validator', 'test_pass'],
    code: 1,
    says: /^foil: no session is recorded here yet\.$/m,
  },
  { words: ['gate', '--transcript', 'none'], code: 3, says: /^foil: there is no file / },
  { words: ['policy', 'explain'], says: /^in force {2}[0-9a-f]{64}$/m },
  { words: ['grants', 'explain'], says: /^No grants are in force\. / },
  { words: ['plan', 'list'], says: /^There are no plans\.$/m },
  { words: ['operator', 'show'], code: 3, says: /^There is no operator key here\./ },
  { words: ['overrides'], says: /^No overrides since / },
  { words: ['crashes'], says: /^No crashes since / },
  { words: ['mcp', 'serve'], says: /^$/ },
  hook(['hook', 'claude-code']),
  { words: ['serve', '--port', '0', '--idle', '1s'], says: /^serving on .*\nleft: idle$/m },
  { words: ['gateway', 'show'], says: /^No independent gateway is set up here\.$/m },
  { words: ['receipt', 'verify', 'x'], code: 2, says: /^foil: receipt: can't read / },
  { words: ['session', 'list'], says: /^No sessions\.$/m },
  { words: ['auth', 'list'], says: /^There are no auth keys, / },
  { words: ['audit', 'verify'], says: /^Chain integrity: VALID$/m },
  { words: ['patch', 'list', '0'.repeat(64)], says: /^This run has no patches\.$/m },
  { words: ['replay', '0'.repeat(64)], code: 3, says: /^\? Not replayed: session 0{16} is not a run / },
  { words: ['diff', '00', '01'], code: 3, says: /^foil: no session begins with 00\./m },
  { words: ['fork', '00', '--at', '1'], code: 3, says: /^foil: no session begins with 00\./m },
  { words: ['keep', 'explain'], says: /./ },
  { words: ['pack', 'create'], code: 1, says: /^foil: work has nothing that shapes an agent/ },
  { words: ['view', '--port', 'x'], code: 2, says: /^foil: --port: "x" isn't a port/m },
  { words: ['bundle', 'create'], code: 3, says: /^foil: no session is recorded here yet\.$/m },
  { words: ['report'], code: 3, says: /^foil: no session is recorded here yet\.$/m },
  { words: ['certify', '00'], code: 3, says: /^foil: no session begins with 00\./m },
  { words: ['export', '00'], code: 3, says: /^foil: no session begins with 00\./m },
  { words: ['release', 'check', 'v1'], code: 3, says: /^foil: there is no release v1 on record\./ },
  { words: ['commit-proof'], code: 3, says: /^foil: git doesn't know the commit HEAD in / },
  {
    words: ['attest', 'no.bundle', '--artifacts', '.'],
    code: 2,
    says: /^foil: bundle: can't read .*no\.bundle/,
  },
  { words: ['attester', 'show'], code: 3, says: /^No attester has been started in .*-attester yet\./ },
];

/** Too long for this table: their own files start them. */
const ELSEWHERE = { demo: 'demo.slow.test.ts' };

function prepared({ after = [] }: Row): Sandbox {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  sandbox.ledger(2);
  for (const words of after) sandbox.ok(words);
  return sandbox;
}

describe('each command, as a process of its own and in a warm one', () => {
  it.each(ROWS.map((row) => [row.words.join(' '), row] as const))('foil %s', (_, row) => {
    const options: RunOptions = row.input === undefined ? {} : { input: row.input };
    const spawned = prepared(row).spawn(row.words, options);
    expect(spawned.stdout + spawned.stderr).toMatch(row.says);
    expect(spawned.code).toBe(row.code ?? 0);
    const warm = prepared(row).run(row.words, options);
    expect(warm.stdout + warm.stderr).toMatch(row.says);
    expect(warm.code).toBe(spawned.code);
    expect([warm.stdout === '', warm.stderr === '']).toEqual([spawned.stdout === '', spawned.stderr === '']);
  });

  it('leaves no command out', async () => {
    const own = Object.entries(ELSEWHERE).filter(([name, file]) =>
      readFileSync(join(import.meta.dirname, file), 'utf8').includes(`sandbox.spawn(['${name}'`),
    );
    const started = [...ROWS.map(({ words }) => words[0]), ...own.map(([name]) => name)];
    expect(started.sort()).toEqual((await loadCommands()).map(({ name }) => name).sort());
  });
});

describe('a warm process', () => {
  it('keeps nothing of a run: directory, environment, input, exit code', () => {
    const sandbox = prepared({ words: [], says: /$/ });
    expect(sandbox.run(['append', 'note', '--payload', '-'], { input: '{"text":"one"}' }).code).toBe(0);
    expect(sandbox.run(['verfy']).code).toBe(2);
    expect(sandbox.run(['log'], { cwd: sandbox.root }).code).toBe(3);
    expect(
      sandbox.run(['log'], { cwd: sandbox.root, env: { FOIL_LEDGER: sandbox.path('.foil') } }).code,
    ).toBe(0);
    expect(sandbox.run(['log'], { cwd: sandbox.root }).code).toBe(3);
    expect(sandbox.run(['log'])).toMatchObject({ code: 0, stderr: '' });
  });
});
