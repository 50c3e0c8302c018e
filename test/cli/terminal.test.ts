// What every command does on a terminal: text is broken between words, and a long one goes through a pager.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
beforeAll(() => {
  sandbox.ok(['init']);
  sandbox.ok(['append', 'note', '--lines'], { input: '{"text":"a"}\n{"text":"b"}\n' });
});
afterAll(() => sandbox.remove());

describe('on a terminal', () => {
  it('log goes through the pager that the reader chose', () => {
    const { stdout } = sandbox.onTerminal(['log', '-n', '2'], 80, { FOIL_PAGER: 'sed s/^/paged:/' });
    expect(stdout.match(/^paged: /gm)).toHaveLength(2);
    expect(sandbox.onTerminal(['log', '-n', '2'], 80, { FOIL_PAGER: '' }).stdout).not.toContain('paged');
  });

  it('text is broken between words', () => {
    const lines = sandbox
      .onTerminal(['verify', '-v'], 60)
      .stdout.replaceAll('\u001b[K', '\n')
      .split(/[\r\n]+/);
    expect(lines.filter((line) => line.length > 60 && !/[/]|\d%/.test(line))).toEqual([]);
    expect(lines.filter((line) => /^ {13}\S/.test(line)).length).toBeGreaterThan(0);
  });
});

it('log says that nothing matches, and what there is', () => {
  const { code, stdout, stderr } = sandbox.run(['log', '--kind', 'x.none']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/^foil: no entry matches\. The ledger has \d+ entr/);
});

it('verify has one line for a ledger with nothing wrong, and -v has each answer', () => {
  sandbox.ok(['checkpoint']);
  expect(sandbox.ok(['verify'])).toMatch(/^INTACT: [^\n]+ Unknown: time \(-v says why\)\.\n$/);
  expect(sandbox.ok(['verify', '-v'])).toMatch(/^integrity +pass +No entry was changed/m);
});
