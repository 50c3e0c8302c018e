// foil log --format gently and --format watchdog, and foil verify --format gently, through the built file.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GENTLY_EVENTS } from '../../src/exports/index.ts';
import { encodeBlock } from '../../src/ledger/index.ts';
import { addKey, anchorEntry, authDirectory, presentKey } from '../../src/session/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { real } from '../anchor/blocks/servers.ts';
import { speak } from './bound-ledger.ts';
import { ends, FOIL, prints, Sandbox } from './foil.ts';

const BLOCK = real(900_001);
const TURNS = [
  ['add a test', 'I added one.'],
  ['and run it', 'It passes, I think.'],
] as const;

const sandbox = new Sandbox();
let log = '';
let bound = '';
let other = '';
beforeAll(async () => {
  sandbox.ledger(2);
  // One that begins and ends while another is open.
  bound = await speak(sandbox, {
    turns: TURNS,
    block: BLOCK,
    meanwhile: async () => {
      other = await speak(sandbox, { turns: TURNS.slice(0, 1) });
    },
  });
  log = sandbox.ok(['log', '--format', 'gently']);
  sandbox.write('sessions.log', log);
});
afterAll(() => sandbox.remove());

const lines = (text: string): string[][] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('|'));
const verify = (...words: string[]) => sandbox.run(['verify', '--format', 'gently', ...words]);

describe('foil log --format gently', () => {
  it('G8a: prints a line for each event, with the height it was at', () => {
    const height = String(BLOCK.height);
    expect(lines(log).map(([, at, , event, session]) => [at, event, session])).toEqual([
      [height, 'session_start', bound],
      [height, 'branch_create', bound],
      [height, 'prompt', bound],
      [height, 'response', bound],
      [height, 'prompt', bound],
      [height, 'response', bound],
      [height, 'session_start', other],
      [height, 'prompt', other],
      [height, 'response', other],
      [height, 'session_end', other],
      [height, 'session_end', bound],
    ]);
    const details = lines(log).map(([, , , , , told = '']) => told.replaceAll(/[0-9a-f]{64}/g, '…'));
    expect(details[0]).toBe(`btc:${height},branch:branch-5,block:…,auth:none,prev:…`);
    expect(details[3]).toBe('hash:…,seq:1,model:opus-5%2C %7Cfast%7C,prompt:…,chain:…');
    expect(details[10]).toBe(`btc:${height},interactions:2,block:…,chain:…,final:…`);
  });

  it('holds nothing of what was said, and is the same with --json', () => {
    for (const word of ['add a test', 'passes']) expect(log).not.toContain(word);
    expect(sandbox.ok(['log', '--format', 'gently', '--json'])).toBe(log);
  });

  it('G8c: is a log of its own with filters, and can be followed', async () => {
    const one = sandbox.ok(['log', '--format', 'gently', '--session', other]);
    expect(lines(one).map(([, at, , event]) => [at, event])).toEqual([
      ['none', 'session_start'],
      ['none', 'prompt'],
      ['none', 'response'],
      ['none', 'session_end'],
    ]);
    expect(sandbox.run(['verify', '--format', 'gently', '-'], { input: one })).toMatchObject({ code: 0 });
    const some = sandbox.ok(['log', '--format', 'gently', '--kind', 'response']);
    const report = sandbox.run(['verify', '--format', 'gently', '-', '--json'], { input: some });
    expect(JSON.parse(report.stdout)).toMatchObject({
      valid: true,
      facets: { sessions: { status: 'unknown' } },
    });

    const child = sandbox.start(['log', '--format', 'gently', '--follow', '--last', '1']);
    expect(await prints(child, /session_end/)).toContain(bound);
    child.kill('SIGINT');
    expect(await ends(child)).toMatchObject({ code: 0 });
  });
});

describe('a ledger with keys, branches and blocks', () => {
  it('G9a: has all nine events, and the codes of a watchdog for them', async () => {
    const other = new Sandbox();
    vi.stubEnv('XDG_STATE_HOME', other.env.XDG_STATE_HOME); // where it is on record that the ledger is ours
    try {
      other.ledger();
      const place = { directory: other.path('.foil'), keyDirectory: other.path('.foil/keys') };
      const keys = authDirectory(place);
      const { key, id } = addKey(keys, 'laptop', { random: randomBytes, now: Date.now() });
      other.ok(['mode', 'guard']);
      await expect(speak(other)).rejects.toMatchObject({ code: 'AUTH_REFUSED' });
      presentKey(keys, key, Date.now());
      await speak(other, { turns: TURNS, block: BLOCK });
      // Another branch, by a source that has nothing.
      const offline = await speak(other, {
        turns: TURNS,
        config: { anchor: { blocks: [{ file: other.path('none.json') }] } },
        meanwhile: async () => {
          const store = openFileStore(place.directory);
          const { sessions } = other.json(['session', 'list']) as { sessions: { id: string }[] };
          const session = sessions.at(-1)?.id ?? '';
          await store.append((head) => encodeBlock([anchorEntry('sdk', session, BLOCK)], head, Date.now()));
          await store.close();
        },
      });
      const text = other.ok(['log', '--format', 'gently']);
      expect(new Set(lines(text).map(([, , , event]) => event))).toEqual(new Set(GENTLY_EVENTS));
      expect(text).toMatch(new RegExp(`auth_validate\\|\\w+\\|key:${id},at:start,name:laptop`));
      expect(text).toMatch(/auth_fail\|(none|\w+)\|reason:none-presented,at:start,key:none/);
      expect(text).toMatch(new RegExp(`session_start\\|${offline}\\|btc:none,branch:branch-0,`));
      const report = other.run(['verify', '--format', 'gently', '-', '--json'], { input: text });
      expect(JSON.parse(report.stdout)).toMatchObject({ valid: true, failures: [] });

      const events = other.ok(['log', '--format', 'watchdog']).split('\n').slice(0, -1);
      const named = new Set(events.map((line) => (JSON.parse(line) as { name: string }).name));
      for (const name of ['Alert', 'AuthValidate', 'BtcAnchor', 'SessionStart', 'SessionEnd'])
        expect(named).toContain(name);
      expect(other.ok(['audit', 'session', offline])).toContain(
        `Start BTC: none (${BLOCK.height} later)\nEnd BTC: none\n`,
      );
    } finally {
      vi.unstubAllEnvs();
      other.remove();
    }
  });
});

