// The note that pauses recording: who may write it, and what does not count as one.
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_PAUSE, readPause, runtimeDirectory, writePause } from '../../src/record/index.ts';
import { temporary } from '../temporary.ts';

const NOW = Date.parse('2026-11-15T10:00:00.000Z');
const at = (ms: number): string => new Date(NOW + ms).toISOString();

function place(): { ledger: string; env: { XDG_RUNTIME_DIR: string }; note: string } {
  const root = temporary();
  const ledger = `${root}/ledger`;
  const env = { XDG_RUNTIME_DIR: `${root}/run` };
  const note = `${runtimeDirectory(ledger, env)}/pause`;
  mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
  mkdirSync(ledger);
  return { ledger, env, note };
}

describe('a pause', () => {
  it('is read back until it ends by itself', () => {
    const { ledger, env } = place();
    writePause(ledger, at(60_000), { locked: false, env });
    const read = (now: number) => readPause(ledger, { locked: false, now, env });
    expect(read(NOW)).toEqual({ until: at(60_000) });
    expect(read(NOW + 59_999)).toEqual({ until: at(60_000) });
    expect(read(NOW + 60_000)).toBeNull();
  });

  it('is ended sooner by taking the note away, also where there is none', () => {
    const { ledger, env } = place();
    writePause(ledger, at(60_000), { locked: false, env });
    for (const _ of [1, 2]) writePause(ledger, null, { locked: false, env });
    expect(readPause(ledger, { locked: false, now: NOW, env })).toBeNull();
  });

  it('makes the runtime directory for this user alone', () => {
    const root = temporary();
    const env = { XDG_RUNTIME_DIR: `${root}/deep/run` };
    writePause(`${root}/ledger`, at(1000), { locked: false, env });
    expect(readPause(`${root}/ledger`, { locked: false, now: NOW, env })).toEqual({ until: at(1000) });
  });

  it('counts in locked mode only in the directory of the ledger itself', () => {
    const { ledger, env } = place();
    writePause(ledger, at(1000), { locked: false, env });
    expect(readPause(ledger, { locked: true, now: NOW, env })).toBeNull();
    writePause(ledger, null, { locked: false, env });
    writePause(ledger, at(1000), { locked: true, env });
    expect(readPause(ledger, { locked: true, now: NOW, env })).toEqual({ until: at(1000) });
    expect(readPause(ledger, { locked: false, now: NOW, env })).toBeNull();
  });

  it.runIf(process.getuid?.() === 0)('of another user is none', () => {
    const { ledger, env, note } = place();
    for (const locked of [false, true]) {
      writePause(ledger, at(1000), { locked, env });
      chownSync(locked ? `${ledger}/pause` : note, 65_534, 65_534);
      expect(readPause(ledger, { locked, now: NOW, env })).toBeNull();
    }
  });

  it('is none where the note says more than a pause can be, or the clock was set back', () => {
    const { ledger, env } = place();
    writePause(ledger, at(LONGEST_PAUSE), { locked: false, env });
    expect(readPause(ledger, { locked: false, now: NOW, env })).not.toBeNull();
    expect(readPause(ledger, { locked: false, now: NOW - 1, env })).toBeNull();
  });

  it('is none, and never throws, whatever stands in its place', () => {
    const { ledger, env, note } = place();
    const read = () => readPause(ledger, { locked: false, now: NOW, env });
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"until":1}',
      '{"until":"soon"}',
      `{"until":"${at(1000)}"}${' '.repeat(2000)}`,
    ]) {
      writeFileSync(note, text);
      expect(read()).toBeNull();
    }
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        writeFileSync(note, text);
        expect(read()).toBeNull();
      }),
    );
    expect(readPause(`${ledger}/not/there`, { locked: true, now: NOW })).toBeNull();
    const { ledger: other, env: otherEnv, note: folder } = place();
    mkdirSync(folder);
    expect(readPause(other, { locked: false, now: NOW, env: otherEnv })).toBeNull();
  });
});
