import { describe, expect, it } from 'vitest';
import { wrap } from '../../src/cli/wrap.ts';

describe('wrap', () => {
  it('breaks between words, and leaves a line alone that fits', () => {
    expect(wrap('a short line\n', 40)).toBe('a short line\n');
    expect(wrap('one two three four five six seven', 18)).toBe('one two three four\nfive six seven');
  });

  it('goes on below the text of a table, past its label', () => {
    expect(wrap('time         unknown No block and no stamp here tells when anything was.', 50)).toBe(
      'time         unknown No block and no stamp here\n             tells when anything was.',
    );
    expect(wrap('    indented text that is too long for it', 30)).toBe(
      '    indented text that is too\n    long for it',
    );
  });

  it('does not count colours', () => {
    const red = '\u001b[31mred\u001b[0m';
    expect(wrap(`${red} ${red} ${red}`, 11)).toBe(`${red} ${red} ${red}`);
    expect(wrap(`${red} ${red} ${red}`, 10)).toBe(`${red} ${red}\n${red}`);
  });

  it('never breaks a word, nor a command that somebody will copy', () => {
    const word = 'x'.repeat(100);
    expect(wrap(word, 20)).toBe(word);
    const command = '  foil verify /a/long/path/of/some/ledger --key counterfoil/0 --require signed';
    expect(wrap(command, 40)).toBe(command);
  });
});
