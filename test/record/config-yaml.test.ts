// What the YAML parser would print by itself, with a stack trace, is a message of ours.
import { afterEach, expect, it, vi } from 'vitest';
import { parseConfigText, parseYaml } from '../../src/config/index.ts';

const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
afterEach(() => emitWarning.mockClear());

it.each([
  ['a tag that nobody knows', 'content: !secret keep', /: not YAML: Unresolved tag: !secret at line 1/],
  ['a directive that nobody knows', '%FOO bar\n---\ncontent: keep', /: not YAML: Unknown directive %FOO/],
  ['a list as a key', '? [a, b]\n: keep', /\[ a, b \]: unknown/],
])('%s', (_, text, message) => {
  expect(() => parseConfigText(text, 'counterfoil.yaml', parseYaml)).toThrow(message);
  expect(emitWarning).not.toHaveBeenCalled();
});
