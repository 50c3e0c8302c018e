// Proof bundles as people use them: a run with a pack goes into a file, and somebody with another home, no ledger and a
// trust.yaml alone verifies it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseBundle } from '../../src/format/index.ts';
import { FOIL, Sandbox } from './foil.ts';

let [owner, reader] = [new Sandbox(), new Sandbox()];
let [vkey, directory] = ['', ''];
const SECRET = ['the', 'word', 'is', 'tulip'].join('-');

beforeEach(() => {
  [owner, reader] = [new Sandbox(), new Sandbox()];
  ({ vkey, directory } = owner.json(['init']) as { vkey: string; directory: string });
});
afterEach(() => {
  owner.remove();
  reader.remove();
});

const SETTINGS = `pack:
  outputs: ["out/**"]
  tools:
    deny: ["WebFetch"]
    arguments:
      - {tool: run, matches: "*forbidden*"}
`;

/** Runs a script under the project's pack. Gives the id of the run. */
function run(script = 'mkdir -p out && echo made > out/a.txt'): string {
  owner.write('AGENTS.md', 'Be brief.\n');
  owner.write('counterfoil.yaml', SETTINGS);
  expect(owner.run(['run', '--pack', '.', '--', 'sh', '-c', `${script} # ${SECRET}`]).code).toBe(0);
  const { sessions } = owner.json(['session', 'list']) as { sessions: { id: string }[] };
  return sessions.at(-1)?.id ?? '';
}

/** Carried to the other home. */
function created(words: readonly string[] = []): string {
  owner.ok(['bundle', 'create', ...words, '--out', 'run.bundle']);
  copyFileSync(owner.path('run.bundle'), reader.path('run.bundle'));
  return reader.path('run.bundle');
}

function trusting(more: object = {}): void {
  mkdirSync(join(reader.root, 'config/counterfoil'), { recursive: true });
  writeFileSync(
    join(reader.root, 'config/counterfoil/trust.yaml'),
    JSON.stringify({ ledgers: [{ vkey }], ...more }),
  );
}

function partsOf(file: string): ReadonlyMap<string, Uint8Array> {
  return parseBundle(new Uint8Array(readFileSync(file))).parts;
}

function textIn(file: string): string {
  return [...partsOf(file)]
    .map(([path, bytes]) => `${path} ${Buffer.from(bytes).toString('latin1')}`)
    .join('\n');
}

