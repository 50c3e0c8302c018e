/**
 * The form of the labelled commands: that every line can be read, that the labels do not contradict themselves, and
 * that the open part is exactly what the split leaves open. It does not run any validator.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  agrees,
  type CommandCase,
  HELD_OUT_COMMANDS,
  heldOutIds,
  parseCommandCase,
  readCommandCases,
  TOTAL,
  VALIDATORS,
} from './commands.ts';
import { unpackHeldOut } from './corpus.ts';

const open = readCommandCases();

/** What is wrong with a case, in words. A good one gives nothing. */
function faults(kase: CommandCase): string[] {
  const found: string[] = [];
  const { test_pass: test, command_zero_exit: zero } = kase.expect;
  const say = (wrong: boolean, what: string) => wrong && found.push(`${kase.id}: ${what}`);
  say(!/^c-\d{4}$/.test(kase.id), 'id');
  say(kase.tags.includes('real') === kase.tags.includes('written'), 'real or written, one of them');
  say(kase.command.trim() === '' || kase.changed.length === 0, 'empty');
  say(kase.output.length > 2000, 'output too long');
  say(/(?<![\w./])\/(?:root|tmp)\//.test(kase.output), 'a path of the machine');
  const summed = kase.tags.includes('summary');
  say((test === 'pass' || zero === 'pass') && kase.exit !== 0 && !summed, 'a pass without exit 0');
  say(test === 'pass' && zero !== 'pass', 'a test run that passes is a check that passes');
  say((test === 'unknown-exit') !== (kase.exit === null && !summed), 'no exit code is an unknown exit');
  say(test === 'pass' && kase.tags.includes('trick'), 'a trick that passes');
  for (const validator of VALIDATORS) {
    const also = kase.also[validator];
    say(kase.expect[validator] === 'pass' && also.length > 0, 'a pass has no other reason');
    say(
      also.some((reason) => reason === kase.expect[validator]),
      'a reason twice',
    );
  }
  return found;
}

describe('the labelled commands', () => {
  it('are well formed', () => {
    expect(open.flatMap(faults)).toEqual([]);
  });

  it('are enough: real ones, honest passes and tricks', () => {
    const count = (keep: (kase: CommandCase) => boolean) => open.filter(keep).length;
    expect(open.length).toBeGreaterThanOrEqual(200);
    expect(count((kase) => kase.tags.includes('real'))).toBeGreaterThanOrEqual(120);
    expect(count((kase) => kase.tags.includes('trick'))).toBeGreaterThanOrEqual(60);
    expect(count((kase) => kase.expect.test_pass === 'pass')).toBeGreaterThanOrEqual(90);
  });

  it('are exactly those that the split leaves open', () => {
    const held = heldOutIds();
    expect(open.filter((kase) => held.has(kase.id))).toEqual([]);
    expect(new Set(open.map((kase) => kase.id)).size).toBe(open.length);
    expect(open.length).toBe(TOTAL - held.size);
  });

  it('refuse a line with a label nobody knows', () => {
    const line = JSON.stringify({ ...open[0], expect: { test_pass: 'fine', command_zero_exit: 'pass' } });
    expect(() => parseCommandCase(line)).toThrow('expect.test_pass');
  });

  it('take another reason where one is listed, and never a pass for a refusal', () => {
    const kase = open.find((one) => one.also.test_pass.length > 0)!;
    expect(agrees(kase, 'test_pass', kase.also.test_pass[0]!)).toBe(true);
    expect(agrees(kase, 'test_pass', 'pass')).toBe(false);
  });

  it('name the digest of the held-out part', () => {
    const line = readFileSync(new URL('held-out-commands.sha256', import.meta.url), 'utf8');
    expect(line).toMatch(/^[0-9a-f]{64} {2}commands\.held-out\.jsonl\n$/);
  });

  it('have a held-out part that is the one promised', () => {
    const line = readFileSync(new URL('held-out-commands.sha256', import.meta.url), 'utf8');
    const digest = createHash('sha256').update(unpackHeldOut(HELD_OUT_COMMANDS)).digest('hex');
    expect(`${digest}  ${HELD_OUT_COMMANDS}\n`).toBe(line);
    const held = readCommandCases('held out');
    expect(held.flatMap(faults)).toEqual([]);
    expect(new Set(held.map((kase) => kase.id))).toEqual(heldOutIds());
  });
});
