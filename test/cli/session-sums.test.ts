// Whoever ends a session says how many entries it has, and over which root: hooks, programs, people, and who cuts it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { merkleRoot } from '../verify/make-sessions.ts';
import { Sandbox } from './foil.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  sandbox.ledger();
});
afterEach(() => sandbox.remove());

const directory = (): string => join(sandbox.work, '.foil/ledger');
const lines = (): string[] =>
  readdirSync(directory())
    .sort()
    .flatMap((name) => readFileSync(join(directory(), name), 'utf8').split('\n').slice(0, -1));

/** What each end of a session says, and what the lines before it give. */
function sums(): { told: unknown; found: unknown }[] {
  const all = lines().map((line) => ({ line, entry: JSON.parse(line) }));
  return all.flatMap(({ entry: { kind, session_id, payload, seq } }) => {
    if (kind !== 'session.end' && kind !== 'session.cut') return [];
    const before = all.filter(({ entry }) => entry.session_id === session_id && entry.seq < seq);
    const root = Buffer.from(merkleRoot(before.map(({ line }) => line))).toString('hex');
    const { entries, entries_root } = payload;
    return [{ told: { entries, entries_root }, found: { entries: before.length, entries_root: root } }];
  });
}

function expectTrue(count: number): void {
  const all = sums();
  expect(all).toHaveLength(count);
  for (const { told, found } of all) expect(told).toEqual(found);
  expect(sandbox.run(['verify']).code).toBe(0);
}

function hook(event: string, more: object = {}, words: readonly string[] = []): void {
  const input = JSON.stringify({ session_id: 'h', cwd: sandbox.work, hook_event_name: event, ...more });
  sandbox.ok(['hook', 'claude-code', ...words], { input });
}

it('G5 hooks, also a second time for one that came back', () => {
  hook('SessionStart', { source: 'startup' });
  sandbox.ok(['append', 'note', '--payload', '{"text":"of no session"}']);
  hook('UserPromptSubmit', { prompt: 'hello' });
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' };
  hook('PreToolUse', call);
  hook('SessionEnd', { reason: 'other' });
  // A result that comes late, and a host that says once more that it ends.
  hook('PostToolUse', { ...call, tool_response: { stdout: '' } });
  hook('SessionEnd', { reason: 'other' });
  hook('UserPromptSubmit', { prompt: 'I am back' });
  hook('SessionEnd', { reason: 'other' });
  const all = sums();
  expect(all).toHaveLength(3);
  for (const { told, found } of all) expect(told).toEqual(found);
});

it('G5 a run, and a person', () => {
  sandbox.ok(['run', '--', 'true']);
  const { session } = sandbox.json(['session', 'start', '--agent', 'script']) as { session: string };
  sandbox.ok(['session', 'end', session]);
  expectTrue(2);
});
