// `run.replay` and the parent of a run, in exactly one form.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  encodeRunParent,
  encodeRunReplay,
  parseRunParent,
  parseRunReplay,
  type RunReplay,
} from '../../src/format/index.ts';

const REPLAY: RunReplay = {
  id: 'a'.repeat(64),
  run: 'b'.repeat(64),
  replay: 'forensic',
  from: null,
  to: null,
  execute: true,
  events: 24,
  code: 'c'.repeat(64),
  node: 'v20.19.0',
  sandbox: 'bubblewrap',
  outcome: 'diverges',
  finalStateHash: null,
  divergence: {
    event: 8,
    patch: null,
    what: 'output',
    expected: 'd'.repeat(64),
    got: 'e'.repeat(64),
    why: null,
  },
  flaw: null,
  impure: ['add'],
};
const PARENT = {
  event: `${'b'.repeat(64)}:7`,
  state_hash: 'c'.repeat(64),
  replay: 'evaluation',
  changed: ['code', 'inputs'],
  live: false,
  decides: true,
  node: 1,
  start: { $content: `sha256:${'d'.repeat(64)}`, bytes: 10 },
};

function refuses(parse: () => unknown): void {
  expect(parse).toThrow(ParseError);
}

describe('run.replay', () => {
  it('O8 comes back as it was written', () => {
    expect(parseRunReplay(encodeRunReplay(REPLAY))).toEqual(REPLAY);
  });

  it.each<[string, JsonObject]>([
    ['an unknown member', { more: 1 }],
    ['no id', { id: 'a' }],
    ['another kind of replay', { replay: 'evaluation' }],
    ['a divergence where it matches', { outcome: 'matches' }],
    ['no divergence where it diverges', { divergence: null }],
    ['another difference', { divergence: { ...REPLAY.divergence, what: 'time' } as JsonObject }],
    ['tools that are no list', { impure: 'add' }],
  ])('O8 is refused with %s', (_, change) => {
    refuses(() => parseRunReplay({ ...encodeRunReplay(REPLAY), ...change }));
  });

  it('lets nothing but ParseError out', () => {
    const members = fc.dictionary(fc.constantFrom(...Object.keys(encodeRunReplay(REPLAY))), fc.jsonValue());
    fc.assert(
      fc.property(members, (value) => {
        try {
          parseRunReplay({ ...encodeRunReplay(REPLAY), ...(value as JsonObject) });
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});

describe('the parent of a run', () => {
  it('O8 comes back as it was written', () => {
    expect(encodeRunParent(parseRunParent(PARENT, 'parent'))).toEqual(PARENT);
  });

  it.each<[string, JsonObject]>([
    ['an unknown member', { more: 1 }],
    ['no event', { event: 'b:7' }],
    ['a change twice', { changed: ['code', 'code'] }],
    ['changes in another order', { changed: ['inputs', 'code'] }],
    ['a change that is none', { changed: ['time'] }],
    ['the number of a run without a parent', { node: 0 }],
    ['no state to begin with', { start: null }],
  ])('O8 is refused with %s', (_, change) => {
    refuses(() => parseRunParent({ ...PARENT, ...change }, 'parent'));
  });
});
