// `foil run -- claude --settings …`: the user's settings and ours become one, because the host takes one.
import { describe, expect, it } from 'vitest';
import { givenSettings, mergeSettings } from '../../../src/capture/settings/given-settings.ts';

describe('settings on the command line', () => {
  it.each([
    [['-p', 'x'], null],
    [['--settings', 'a.json', '-p', 'x'], { value: 'a.json', rest: ['-p', 'x'] }],
    [['-p', 'x', '--settings={"model":"m"}'], { value: '{"model":"m"}', rest: ['-p', 'x'] }],
    [['--settings', 'a', '--settings', 'b'], { value: 'b', rest: ['--settings', 'a'] }],
    [['-p', '--', '--settings', 'a'], null],
    [['--settings'], null],
  ])('of %j are %j', (words, wanted) => {
    expect(givenSettings(words)).toEqual(wanted);
  });

  const ours = { hooks: { Stop: ['ours'] }, disableAllHooks: false, env: { CLAUDE_CODE_SHELL_PREFIX: '' } };

  it('keep the hooks of both, and in all else the user’s word', () => {
    const theirs =
      '{ // mine\n"model":"m","hooks":{"Stop":["theirs"],"PostToolUse":["theirs"]},"env":{"A":"b"}}';
    expect(mergeSettings(ours, theirs)).toEqual({
      model: 'm',
      disableAllHooks: false,
      hooks: { Stop: ['theirs', 'ours'], PostToolUse: ['theirs'] },
      env: { CLAUDE_CODE_SHELL_PREFIX: '', A: 'b' },
    });
    expect(mergeSettings(ours, '{"disableAllHooks":true}').disableAllHooks).toBe(true);
    expect(mergeSettings(ours, '')).toEqual(ours);
  });

  it('that are none are an error', () => {
    expect(() => mergeSettings(ours, '{"a":')).toThrow();
  });
});
