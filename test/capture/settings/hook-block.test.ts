// What is put into a settings file and taken out again: nothing else may change, not by a byte. Documents are written
// in every way that people write them, and compared with what an independent reader of such files finds in them.
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument, plainValue } from '../../../src/capture/settings/document.ts';
import {
  findHooks,
  installHooks,
  removeHooks,
  type Shape,
} from '../../../src/capture/settings/hook-block.ts';
import { ParseError } from '../../../src/core/index.ts';

const jsonc = createRequire(import.meta.url)('jsonc-parser') as {
  parse(text: string, errors: unknown[], options: { allowTrailingComma: boolean }): unknown;
};

/** What another parser of JSON with comments makes of it. */
function read(text: string): unknown {
  const errors: unknown[] = [];
  const value = jsonc.parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}

const ours = { type: 'command', command: 'ours' };
const isOurs = (hook: unknown) => (hook as { command?: unknown } | null)?.command === 'ours';
const GROUPS: Shape = { isOurs, besides: {} };
const FLAT: Shape = { isOurs, besides: { version: 1 } };
const HOOKS = {
  SessionStart: { hooks: [ours] },
  PreToolUse: { matcher: '*', hooks: [ours] },
  Stop: { hooks: [ours] },
};
const FLAT_HOOKS = { preToolUse: ours, stop: { ...ours, failClosed: true } };

const install = (text: string | null, keep = 0) => installHooks(text, HOOKS, GROUPS, 'settings.json', keep);
const remove = (text: string) => removeHooks(text, GROUPS, 'settings.json');

