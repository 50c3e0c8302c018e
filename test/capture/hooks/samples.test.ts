// What the real hosts sent, and what the adapters make of it.
import { describe, expect, it } from 'vitest';
import { adapterOf } from '../../../src/capture/hooks/index.ts';
import type { JsonObject } from '../../../src/core/index.ts';
import { readExpected, readSamples } from './fixtures.ts';

describe.each(['claude-code', 'gemini', 'copilot'])('the samples of %s', (agent) => {
  const adapter = adapterOf(agent)!;
  const samples = readSamples(agent);
  const expected = readExpected(agent);

  it('are all there', () => {
    expect(samples.length).toBeGreaterThan(2);
    expect(expected).toHaveLength(samples.length);
  });

  it.each(samples.map((sample, line) => [line + 1, sample] as const))(
    'line %i is read as agreed',
    (line, sample) => {
      expect(adapter.read(sample.stdin, sample.event)).toEqual(expected[line - 1]);
    },
  );

  it('keep session, place and name as the host gave them', () => {
    for (const { stdin, event } of samples) {
      const input = stdin as JsonObject;
      for (const read of adapter.read(stdin, event)) {
        expect(read.name).toBe(input.hook_event_name);
        expect(read.session).toBe(input.session_id);
        expect(read.cwd).toBe(input.cwd);
        expect(read.transcript).toBe(input.transcript_path ?? null);
        expect(read.at).toBe(input.timestamp ?? null);
      }
    }
  });

  it('are understood, but for the display of messages', () => {
    const odd = samples
      .flatMap(({ stdin, event }) => adapter.read(stdin, event))
      .filter((e) => e.type === 'observation');
    expect(odd.map((e) => [e.name, e.problem])).toEqual(
      agent === 'claude-code'
        ? [
            ['MessageDisplay', null],
            ['MessageDisplay', null],
          ]
        : [],
    );
  });

  it('K4 name every member that holds what was written to a file', () => {
    const written = ['hello\n', 'hello', 'bye', 'bye\n'];
    for (const { stdin, event } of samples) {
      for (const read of adapter.read(stdin, event)) {
        if (!('files' in read) || read.files?.[0]?.op === 'read') continue;
        const hidden = new Set(read.files?.flatMap((file) => [...file.argMembers, ...file.outputMembers]));
        const left = [read.args, read.type === 'tool.result' ? read.output : null].flatMap((value) =>
          Object.entries((value ?? {}) as JsonObject).filter(([name]) => !hidden.has(name)),
        );
        for (const [, value] of left) expect(written).not.toContain(value);
      }
    }
  });
});
