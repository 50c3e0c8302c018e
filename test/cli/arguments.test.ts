// Words to arguments, without a process.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine, parseCount, parseSeq, parseTime } from '../../src/cli/arguments.ts';
import type { Command } from '../../src/cli/command.ts';
import { UsageError } from '../../src/core/errors.ts';
import { distance, suggest } from '../../src/report/suggest.ts';

const command: Command = {
  name: 'cook',
  summary: '',
  usage: 'DISH [--salt N]',
  arguments: [1, 2],
  options: {
    salt: { type: 'string', value: 'N', help: '' },
    herb: { type: 'string', multiple: true, help: '' },
    hot: { type: 'boolean', help: '' },
  },
  examples: [],
  run: async () => ({}),
};

describe('parseCommandLine', () => {
  it('gives arguments and options, in any order', () => {
    const { arguments: words, values } = parseCommandLine(command, [
      'soup',
      '--salt',
      '2',
      '--herb=a',
      'cold',
      '--hot',
      '--herb',
      'b',
    ]);
    expect(words).toEqual(['soup', 'cold']);
    expect(values.text('salt')).toBe('2');
    expect(values.all('herb')).toEqual(['a', 'b']);
    expect(values.flag('hot')).toBe(true);
    expect(values.flag('json')).toBe(false);
  });

  it('takes a dash as a value, and what follows -- as arguments', () => {
    expect(parseCommandLine(command, ['soup', '--salt', '-']).values.text('salt')).toBe('-');
    expect(parseCommandLine(command, ['--', '--salt']).arguments).toEqual(['--salt']);
  });

  it.each([
    [['soup', '--slat', '2'], 'Unknown option --slat for `foil cook`. Did you mean --salt?'],
    [['soup', '--zzz'], 'Unknown option --zzz for `foil cook`. See --help.'],
    [['soup', '--no-hot'], 'Unknown option --no-hot for'],
    [['soup', '-x'], 'Unknown option -x for'],
    [['soup', '--hot=yes'], '--hot takes no value'],
    [['soup', '--salt'], '--salt needs a value: --salt N'],
    [['soup', '--salt', '--hot'], '--salt needs a value'],
    [['soup', '--salt', '1', '--salt', '2'], '--salt can be given only once'],
    [[], 'An argument is missing. Usage: foil cook DISH [--salt N]'],
    [['a', 'b', 'c'], 'Unexpected argument "c"'],
    [['soup', '--__proto__', 'x'], 'Unknown option --__proto__ for'],
  ])('refuses %j', (words, message) => {
    expect(() => parseCommandLine(command, words)).toThrow(message);
    expect(() => parseCommandLine(command, words)).toThrow(UsageError);
  });

  it('throws nothing but UsageError, whatever the words', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('--salt', '--herb', '-h', '--', '--hot', '--json'))),
        (words) => {
          try {
            parseCommandLine(command, words);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
    );
  });
});

describe('the nearest name', () => {
  it.each([
    ['verfy', 'verify', 1],
    ['lgo', 'log', 1],
    ['', 'abc', 3],
    ['same', 'same', 0],
    ['kitten', 'sitting', 3],
  ])('%s is %s but for %d', (a, b, far) => {
    expect(distance(a, b)).toBe(far);
    expect(distance(b, a)).toBe(far);
  });

  it('is suggested only when it is near', () => {
    expect(suggest('verfiy', ['init', 'verify'])).toBe('. Did you mean verify?');
    expect(suggest('cucumber', ['init', 'verify'])).toBe('. See --help.');
  });
});

describe('numbers and times', () => {
  it('are decimal, and entries are numbered from 1', () => {
    expect(parseSeq('42', 'SEQ')).toBe(42);
    expect(parseCount('0', 'N')).toBe(0);
    for (const text of ['0', '-1', '1.5', '01', '1e3', '0x10', '', '9007199254740992', ' 1']) {
      expect(() => parseSeq(text, 'SEQ'), text).toThrow(UsageError);
    }
  });

  it.each([
    ['2026-11-15T10:00:00Z', '2026-11-15T10:00:00.000Z'],
    ['2026-11-15T10:00:00.5+02:00', '2026-11-15T08:00:00.500Z'],
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['90s', '2026-11-15T11:58:30.000Z'],
    ['30m', '2026-11-15T11:30:00.000Z'],
    ['2h', '2026-11-15T10:00:00.000Z'],
    ['7d', '2026-11-08T12:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(parseTime(text, '--since', Date.parse('2026-11-15T12:00:00Z'))).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2026',
    '15 Nov 2026',
    '2026-13-01',
    '2h ago',
    '-2h',
    '2026-11-15T10:00:00',
    '1000000000d',
    '999999999w',
  ])('%j is no time', (text) => {
    expect(() => parseTime(text, '--since', 0)).toThrow(UsageError);
  });
});