describe('a bundle', () => {
  it('C15 says where its pack is: this machine is only asked if the user says so, and there is a verdict in any case', () => {
    run();
    const file = created(['--no-pack', '--pack-uri', 'http://127.0.0.1:1/pack']);
    trusting();
    for (const [option, why] of [
      ['--fetch', 'is an address of this machine. Pass --fetch-local if you mean it.'],
      ['--fetch-local', "can't fetch the pack from http://127.0.0.1:1: "],
    ] as const) {
      const { code, stdout } = reader.run(['verify', file, option]);
      expect([code, stdout.split(' ')[0]]).toEqual([6, 'UNKNOWN']);
      expect(stdout).toContain('PACK_MISSING');
      expect(stdout).toMatch(/^ {2}fetch {6}not done: /m);
      expect(stdout).toContain(why);
    }
  });

  it.each(['file:///pack.tar.gz', 'http://example.org/pack', 'pack.tar.gz', 'https://ann:word@example.org/'])(
    'C15 does not name %s as the place of its pack: nobody could fetch it',
    (uri) => {
      const { code, stderr } = owner.run(['bundle', 'create', '--pack-uri', uri]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--pack-uri: nobody could fetch the pack')]);
    },
  );

  it('C14 has no tier of others where its tests can not be run again', () => {
    run();
    const file = created();
    trusting();
    const { code, stdout } = reader.run(['verify', file, '--replay']);
    expect([code, stdout.split('\n')[0]]).toEqual([6, 'UNKNOWN  tier self, and the run chose its own tests']);
    expect(stdout).toContain('Why no higher tier: the verification of the pack could not be run again.');
    expect(stdout).toContain("replay     not run: the outputs of the run aren't here.");
  });

  it('C11 says that a link among the outputs kept them from being taken', () => {
    run('mkdir -p out && ln -s /etc/hostname out/link');
    const { code, stderr } = owner.run(['bundle', 'create', '--artifacts', '--out', 'run.bundle']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('the run recorded no artifacts.')]);
  });

  it('C7 passes for whoever trusts the key, is unknown to others, and fails with a byte changed', () => {
    run();
    const file = created();
    const stranger = reader.run(['verify', file]);
    expect([stranger.code, stranger.stdout.split('\n')[0]]).toEqual([
      6,
      'UNKNOWN  tier self, and the run chose its own tests',
    ]);
    expect(stranger.stdout).toContain('KEY_NOT_TRUSTED');
    expect(existsSync(join(reader.root, 'state'))).toBe(false);

    trusting();
    const trusted = reader.run(['verify', file]);
    expect([trusted.code, trusted.stdout.split('\n')[0]]).toEqual([
      0,
      'PASS  tier self, and the run chose its own tests',
    ]);
    expect(reader.run(['verify', file, '--require', 'gateway']).code).toBe(6);
    expect(reader.run(['verify', file, '--require', 'self']).code).toBe(0);

    const bytes = readFileSync(file);
    const at = bytes.indexOf('"kind":"session.end"');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const changed = reader.run(['verify', file]);
    expect([changed.code, changed.stdout.split(' ')[0]]).toEqual([4, 'FAIL']);
    expect(changed.stdout).toContain('BUNDLE_MALFORMED');
  });

  it('says in JSON what it says in words', () => {
    const id = run();
    const made = owner.json(['bundle', 'create', '--out', 'run.bundle']) as Record<string, unknown>;
    expect(made).toMatchObject({ run: id, file: 'run.bundle', receipts: 0, disclosed: 1 });
    expect(made.bytes).toBe(readFileSync(owner.path('run.bundle')).length);
    copyFileSync(owner.path('run.bundle'), reader.path('run.bundle'));
    trusting({ packs: [made.pack_root] });
    expect(reader.json(['verify', 'run.bundle'])).toMatchObject({
      verdict: 'PASS',
      tier: 'self',
      run: id,
      entries: made.entries,
      pack_root: made.pack_root,
      artifact_hash_b64u: made.artifact_hash_b64u,
      ownTests: false,
      findings: [],
    });
    expect(made.artifact_hash_b64u).toMatch(/^[\w-]{43}$/);
  });

  it('is the same verdict for the run itself, where its ledger is', () => {
    const id = run();
    const { stdout, code } = owner.run(['verify', id.slice(0, 12), '--key', vkey]);
    expect([code, stdout.split(' ')[0]]).toEqual([0, 'PASS']);
    expect(stdout).toMatch(/^ {2}ledger {5}INTACT/m);
    // To verify a run writes nothing, so a bundle of it is made later just as well.
    trusting();
    expect(reader.run(['verify', created([id.slice(0, 12)])]).code).toBe(0);
    expect(owner.run(['verify', 'ffff0000ffff']).code).not.toBe(0);
  });

  it('shows what was chosen, and nothing else', () => {
    run();
    trusting();
    // The rule of the pack looks at the arguments, so they go along unless that is forbidden.
    const shown = (...words: string[]): { isThere: boolean; code: number | null; files: number } => {
      const file = created(words);
      const files = [...partsOf(file).keys()].filter((path) => path.startsWith('content/')).length;
      return { isThere: textIn(file).includes(SECRET), code: reader.run(['verify', file]).code, files };
    };
    expect(shown()).toEqual({ isThere: true, code: 0, files: 1 });
    expect(shown('--disclose', 'none')).toEqual({ isThere: false, code: 6, files: 0 });
    expect(shown('--disclose', 'prompts')).toEqual({ isThere: false, code: 6, files: 0 });
    expect(shown('--disclose', 'results')).toMatchObject({ isThere: false, code: 6 });
    expect(shown('--disclose', 'arguments')).toEqual({ isThere: true, code: 0, files: 1 });
    expect(shown('--disclose', 'all').code).toBe(0);
    const wrong = owner.run(['bundle', 'create', '--disclose', 'everything']);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('unknown value "everything". Use one of'),
    ]);
  });

  it('refuses to show content that was altered in the ledger', () => {
    const id = run();
    const kept = join(directory, 'blobs', id, 'pack');
    const bytes = readFileSync(kept);
    const at = bytes.indexOf(SECRET);
    expect(at).toBeGreaterThan(0);
    bytes.write('T', at);
    writeFileSync(kept, bytes);
    const refused = owner.run(['bundle', 'create', '--out', 'run.bundle']);
    expect(refused.stderr).toMatch(/content of entry #\d+ was altered in the ledger.*foil verify/s);
    expect(refused.code).not.toBe(0);
    expect(existsSync(owner.path('run.bundle'))).toBe(false);
    owner.ok(['bundle', 'create', '--disclose', 'none', '--out', 'run.bundle']);
  });

  it.each([
    ['.env', ['TOOL_DENIED']],
    ['src/a.js', []],
  ])('C9 of a run whose agent read %s, under a rule of Claude Code', (path, found) => {
    mkdirSync(owner.path('.claude'));
    owner.write('.claude/settings.json', JSON.stringify({ permissions: { deny: ['Read(./.env)'] } }));
    const event = (name: string, more: object): string =>
      JSON.stringify({
        session_id: 's',
        cwd: owner.work,
        transcript_path: '',
        hook_event_name: name,
        ...more,
      });
    const call = { tool_name: 'Read', tool_use_id: 't', tool_input: { file_path: owner.path(path) } };
    const events = [
      event('UserPromptSubmit', { prompt: 'read it' }),
      event('PreToolUse', call),
      event('PostToolUse', { ...call, tool_response: 'x' }),
      event('Stop', { last_assistant_message: 'It is read.' }),
    ];
    for (const [i, text] of events.entries()) writeFileSync(join(owner.root, `${i}.json`), text);
    const hooks = events.map((_, i) => `"${process.execPath}" "${FOIL}" hook claude-code < ../${i}.json`);
    run(hooks.join('; '));
    trusting();
    const { findings } = JSON.parse(reader.run(['verify', created(), '--json']).stdout) as {
      findings: { code: string }[];
    };
    expect(findings.map(({ code }) => code).filter((code) => code.startsWith('TOOL_'))).toEqual(found);
  });

  it('C9 of a run that used an argument which its pack denies fails', () => {
    run('echo forbidden');
    trusting();
    const { code, stdout } = reader.run(['verify', created()]);
    expect([code, stdout]).toEqual([4, expect.stringContaining('TOOL_DENIED')]);
  });

  it('without its pack is unknown', () => {
    run();
    trusting();
    const { code, stdout } = reader.run(['verify', created(['--no-pack'])]);
    expect([code, stdout]).toEqual([6, expect.stringContaining('PACK_MISSING')]);
  });

  it('of a run without a pack names none', () => {
    owner.ok(['run', '--', 'true']);
    trusting();
    const { code, stdout } = reader.run(['verify', created()]);
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'PASS  tier self']);
    const wrong = owner.run(['bundle', 'create', '--pack-uri', 'https://example.org/pack']);
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('has no pack')]);
  });

  it('is of one run, also where others were recorded meanwhile', () => {
    owner.ok(['append', 'note', '--payload', '{"text":"before"}']);
    const first = run();
    const second = run('true');
    owner.ok(['append', 'note', '--payload', '{"text":"behind"}']);
    trusting();
    for (const id of [first, second])
      expect(reader.json(['verify', created([id])])).toMatchObject({ verdict: 'PASS', run: id });
  });

  it('of a ledger whose key was rotated passes for whoever trusts the first key', () => {
    const id = run();
    owner.ok(['key', 'rotate']);
    trusting();
    expect(reader.run(['verify', created([id])]).code).toBe(0);
  });

  it('of a run that has not ended is refused', () => {
    const { session } = owner.json(['session', 'start', '--agent', 'script']) as { session: string };
    const { code, stderr } = owner.run(['bundle', 'create', session]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("hasn't ended")]);
    expect(existsSync(owner.path(`run-${session.slice(0, 12)}.bundle`))).toBe(false);
    owner.ok(['session', 'end', session]);
    trusting();
    expect(reader.run(['verify', created([session])]).code).toBe(0);
  });

  it('of a run that was cut off is unknown', () => {
    expect(owner.spawn(['run', '--', 'sh', '-c', 'kill -9 $PPID']).code).toBe(null);
    const { cut } = owner.json(['session', 'cut']) as { cut: { session: string }[] };
    expect(cut).toHaveLength(1);
    trusting();
    const { code, stdout } = reader.run(['verify', created([cut[0]?.session ?? ''])]);
    expect([code, stdout.split('\n')[0]]).toEqual([6, 'UNKNOWN  tier self']);
    expect(stdout).toContain('RUN_OPEN');
  });

  it('that was unpacked is called so, and not a broken ledger', () => {
    const folder = reader.path('unpacked');
    mkdirSync(folder);
    for (const name of ['bundle.json', 'checkpoint']) writeFileSync(join(folder, name), '{}');
    const { code, stderr } = reader.run(['verify', folder]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('unpacked is an unpacked proof bundle'),
    });
  });

  it('of no run is refused', () => {
    expect(owner.run(['bundle', 'create']).code).toBe(3);
    run();
    expect(owner.run(['bundle', 'create', 'ffff0000ffff']).code).toBe(3);
    expect(owner.run(['bundle', 'open']).code).toBe(2);
    expect(owner.run(['bundle', 'create', '--attestation', 'AGENTS.md']).code).toBe(2);
    expect(owner.run(['bundle', 'create', '--no-pack', '--encrypted-pack', 'x']).code).toBe(2);
  });
});