describe('foil verify --format gently', () => {
  it('G8c: accepts what foil log prints, from a file and from a pipe', () => {
    expect(verify('sessions.log')).toMatchObject({ code: 0, stderr: '' });
    expect(verify('sessions.log').stdout).toMatch(/^INTACT: The 11 lines agree with each other\./);
    expect(verify('sessions.log').stdout).toContain('11 lines · 2 sessions · 3 interactions · 2 blocks');
    const piped = execFileSync(
      'sh',
      [
        '-c',
        `"$0" "$1" log --format gently | "$0" "$1" verify --format gently - --json`,
        process.execPath,
        FOIL,
      ],
      { cwd: sandbox.work, env: sandbox.env, encoding: 'utf8' },
    );
    expect(JSON.parse(piped)).toMatchObject({
      format: 'gently',
      verdict: 'INTACT',
      valid: true,
      facets: {
        integrity: { status: 'pass' },
        sessions: { status: 'pass' },
        truncation: { status: 'unknown' },
      },
      lastHash: lines(log).at(-1)?.[0],
    });
  });

  it('G8c: reports all that is wrong, each with its line, and ends with 4', () => {
    const text = log.split('\n');
    text[3] = text[3]?.replace('opus-5', 'opus-4') ?? '';
    text[6] = 'gone \u001b]0;owned\u0007';
    sandbox.write('bad.log', text.join('\n'));
    const { code, stdout } = verify('bad.log', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      status: 'CORRUPTED',
      failures: [
        { line: 4, error: 'HASH_MISMATCH' },
        { line: 7, error: 'BAD_MEMBER' },
      ],
    });
    expect(verify('bad.log')).toMatchObject({ code: 4 });
    expect(verify('bad.log').stdout).toContain(
      'BAD_MEMBER: line 7 is not a line of such a log: not six fields',
    );
    expect(verify('bad.log').stdout).not.toContain('\u001b');
  });

  it('G8d: never calls an empty log valid, nor one that lacks what was kept; one that is cut is not whole', () => {
    sandbox.write('empty.log', '');
    expect(verify('empty.log')).toMatchObject({ code: 4 });
    expect(verify('empty.log').stdout).toMatch(/^BROKEN: There are no lines here/);
    expect(verify('missing.log')).toMatchObject({ code: 3 });
    sandbox.write('cut.log', `${log.split('\n').slice(0, 8).join('\n')}\n`);
    const cut = verify('cut.log');
    expect(cut.code).toBe(0);
    expect(cut.stdout).toMatch(/sessions {5}unknown/);
    expect(cut.stdout).toContain('SESSION_OPEN: 2 sessions are without an end here');
    const [last, eighth] = [lines(log)[10]?.[0], lines(log)[7]?.[0]].map(String);
    expect(verify('cut.log', '--continues', last ?? '').code).toBe(4);
    expect(verify('cut.log', '--continues', eighth ?? '').stdout).toMatch(/truncation {3}pass/);
  });

  it.each([
    [['verify', '--format', 'gently'], 'Which log? Use `foil verify FILE --format gently`'],
    [['verify', 'x', '--format', 'watchdog'], 'Use one of kaiza, gently'],
    [['verify', 'x', '--format', 'gently', '--key', 'k'], 'this is a log in the format gently'],
    [['verify', 'x', '--format', 'gently', '--continues', 'AB'], '64 lower-case hex digits'],
    [['log', '--format', 'xml'], 'Use one of kaiza, otel, gently, watchdog'],
  ])('%j is wrong usage', (words, message) => {
    const { code, stderr } = sandbox.run(words);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('G8e: reads on through a line that no string could hold', () => {
    const stdout = execFileSync(
      'sh',
      [
        '-c',
        `(head -c 600000000 /dev/zero; printf '\\n%s\\n' "$2") | "$0" --max-old-space-size=48 "$1" verify --format gently - --json || test $? = 4`,
        process.execPath,
        FOIL,
        log.split('\n')[1] ?? '',
      ],
      { cwd: sandbox.work, env: sandbox.env, encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toMatchObject({ entries: 1, failures: [{ line: 1, error: 'TOO_LONG' }] });
  });
});

describe('foil log --format watchdog', () => {
  it('G9b: prints an event a line, each of which names its entry', () => {
    const events = sandbox
      .ok(['log', '--format', 'watchdog', '--session', bound])
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { code: string; name: string; seq: number; entry_hash: string });
    expect(events.map(({ code, name }) => `${code} ${name}`)).toEqual([
      '0x10 SessionStart',
      '0x12 PromptSubmit',
      '0x13 ResponseReceive',
      '0x12 PromptSubmit',
      '0x13 ResponseReceive',
      '0x11 SessionEnd',
    ]);
    const { seq, entry_hash } = events[1] ?? { seq: 0 };
    const entry = JSON.parse(
      sandbox.ok(['log', '--json', '--from', String(seq), '--to', String(seq)]),
    ) as object;
    expect(entry).toMatchObject({ seq, entry_hash, kind: 'prompt' });
  });
});
