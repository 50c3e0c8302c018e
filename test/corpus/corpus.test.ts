// Holds the corpus to its own form before anybody measures with it. The second half shows the checker one broken
// turn of each kind: a checker that can't fail proves nothing.
import { describe, expect, it } from 'vitest';
import {
  findTurnFaults,
  listHeldOutIds,
  parseTurns,
  readCorpus,
  readHeldOutHash,
  type Turn,
} from './corpus.ts';

const files = readCorpus();
const heldOutIds = listHeldOutIds();

describe('the corpus of turns', () => {
  it('is there', () => {
    expect(files.some((file) => !file.heldOut && file.turns.length > 0)).toBe(true);
  });

  it('uses each id and each message once', () => {
    const turns = files.flatMap((file) => file.turns);
    expect(new Set(turns.map((turn) => turn.id)).size).toBe(turns.length);
    expect(new Set(turns.map((turn) => turn.message)).size).toBe(turns.length);
  });

  it.each(files)('$name holds exactly its side of the split', ({ heldOut, turns }) => {
    const split = turns.filter((turn) => turn.id.startsWith('t-'));
    expect(split.filter(({ id }) => heldOutIds.has(id) !== heldOut).map(({ id }) => id)).toEqual([]);
  });

  it.each(files.filter((file) => file.heldOut))('$name is the one whose hash was committed', ({ sha256 }) => {
    expect(sha256).toBe(readHeldOutHash());
  });
});

describe('the checker', () => {
  const good: Turn = {
    id: 't-0001',
    tags: ['fix'],
    prompt: 'Fix it',
    steps: [{ edit: 'src/a.ts' }, { run: 'npm test', exit: 0, output: '1 passed' }],
    message: 'Fixed. One test passes.',
    claims: [
      { type: 'done', quote: 'Fixed.' },
      { type: 'tested', quote: 'One test passes.' },
    ],
    gate: 'pass',
    reason: null,
  };

  it('accepts a good turn', () => {
    expect(findTurnFaults(good)).toEqual([]);
    expect(parseTurns(`${JSON.stringify(good)}\n`)).toEqual([good]);
  });

  it.each<[string, object]>([
    ['an id of another form', { id: '1' }],
    ['an empty prompt', { prompt: '' }],
    ['an unknown gate', { gate: 'stop' }],
    ['a block without a reason', { gate: 'block' }],
    ['a reason without a block', { reason: 'stale' }],
    ['an unknown reason', { gate: 'block', reason: 'lazy' }],
    ['a quote that is not in the message', { claims: [{ type: 'done', quote: 'fixed.' }] }],
    ['an empty quote', { claims: [{ type: 'done', quote: '' }] }],
    ['an unknown claim type', { claims: [{ type: 'said', quote: 'Fixed.' }] }],
    ['a pass without a claim', { claims: [] }],
    ['an unknown step', { steps: [{ think: 'hard' }] }],
    ['a step with a stray key', { steps: [{ edit: 'a.ts', exit: 0 }] }],
    ['a run without output', { steps: [{ run: 'npm test', exit: 0 }] }],
    ['an exit code in words', { steps: [{ run: 'npm test', exit: 'zero', output: '' }] }],
    ['a path outside the workspace', { steps: [{ edit: '../a.ts' }] }],
    ['a weakening without its line', { steps: [{ weaken: { file: 'a.test.ts' } }] }],
    ['a stray key', { note: 'x' }],
  ])('refuses %s', (_, change) => {
    expect(findTurnFaults({ ...good, ...change })).not.toEqual([]);
  });

  it('refuses a file whose last line is torn', () => {
    expect(() => parseTurns(JSON.stringify(good))).toThrow('not ended');
  });

  it('holds out a third, whatever has been written so far', () => {
    expect(heldOutIds.size).toBe(150);
  });
});
