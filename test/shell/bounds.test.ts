// Any text may come as a command: nothing is thrown, nothing is slow, and nothing that can't be read is believed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeChecks, looksLikeCheck, readCommand } from '../../src/shell/index.ts';

const where = { cwd: '/w', root: '/w', changed: ['a.py'] };
const SIZE = 64 * 1024;
const fill = (text: string): string => text.repeat(Math.floor(SIZE / text.length));

describe('bounds', () => {
  it('never throws, and keeps its lists short', () => {
    const piece = fc.constantFrom(
      ...'pytest npm test || && ; | & ( ) { } $( ` " \' <<EOF EOF \n if then else fi for in do done while case esac f() { exit 0 $? set -e trap eval bash -c cd .. ! [[ ]] (( )) > < >& =x A= # \\ -k :: curl http://x -w %{http_code}'.split(
        ' ',
      ),
    );
    const line = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(line, fc.string({ maxLength: 100 }), (command, output) => {
        const facts = readCommand(command, where);
        expect(facts.checks.length).toBeLessThanOrEqual(8);
        expect(facts.attempts.length).toBeLessThanOrEqual(16);
        expect(completeChecks(facts, { output, exit: 0, tests: null })).toHaveLength(facts.checks.length);
        looksLikeCheck(command);
        for (const check of facts.checks) {
          expect(check.command.length).toBeLessThanOrEqual(256);
          expect(check.targets.length).toBeLessThanOrEqual(32);
          expect(check.flaw === null || check.flaw.detail.length <= 256).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  // A pass that is not linear takes minutes here.
  it.each([
    '(',
    '$(',
    '"',
    "'",
    '"$(',
    '&&',
    'a&&',
    '`',
    '{',
    '{a,',
    '${',
    '<<A ',
    '\\<<A\n',
    'cat <<A\n',
    '<(',
    '$((',
    'if ',
    'case x in ',
    'f()',
    '[[ ',
    'pytest;',
    'pytest|',
    'pytest &',
    'A=$A$A;',
    'f(){ f;f;};f;',
    'bash -c "',
    'eval ',
    'env ',
    '! ',
    'echo 1 passed;',
    "'}'{",
  ])('64 KiB of %j end', (text) => {
    const facts = readCommand(fill(text), where);
    expect(facts.checks.filter((check) => check.flaw === null).length).toBeLessThanOrEqual(8);
    looksLikeCheck(fill(text));
  });

  it('doubling functions and variables end', () => {
    const calls = Array.from({ length: 40 }, (_, at) => `f${at + 1}() { f${at}; f${at}; };`).join('\n');
    expect(
      readCommand(`f0() { pytest; }; ${calls} f40`, where).checks.every((check) => check.flaw !== null),
    ).toBe(true);
    const values = Array.from({ length: 40 }, (_, at) => `a${at + 1}=$a${at}$a${at};`).join(' ');
    readCommand(`a0=xxxxxxxxxx; ${values} pytest $a40`, where);
  });

  it.each(['pytest (', 'pytest "', 'if pytest; then', 'pytest; }', 'pytest; fi'])(
    'what can’t be parsed proves nothing: %s',
    (command) => {
      expect(readCommand(command, where)).toMatchObject({ unparsed: true, checks: [], writes: true });
    },
  );

  it('nor does what is too long', () => {
    expect(readCommand(`pytest ${'a'.repeat(SIZE)}`, where)).toMatchObject({ unparsed: true, checks: [] });
  });

  it('a long file that is written before a run is no hindrance', () => {
    const file = Array.from({ length: 900 }, (_, at) => `  if (a${at}) { return { b: ${at} }; }`).join('\n');
    const facts = readCommand(
      `cat > src/a.ts <<'EOF'\nfunction f() {\n${file}\n}\nEOF\nnpx vitest run`,
      where,
    );
    expect(facts).toMatchObject({
      unparsed: false,
      writes: true,
      checks: [{ runner: 'vitest', flaw: null }],
    });
  });

  it('a check past the last one that is followed is not believed', () => {
    const { checks } = readCommand(`${'make a && '.repeat(40)}pytest`, where);
    expect(checks.length).toBe(8);
    expect(checks.find((check) => check.runner === 'pytest')?.flaw ?? 'left out').not.toBeNull();
  });
});
