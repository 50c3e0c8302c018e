// A line of `foil log` for how a session is bound: keys, branches, and an end that nobody told.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { AUTH_REASONS, type Entry } from '../../src/format/index.ts';
import { summarize } from '../../src/report/entry-summary.ts';

const entry = (kind: string, payload: JsonObject): Entry => ({ kind, payload }) as Entry;
const KEY = '0123456789abcdef'.repeat(4);

describe('a line for what binds a session', () => {
  it.each<[string, JsonObject, string]>([
    ['auth.ok', { key: KEY, name: 'laptop', at: 'start' }, 'key laptop 0123456789abcdef  at the start'],
    [
      'auth.fail',
      { reason: 'revoked', key: KEY, at: 'prompt' },
      'a revoked key  key 0123456789abcdef  at the prompt',
    ],
    ['auth.fail', { reason: 'none-presented', key: null, at: 'start' }, 'no key presented  at the start'],
    [
      'auth.fail',
      { reason: 'malformed', key: null, at: 'start' },
      "what was presented isn't a key  at the start",
    ],
    ['auth.fail', { reason: 'constructor', key: null, at: 'call' }, 'constructor  at the call'],
    ['branch.create', { branch: 'main' }, 'first session on main'],
    ['branch.switch', { from: 'main', to: 'fix' }, 'from main to fix'],
    [
      'session.cut',
      { reason: 'process-gone', pid: 42, interactions: 1 },
      'process 42 is gone  1 interaction',
    ],
    [
      'session.cut',
      { reason: 'rebooted', pid: 42, interactions: 3 },
      'the machine was restarted  3 interactions',
    ],
  ])('%s', (kind, payload, line) => {
    expect(summarize(entry(kind, payload))).toBe(line);
  });

  it.each(['auth.ok', 'auth.fail', 'branch.create', 'branch.switch', 'session.cut'])(
    '%s without its members is a line all the same',
    (kind) => {
      expect(summarize(entry(kind, {}))).toMatch(/\S/);
    },
  );

  it('has words for every reason', () => {
    for (const reason of AUTH_REASONS)
      expect(summarize(entry('auth.fail', { reason, key: null, at: 'start' }))).not.toMatch(
        new RegExp(`^${reason} `),
      );
  });
});