describe('B15 what is there before', () => {
  it.each([
    ['nothing but an object', '{}'],
    ['an object and a newline', '{}\n'],
    ['an object with a blank', '{ }'],
    ['an object over two lines', '{\n}\n'],
    ['an empty file', ''],
    ['a blank file', '\n  \n'],
    ['a byte order mark alone', '\uFEFF'],
    ['a byte order mark', '\uFEFF{"a": 1}'],
    ['one line', '{"a":1,"b":[1,2]}'],
    ['one line with blanks', '{ "a": 1, "b": 2 }'],
    ['no final newline', '{\n  "a": 1\n}'],
    ['trailing spaces', '{  \n  "a": 1  \n}  \n\n'],
    ['four spaces', '{\n    "a": {\n        "b": 1\n    }\n}\n'],
    ['tabs', '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}\n'],
    ['CRLF', '{\r\n  "a": 1,\r\n  "b": {}\r\n}\r\n'],
    ['unicode escapes', '{\n  "h\\u006foks": {"Stop": []},\n  "\\u00e9": "\\ud83d\\ude00 😀"\n}\n'],
    ['a line comment behind the last member', '{\n  "a": 1 // the a  \n}\n'],
    ['a trailing comma and a comment', '{\n  "a": 1, // the a\n}\n'],
    ['comments everywhere', '// top\n{ /* in */\n  // before\n  "a": 1 /* x\n y */\n  // after\n}\n// end'],
    ['a comment in an empty object', '{ // nothing yet\n}\n'],
    ['hooks: {}', '{\n  "hooks": {}\n}\n'],
    ['hooks: {} in one line', '{"hooks":{}}'],
    ['hooks: { } with a blank line', '{\n  "hooks": {\n\n  }\n}\n'],
    ['hooks that only hold an empty list', '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'],
    ['an empty list over two lines', '{\n  "hooks": {\n    "Stop": [\n    ]\n  },\n}\n'],
    [
      'foreign hooks',
      '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "x" }] }\n    ]\n  },\n  "z": 0\n}\n',
    ],
    [
      'foreign hooks in one line',
      '{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"x"}]}]}}',
    ],
    ['foreign hooks with a trailing comma', '{"hooks": {"Stop": [{"hooks": [{"command": "x"}]},],},}'],
    ['other members of hooks', '{"hooks": {"enabled": true, "disabled": ["x"], "Stop": []}}'],
    ['null and friends', '{"a":null,"b":[],"c":{},"d":-0.0,"e":1E400,"f":""}'],
    ['a member called __proto__', '{"__proto__": {"hooks": 1}, "constructor": []}'],
  ])('is byte-identical after install and uninstall: %s', (_, text) => {
    const after = install(text);
    expect(after).not.toBe(text);
    expect(install(after)).toBe(after);
    expect(
      findHooks(parseDocument(after, ''), GROUPS, '')
        .map(({ event }) => event)
        .sort(),
    ).toEqual(Object.keys(HOOKS).sort());
    read(after);
    expect(remove(after)).toEqual({ text, keep: 0 });
  });

  it('can be no file at all, and then is none again', () => {
    for (const keep of [0, 1, 2]) {
      const after = install(null, keep);
      expect(read(after)).toEqual({
        hooks: Object.fromEntries(Object.entries(HOOKS).map(([k, v]) => [k, [v]])),
      });
      expect(install(after)).toBe(after);
      expect(remove(after)).toEqual({ text: null, keep });
    }
  });

  it.each([
    null,
    '',
    '{}',
    '{ }',
    '{"version": 1}',
    '{\n  "version": 1\n}\n',
    '{\n  "version": 1,\n  "hooks": {}\n}\n',
    '{\n  "hooks": {},\n  "version": 1\n}\n',
    '{"hooks":{"stop":[{"command":"x"}]}}',
  ])('may have hooks without groups and a version: %j', (text) => {
    const after = installHooks(text, FLAT_HOOKS, FLAT, 'hooks.json');
    expect(installHooks(after, FLAT_HOOKS, FLAT, 'hooks.json')).toBe(after);
    const value = read(after) as { version?: unknown; hooks: Record<string, unknown[]> };
    if (text === null || !text.includes('hooks')) expect(value.version).toBe(1);
    expect(value.hooks.stop?.at(-1)).toEqual({ ...ours, failClosed: true });
    expect(removeHooks(after, FLAT, 'hooks.json')).toEqual({ text, keep: 0 });
  });

  it('gets hooks written as the rest is', () => {
    expect(install('{\r\n\t"a": 1\r\n}\r\n').split('\r\n').slice(0, 5)).toEqual([
      '{',
      '\t"a": 1,',
      '\t"hooks": {',
      '\t\t"SessionStart": [',
      '\t\t\t{',
    ]);
    expect(install('{"a":1}')).toMatch(/^\{"a":1,"hooks":\{"SessionStart":\[\{"hooks":\[\{"type"/);
    expect(install('{\n  "a": 1 // the a\n}')).toMatch(/^\{\n {2}"a": 1, \/\/ the a\n {2}"hooks": \{\n/);
  });

  it('is kept when it is installed with other hooks', () => {
    const text = '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "command": "x" }] }\n    ]\n  }\n}\n';
    const other = { Stop: { hooks: [{ ...ours, timeout: 3 }] }, SessionEnd: { hooks: [ours] } };
    const again = installHooks(install(text), other, GROUPS, 'settings.json');
    expect(again).toBe(installHooks(text, other, GROUPS, 'settings.json'));
    expect(remove(again).text).toBe(text);
  });
});

describe('B15 what somebody edits in between', () => {
  it('stays: members, events, groups before and behind ours, hooks in our group', () => {
    const value = read(install('{"a": 1}')) as {
      hooks: Record<string, { hooks: unknown[] }[]>;
      [name: string]: unknown;
    };
    value.b = 2;
    value.hooks.Mine = [{ hooks: [{ command: 'x' }] }];
    value.hooks.Stop?.unshift({ hooks: [{ command: 'y' }] });
    value.hooks.Stop?.push({ hooks: [{ command: 'z' }] });
    value.hooks.PreToolUse?.[0]?.hooks.push({ command: 'w' });
    value.hooks.PreToolUse?.[0]?.hooks.unshift({ command: 'v' });
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 4)]) {
      expect(read(remove(text).text ?? '')).toEqual({
        a: 1,
        hooks: {
          PreToolUse: [{ matcher: '*', hooks: [{ command: 'v' }, { command: 'w' }] }],
          Stop: [{ hooks: [{ command: 'y' }] }, { hooks: [{ command: 'z' }] }],
          Mine: [{ hooks: [{ command: 'x' }] }],
        },
        b: 2,
      });
    }
  });

  it('stays when it is a comment', () => {
    const edited = install(null).replace('"Stop": [', '"Stop": [ // mine').concat('// and mine\n');
    const { text } = remove(edited);
    expect(text).toContain('// mine');
    expect(text).toContain('// and mine');
    expect(findHooks(parseDocument(text ?? '', ''), GROUPS, '')).toEqual([]);
  });

  it('is not lost when the file is formatted anew', () => {
    const formatted = JSON.stringify(read(install('{"a":1}')), null, 8);
    expect(read(remove(formatted).text ?? '')).toEqual({ a: 1 });
    expect(install(formatted)).toBe(formatted);
  });
});

describe('what is no settings file is refused, with its place', () => {
  it.each([
    ['{', 'settings.json:1:2: the file ends too early'],
    ['{\n  "a": tru\n}', 'settings.json:2:8: not JSON'],
    ['{"a": 1} x', 'something after the end'],
    ['{"a": 1 "b": 2}', 'a comma is missing'],
    ['{"a" 1}', 'a colon is missing'],
    ["{'a': 1}", 'a name in quotes'],
    ['{"a": "x\n"}', "doesn't end"],
    ['{"a": "\\x"}', 'not a JSON text'],
    ['{"a": "\u0001"}', 'not a JSON text'],
    ['{"a": 01}', 'a comma is missing'],
    ['{"a": 1,,}', 'a name in quotes'],
    ['{/* a', "a comment doesn't end"],
    ['[]', 'not an object'],
    ['"hooks"', 'not an object'],
    ['// nothing', 'only comments'],
    ['{"hooks": []}', 'hooks: not an object'],
    ['{"hooks": null}', 'hooks: not an object'],
    ['{"hooks": {"Stop": {}}}', 'hooks.Stop: not a list'],
    ['{"hooks": {}, "hooks": {}}', '"hooks" is there twice'],
    ['{"hooks": {"Stop": [], "St\\u006fp": []}}', '"Stop" is there twice'],
    ['{"a": 1, "a": 2}', '"a" is there twice'],
    [`{"a": ${'['.repeat(100_000)}`, 'nested too deep'],
  ])('%j', (text, message) => {
    expect(() => install(text)).toThrow(ParseError);
    expect(() => install(text)).toThrow(message);
  });

  it('whatever it is: nothing but ParseError comes out', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[],:"\\/*\n 1ahooks') })),
        (text) => {
          try {
            expect(remove(install(text)).text).toBe(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

// Documents as people write them.
const blank = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', '  \n    ', '\t') },
  { weight: 1, arbitrary: fc.constantFrom('/* c */', ' // c \n', '\n// c\n  ', '/* c\n d */ ') },
);
const scalar = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('1', '-0.5e3', 'true', 'null', '"\\u0041"', '{}', '[]', '"ours"'),
);
const foreignHook = fc.constantFrom(
  '{"type":"command","command":"x"}',
  '{ "type": "http" }',
  '1',
  '{\n"command": "y",\n}',
);

function list(open: string, close: string, item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(blank, item, blank), { maxLength: 3 }), fc.boolean(), blank)
    .map(([items, trailing, end]) => {
      const inside = items.map(([before, text, after]) => before + text + after).join(',');
      return `${open}${inside}${trailing && items.length > 0 ? ',' : ''}${end}${close}`;
    });
}

function object(members: fc.Arbitrary<[string, string]>): fc.Arbitrary<string> {
  return fc.uniqueArray(members, { maxLength: 4, selector: ([name]) => name }).chain((chosen) =>
    fc
      .tuple(fc.array(fc.tuple(blank, blank, blank), { minLength: 4, maxLength: 4 }), fc.boolean(), blank)
      .map(([blanks, trailing, end]) => {
        const inside = chosen
          .map(([name, value], index) => {
            const [a = '', b = '', c = ''] = blanks[index] ?? [];
            return `${a}${JSON.stringify(name)}:${b}${value}${c}`;
          })
          .join(',');
        return `{${inside}${trailing && chosen.length > 0 ? ',' : ''}${end}}`;
      }),
  );
}

const group = object(
  fc.oneof(
    fc.constant<[string, string]>(['matcher', '"*"']),
    list('[', ']', foreignHook).map((text): [string, string] => ['hooks', text]),
  ),
);
const hooks = object(
  fc.tuple(
    fc.constantFrom('SessionStart', 'PreToolUse', 'Stop', 'Other'),
    list('[', ']', fc.oneof(group, foreignHook)),
  ),
);
const settings = fc
  .tuple(
    blank,
    object(
      fc.oneof(
        hooks.map((text): [string, string] => ['hooks', text]),
        fc.tuple(fc.constantFrom('a', 'b', 'version'), fc.oneof(scalar, list('[', ']', scalar))),
      ),
    ),
    blank,
  )
  .map((parts) => parts.join(''));

/** The value without our hooks, and without the lists and groups that are empty for it. */
function withoutOurs(value: unknown): unknown {
  const copy = structuredClone(value) as { hooks?: Record<string, unknown> };
  for (const [event, entries] of Object.entries(copy.hooks ?? {})) {
    if (!Array.isArray(entries)) continue;
    const rest = entries.filter((entry) => JSON.stringify(entry) !== JSON.stringify(HOOKS[event as 'Stop']));
    if (copy.hooks !== undefined) copy.hooks[event] = rest;
  }
  return copy;
}

describe('B15 for any settings file', () => {
  it('install then uninstall is the identity, installing twice is installing once, and nothing else changes', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const after = install(text);
        expect(install(after)).toBe(after);
        expect(remove(after)).toEqual({ text, keep: 0 });
        const before = read(text) as { hooks?: Record<string, unknown> };
        const events = Object.fromEntries(Object.keys(HOOKS).map((event) => [event, []]));
        expect(withoutOurs(read(after))).toEqual({ ...before, hooks: { ...events, ...before.hooks } });
      }),
      { numRuns: 2000 },
    );
  });

  it('is read as another reader reads it', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const { root } = parseDocument(text, '');
        expect(root === undefined ? undefined : plainValue(root)).toEqual(read(text));
      }),
    );
  });
});
