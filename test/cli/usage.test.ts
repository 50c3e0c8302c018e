// What the command says of itself, and how it answers what it does not understand. All through the built file.
import { afterAll, describe, expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/main.ts';
import { FOIL, Sandbox } from './foil.ts';

const COMMANDS = await loadCommands();
const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

describe('help', () => {
  it('lists every command, grouped, and the exit codes', () => {
    const help = sandbox.ok(['--help']);
    expect(help).toMatch(/^ledger$/m);
    const listed = help.split('\n').map((line) => line.trim().replace(/ {2,}/, '  '));
    for (const { name, summary } of COMMANDS) expect(listed).toContain(`${name}  ${summary}`);
    expect(help).toContain(
      'Exit codes: 0 fine · 1 could not do it · 2 wrong usage · 3 not found · 4 BROKEN · 5 VIOLATION · 6 below',
    );
    expect(sandbox.ok([])).toBe(help);
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of %s has its usage, options and an example',
    (name, command) => {
      const help = sandbox.ok([name, '--help']);
      expect(help).toContain(`usage: foil ${name} ${command.usage}`.trimEnd());
      for (const option of Object.keys(command.options)) expect(help).toContain(`--${option}`);
      expect(help).toContain('--json');
      expect(help).toMatch(new RegExp(`^  .*foil ${name}`, 'm'));
      expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(130);
    },
  );

  it('says its version', () => {
    expect(sandbox.ok(['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('wrong usage exits with 2', () => {
  it.each([
    [['verfy'], 'Unknown command "verfy". Did you mean foil verify?'],
    [['frobnicate'], 'Unknown command "frobnicate". See --help.'],
    [['--ledger', 'x', 'log'], 'Write the command before its options'],
    [['log', '--folow'], 'Unknown option --folow for `foil log`. Did you mean --follow?'],
    [['append'], 'An argument is missing. Usage: foil append KIND'],
    [['append', 'note', '--paylod', '{}'], 'Did you mean --payload?'],
    [['append', 'tool.call'], 'can\'t append an entry of kind "tool.call"'],
    [['append', 'Note'], 'can\'t append an entry of kind "Note"'],
    [['append', 'note', '--payload', '{'], '--payload: not JSON'],
    [['append', 'note', '--payload', '[]'], '--payload: not a JSON object'],
    [['append', 'note', '--payload', '@missing.json'], "--payload: can't read"],
    [
      ['append', 'note', '--payload', '{"a":[{"$content":"x"}]}'],
      'payload.a[0].$content: not a content commitment',
    ],
    [
      ['append', 'note', '--payload', '{"content":1}', '--content', FOIL],
      '--content would replace payload.content',
    ],
    [['append', 'note', '--session', 'abc'], '--session: not 64 hex digits'],
    [['append', 'note', '--cause', 'x'], '--cause: "x" is not a number'],
    [['append', 'note', '--type', 'text/plain'], '--type needs --content FILE'],
    [['append', 'note', '--lines', '--payload', '{}'], '--lines reads the payloads from standard input'],
    [['prove', '0'], 'entries are numbered from 1'],
    [['key', 'rotat'], 'Did you mean rotate?'],
    [['init', '--here', '--ledger', 'x'], '--here and --ledger name two places'],
    [['log', '--since', 'yesterday'], '--since: "yesterday" isn\'t a time'],
    [['log', '--follow', '--to', '3'], '--follow has no end'],
    [['verify', '--key', 'nonsense'], '--key: '],
    [['verify', '--require', 'blessed'], '--require: unknown mark "blessed"'],
    [['verify', '--trust', 'missing.yaml'], '--trust: there is no file'],
    [['verify', 'a', '--ledger', 'b'], 'PATH and --ledger'],
  ])('%j', (words, message) => {
    const { code, stdout, stderr } = sandbox.run(words, { env: { FOIL_LEDGER: ledger() } });
    expect(stderr).toMatch(/^foil: [^\n]*\n$/);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('is told in JSON where that was asked for', () => {
    for (const words of [
      ['verfy', '--json'],
      ['append', 'tool.call', '--json'],
      ['log', '--json', '--nope'],
    ]) {
      const { code, stdout, stderr } = sandbox.run(words);
      expect([code, stderr]).toEqual([2, '']);
      expect(JSON.parse(stdout)).toEqual({ error: { code: 'USAGE', message: expect.any(String) } });
    }
  });
});

describe('K6c no ledger is not found, exit 3, and never valid', () => {
  it.each([
    ['append', 'note'],
    ['append', 'note', '--lines'],
    ['log'],
    ['show', '1'],
    ['session', 'list'],
    ['session', 'show', 'a1'],
    ['mode'],
    ['mode', 'guard'],
    ['pause'],
    ['status'],
    ['verify'],
    ['verify', 'elsewhere'],
    ['prove', '1'],
    ['checkpoint'],
    ['key', 'list'],
    ['key', 'rotate'],
    ['archive'],
    ['recover'],
  ])('%s %s', (...words) => {
    const plain = sandbox.run(words);
    expect(plain).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^foil: there is no ledger in .*\n$/),
    });
    const json = sandbox.run([...words, '--json']);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } });
  });
});

describe('what is plainly no proof', () => {
  it.each([
    ['a zip', 'PK\u0003\u0004…', /unpack it/],
    ['a segment', '{"cause":null', /name its directory/],
  ])('%s is wrong usage, not BROKEN', (_, text, expected) => {
    const { code, stderr } = sandbox.run(['verify', sandbox.write('given', text)]);
    expect(code).toBe(2);
    expect(stderr).toMatch(expected);
  });
});

let made: string | undefined;
function ledger(): string {
  if (made === undefined) {
    made = sandbox.path('a-ledger');
    sandbox.ok(['init', '--ledger', made]);
  }
  return made;
}
