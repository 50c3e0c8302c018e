// Cases of spec/vectors/run.json about patches and forks.
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { RunCase } from './make-run-vectors.ts';

interface Given {
  readonly events: readonly JsonObject[];
  readonly initSeq: number;
  readonly hashOf: (value: Json) => string;
  readonly idOf: (sequence: number, run?: string) => string;
}

const [PATCHED, ELSEWHERE, LATER] = ['a1', 'b2', 'c3'].map((pair) => pair.repeat(32)) as [
  string,
  string,
  string,
];

/** Every event from this one on. */
const from = (first: number): number[] => Array.from({ length: 13 - first }, (_, at) => first + at);

export function patchCases({ events, initSeq, hashOf, idOf }: Given): RunCase[] {
  const stateBehind = (sequence: number): string => String(events[sequence]?.state_hash_after);
  const base = stateBehind(2);
  const placed = (sequence: number, before: string, after: string, members: JsonObject = {}): JsonObject => ({
    ...(events[sequence] as JsonObject),
    state_hash_before: before,
    state_hash_after: after,
    ...members,
  });
  /** The snapshot that follows a patch. */
  const snapshot = (sequence: number, state: string, before = state): JsonObject => {
    const payload = { reason: 'patch', state_hash: state, init_seq: initSeq, bytes: 0, snapshot: null };
    return placed(sequence, before, state, {
      kind: 'Snapshot',
      payload,
      payload_hash: hashOf(payload),
      causal_event_id: idOf(sequence - 1),
    });
  };
  const patch = { behind: 2, before: base, after: PATCHED };
  const undone = (behind: number) => ({ behind, before: PATCHED, after: base, undo: true }) as const;
  const heard = { value: 'x' };
  const first = events[1] as { payload: JsonObject };
  const early = { ...first.payload, state_hash: PATCHED };
  return [
    {
      name: 'a patch, and the snapshot of what it left',
      patches: [patch],
      replace: { 3: snapshot(3, PATCHED) },
      drop: from(4),
      flaws: [],
    },
    {
      name: 'a patch between a call and its result',
      patches: [{ ...patch, behind: 4 }],
      replace: { 5: snapshot(5, PATCHED) },
      drop: from(6),
      flaws: [],
    },
    {
      name: 'a patch that is reverted',
      patches: [patch, undone(3)],
      replace: { 3: snapshot(3, PATCHED), 4: snapshot(4, base) },
      drop: from(5),
      flaws: [],
    },
    {
      name: 'a patch of another state',
      patches: [{ ...patch, before: ELSEWHERE }],
      replace: { 3: snapshot(3, PATCHED) },
      drop: from(4),
      flaws: ['RUN_PATCH@2+'],
    },
    {
      name: 'a patch before the first snapshot',
      patches: [{ ...patch, behind: 0 }],
      replace: { 1: placed(1, PATCHED, PATCHED, { payload: early, payload_hash: hashOf(early) }) },
      drop: from(2),
      flaws: ['RUN_PATCH@0+', 'RUN_SNAPSHOT@1'],
    },
    {
      name: 'a patch behind the end',
      patches: [{ behind: 12, before: stateBehind(12), after: PATCHED }],
      flaws: ['RUN_PATCH@12+'],
    },
    {
      name: 'a reversal after the run went on',
      patches: [patch, undone(4)],
      replace: {
        3: snapshot(3, PATCHED),
        4: placed(4, PATCHED, LATER, {
          kind: 'Observation',
          payload: heard,
          payload_hash: hashOf(heard),
          causal_event_id: null,
        }),
        5: snapshot(5, base),
      },
      drop: from(6),
      flaws: ['RUN_PATCH@4+'],
    },
    {
      name: 'a patch without the snapshot of what it left',
      patches: [patch],
      replace: { 3: placed(3, PATCHED, PATCHED) },
      drop: from(4),
      flaws: ['RUN_SNAPSHOT@3'],
    },
    {
      name: 'a snapshot of a patch that is not there',
      replace: { 3: snapshot(3, base) },
      drop: from(4),
      flaws: ['RUN_SNAPSHOT@3'],
    },
    {
      name: 'an event that goes on from before the patch',
      patches: [patch],
      replace: { 3: snapshot(3, PATCHED, base) },
      drop: from(4),
      flaws: ['RUN_STATE_CHAIN@3'],
    },
    {
      name: 'an event that goes on from a patch that does not count',
      patches: [{ ...patch, counts: false }],
      replace: { 3: placed(3, PATCHED, PATCHED) },
      drop: from(4),
      flaws: ['RUN_STATE_CHAIN@3'],
    },
  ];
}

export function forkCases({ events, hashOf, idOf }: Given): RunCase[] {
  const saying = (sequence: number, members: JsonObject): Record<string, JsonObject> => {
    const event = events[sequence] as JsonObject;
    const payload = { ...(event.payload as JsonObject), ...members };
    return { [sequence]: { ...event, payload, payload_hash: hashOf(payload) } };
  };
  const parent = {
    event: idOf(7, '6'.repeat(64)),
    state_hash: 'a'.repeat(64),
    replay: 'evaluation',
    changed: ['code'],
    live: false,
    decides: false,
    node: 1,
    start: { $content: `keyed-sha256:${'b'.repeat(64)}`, bytes: 10, type: 'application/json' },
  };
  const asFork = saying(7, { version: { node_id: 1, counter: 1 } });
  return [
    { name: 'a fork', replace: { ...saying(0, { parent }), ...asFork }, flaws: [] },
    { name: 'a run with parameters', replace: saying(0, { parameters: { model: 'small' } }), flaws: [] },
    { name: 'a fork that writes as its parent', replace: saying(0, { parent }), flaws: ['RUN_MEMORY@7'] },
    { name: 'a run without a parent that writes as a fork', replace: asFork, flaws: ['RUN_MEMORY@7'] },
    {
      name: 'a parent that is no event',
      replace: saying(0, { parent: { ...parent, event: '6:7' } }),
      flaws: ['RUN_MALFORMED@0'],
      rest: true,
    },
    {
      name: 'a fork that changed something unheard of',
      replace: saying(0, { parent: { ...parent, changed: ['time'] } }),
      flaws: ['RUN_MALFORMED@0'],
      rest: true,
    },
    {
      name: 'parameters that are none',
      replace: saying(0, { parameters: {} }),
      flaws: ['RUN_MALFORMED@0'],
      rest: true,
    },
  ];
}