describe('foil commit-proof', () => {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...words], {
      cwd: owner.work,
      env: owner.env,
      encoding: 'utf8',
    }).trim();

  /** A run in a repository of its own, from its first commit on. */
  function runFromFirst(script?: string): string {
    git('init', '-q');
    // A repository has a ledger of its own.
    ({ vkey } = owner.json(['init']) as { vkey: string });
    git('commit', '-q', '--allow-empty', '-m', 'first');
    return run(script);
  }

  it('C8, C16 signs a commit into the run, and its bundle shows that it holds what the run made', () => {
    const id = runFromFirst();
    git('add', 'out');
    git('commit', '-q', '-m', 'second');
    git('commit', '-q', '--allow-empty', '-m', 'third');
    const head = git('rev-parse', 'HEAD');
    expect(owner.json(['commit-proof'])).toMatchObject({
      run: id,
      commit: head,
      tree: git('rev-parse', 'HEAD^{tree}'),
    });
    // Whoever has the ledger has what the run made, too.
    expect(owner.run(['verify', id]).stdout).toContain(`\n  commit     ${head} holds what the run made\n`);
    const whole = created(['--artifacts']);
    const commits = [...partsOf(whole).keys()].filter((path) => path.startsWith('commits/'));
    expect(commits.sort()).toEqual(
      [head, git('rev-parse', 'HEAD~1')].map((hash) => `commits/${hash}`).sort(),
    );
    trusting();
    const { code, stdout } = reader.run(['verify', whole]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('PASS')]);
    expect(stdout).toContain(`\n  commit     ${head} holds what the run made\n`);
    expect(reader.json(['verify', whole])).toMatchObject({ commits: [{ commit: head, holds: true }] });
    expect(textIn(whole)).toContain('third');
  });

  it('C16 says of a commit that nothing shows what it holds, where what the run made is not in the bundle', () => {
    runFromFirst();
    git('add', 'out');
    git('commit', '-q', '-m', 'second');
    owner.ok(['commit-proof']);
    const file = created();
    trusting();
    const { stdout } = reader.run(['verify', file]);
    expect(stdout).toContain(
      `\n  commit     ${git('rev-parse', 'HEAD')} was signed into the run after its end; nothing shows that it holds what was tested\n`,
    );
    expect([...partsOf(file).keys()].filter((path) => path.startsWith('trees/'))).toEqual([]);
  });

  it('C16 refuses a commit that the run did not make, and says what to do', () => {
    const id = runFromFirst();
    const refused = (named = 'HEAD'): string => {
      const { code, stderr } = owner.run(['commit-proof', named]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(refused()).toContain("so the run didn't make it. First commit what the run made.");
    git('commit', '-q', '--allow-empty', '-m', 'nothing of it');
    expect(refused()).toContain("it doesn't have out/a.txt");
    owner.write('out/b.txt', 'more\n');
    git('add', 'out');
    git('commit', '-q', '-m', 'more than it');
    expect(refused()).toContain('it has out/b.txt, which the run did not make');
    git('rm', '-q', 'out/b.txt');
    owner.write('out/a.txt', 'changed\n');
    git('add', 'out');
    git('commit', '-q', '-m', 'something else');
    expect(refused()).toContain('it has a different out/a.txt');
    owner.write('out/a.txt', 'made\n');
    git('add', 'out');
    git('commit', '-q', '-m', 'as it was made');
    const tree = git('rev-parse', 'HEAD^{tree}');
    expect(refused(git('commit-tree', tree, '-m', 'an orphan'))).toContain("doesn't descend from");
    owner.ok(['commit-proof']);
    expect(refused()).toContain(`is already signed into run ${id.slice(0, 12)}`);
  });

  it('C16 refuses a commit for a run that did not record what it made', () => {
    git('init', '-q');
    owner.ok(['init']);
    git('commit', '-q', '--allow-empty', '-m', 'first');
    owner.ok(['run', '--', 'true']);
    git('commit', '-q', '--allow-empty', '-m', 'second');
    const { code, stderr } = owner.run(['commit-proof']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("didn't record its outputs")]);
  });

  it('refuses what is no commit, and what no run made', () => {
    expect(owner.run(['commit-proof']).stderr).toContain("git doesn't know the commit HEAD");
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    expect(owner.run(['commit-proof']).code).toBe(3);
    run('true');
    expect(owner.run(['commit-proof', 'no-such-branch']).code).toBe(3);
    expect(owner.run(['commit-proof', '--run', 'ffff0000ffff']).code).toBe(3);
    expect(owner.run(['commit-proof', '--output=x']).code).toBe(2);
  });
});
