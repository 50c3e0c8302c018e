// Makes spec/vectors/run.json: the events of one run, made by hand as spec/run.md says, and what is wrong with each of its
// changed copies. None of it comes from the runtime. A test compares the file with what this gives, and `UPDATE_VECTORS=1`
// writes it anew after a deliberate change of the format.
import { sha256Hex, utf8Encode } from '#platform';
import { canonicalize, type Json, type JsonObject, plainBlake3, policyHashOf } from '../../src/core/index.ts';
import { forkCases, patchCases } from './make-patched-cases.ts';

export const RUN = '5'.repeat(64);
/** The entry that `AgentInit` stands at: behind the first entry and the session's. */
export const INIT_SEQ = 3;
const OTHER_STATE = 'a'.repeat(64);
const CAPABILITIES = ['tool:call:add', 'fs:read:/data/**', '!fs:read:/data/secret'];
const CODE = canonicalize({ entry: 'agent.mjs', files: { 'agent.mjs': 'export default 0;\n' } });

export interface RunCase {
  readonly name: string;
  readonly replace?: Readonly<Record<string, JsonObject>>;
  readonly drop?: readonly number[];
  readonly patches?: readonly PatchCase[];
  readonly flaws: readonly string[];
  readonly rest?: boolean;
}

/** A patch behind an event: it is applied, or the one before it is undone. */
export interface PatchCase {
  readonly behind: number;
  readonly before: string;
  readonly after: string;
  readonly undo?: true;
  readonly counts?: false;
}

export interface RunVectors {
  readonly about: string;
  readonly init_seq: number;
  readonly events: readonly JsonObject[];
  readonly cases: readonly RunCase[];
}

const blake3 = plainBlake3();
const hashOf = (value: Json): string => blake3(utf8Encode(canonicalize(value)));
const id = (sequence: number, run = RUN): string => `${run}:${sequence}`;

function stateHash(total: number, documents: readonly JsonObject[] = []): string {
  return hashOf({ applied_patches: [], capabilities: CAPABILITIES, memory: { documents }, state: { total } });
}

const SUM = { key: 'sum', value: 2, version: { node_id: 0, counter: 1 } };
const EMPTY = stateHash(0);
const ADDED = stateHash(2);
const WRITTEN = stateHash(2, [{ ...SUM, causal_event: id(6) }]);

const INIT: JsonObject = {
  agent: 'counter',
  capabilities: CAPABILITIES,
  capabilities_hash: policyHashOf({
    allow: CAPABILITIES.slice(0, 2),
    deny: CAPABILITIES.slice(2).map((text) => text.slice(1)),
  }),
  root: '/work/app',
  tools: [{ name: 'add', pure: true, idempotent: true, limits: { ms: 1000, output_bytes: 1000 } }],
  code: {
    root: sha256Hex(CODE),
    entry: 'agent.mjs',
    files: 1,
    bytes: CODE.length,
    bundle: { $content: `sha256:${sha256Hex(CODE)}`, bytes: CODE.length, type: 'application/json' },
  },
  limits: { calls: 1, events: 1000 },
  hashes: 'blake3',
  node: 'v20.19.0',
};
const CALL: JsonObject = {
  tool_id: 'add',
  input: { by: 2 },
  required_capabilities: ['tool:call:add'],
  granted_capabilities: ['tool:call:add'],
};
const RESULT: JsonObject = {
  tool_id: 'add',
  output: 2,
  success: true,
  outcome: 'ok',
  error: null,
  fuel_consumed: null,
  usage: { ms: 1, output_bytes: 1 },
};
const DENIAL: JsonObject = {
  tool_id: 'read',
  input: {},
  required_capabilities: ['fs:read:/data/secret'],
  granted_capabilities: [],
  code: 'NOT_GRANTED',
  denial_reason: 'fs:read:/data/secret is not granted',
};
const FINAL: JsonObject = {
  outcome: 'finished',
  reason: null,
  result: 2,
  usage: { calls: 1, denials: 1, ms: 1, output_bytes: 1 },
};
const used = (members: JsonObject): JsonObject => ({ ...(FINAL.usage as JsonObject), ...members });
const snapshot = (reason: string, state: string): JsonObject => ({
  reason,
  state_hash: state,
  init_seq: INIT_SEQ,
  bytes: 0,
  snapshot: null,
});

const ENCRYPTED = 'application/vnd.counterfoil.encrypted;type="application/json"';
const kept = (bytes: number, type = 'application/json'): JsonObject => ({
  $content: `keyed-sha256:${'c'.repeat(64)}`,
  bytes,
  type,
});

/** Kind, payload, the sequence of the cause, and the state behind it. */
const EVENTS: readonly (readonly [kind: string, payload: JsonObject, cause: number | null, after: string])[] =
  [
    ['AgentInit', INIT, null, EMPTY],
    ['Snapshot', snapshot('first', EMPTY), 0, EMPTY],
    ['Observation', { value: 'count' }, null, EMPTY],
    ['Decision', { action: { call: 'add', input: { by: 2 } } }, 2, EMPTY],
    ['ToolCall', CALL, 3, EMPTY],
    ['Recovery', { at: 4, in_doubt: id(4) }, null, EMPTY],
    ['ToolResult', RESULT, 4, ADDED],
    ['MemoryWrite', SUM, 6, WRITTEN],
    ['Decision', { action: { call: 'read', input: {} } }, 6, WRITTEN],
    ['Denial', DENIAL, 8, WRITTEN],
    ['Decision', { action: { finish: 2 } }, 9, WRITTEN],
    ['Snapshot', snapshot('last', WRITTEN), 10, WRITTEN],
    ['Final', FINAL, 11, WRITTEN],
  ];

function runEvents(): JsonObject[] {
  return EVENTS.map(([kind, payload, cause, after], sequence) => ({
    id: id(sequence),
    parent_id: sequence === 0 ? null : id(sequence - 1),
    timestamp: { run_id: RUN, sequence },
    kind,
    payload,
    payload_hash: hashOf(payload),
    state_hash_before: EVENTS[sequence - 1]?.[3] ?? null,
    state_hash_after: after,
    causal_event_id: cause === null ? null : id(cause),
  }));
}

const grantsOf = (...allow: string[]): JsonObject => ({
  capabilities: allow,
  capabilities_hash: policyHashOf({ allow, deny: [] }),
});

const declaring = (...needs: string[]): JsonObject => ({
  ...(INIT.tools as JsonObject[])[0],
  required_capabilities: needs,
});

const celled = (fuel: number): JsonObject => ({
  ...(INIT.tools as JsonObject[])[0],
  cell: { module: 'agent.mjs', fuel, memory_bytes: 1000 },
});

export function runVectors(): RunVectors {
  const events = runEvents();
  const at = (sequence: number): JsonObject => events[sequence] as JsonObject;
  const changed = (sequence: number, members: JsonObject): RunCase['replace'] => ({
    [sequence]: { ...at(sequence), ...members },
  });
  /** With the hash of what stands there now. */
  const saying = (sequence: number, members: JsonObject, more: JsonObject = {}): RunCase['replace'] => {
    const payload = { ...(at(sequence).payload as JsonObject), ...members };
    return changed(sequence, { payload, payload_hash: hashOf(payload), ...more });
  };
  const fails = (name: string, replace: RunCase['replace'], ...flaws: string[]): RunCase => ({
    name,
    ...(replace === undefined ? {} : { replace }),
    flaws,
  });
  const stopping = (): RunCase['replace'] =>
    saying(9, {
      code: 'STOPPED',
      required_capabilities: [],
      denial_reason: 'the run was stopped before the call was made',
    });
  /** The result says that a limit of its cell ended it, or a crash. */
  const cellEnds = (members: JsonObject): NonNullable<RunCase['replace']> => ({
    ...saying(0, { tools: [celled(5)] }),
    ...saying(6, { output: null, success: false, usage: { ms: 0, output_bytes: 0 }, ...members }),
    ...saying(12, { usage: used({ ms: (members.usage as { ms?: number })?.ms ?? 0, output_bytes: 0 }) }),
  });
  const outOfFuel = (
    fuel: number | null,
    error = 'it took more than 5 steps',
  ): NonNullable<RunCase['replace']> => cellEnds({ outcome: 'fuel', error, fuel_consumed: fuel });
  /** The last snapshot stands in the place of event 10, and the end right behind it. */
  const ending = (members: JsonObject): RunCase['replace'] => ({
    ...changed(10, {
      kind: 'Snapshot',
      payload: snapshot('last', WRITTEN),
      payload_hash: hashOf(snapshot('last', WRITTEN)),
      causal_event_id: id(9),
    }),
    ...saying(12, members, {
      id: id(11),
      parent_id: id(10),
      timestamp: { run_id: RUN, sequence: 11 },
      causal_event_id: id(10),
    }),
  });
  const unheard = { value: 'meanwhile' };
  const cases: RunCase[] = [
    { name: 'a whole run', flaws: [] },
    { name: 'a run that is still open', drop: [11, 12], flaws: [] },
    { name: 'an event is left out', drop: [5], flaws: ['RUN_SEQUENCE@6', 'RUN_PARENT@6'] },
    {
      name: 'the first event is left out',
      drop: [0],
      flaws: ['RUN_SEQUENCE@1', 'RUN_PARENT@1', 'RUN_STATE_CHAIN@1', 'RUN_ORDER@1', 'RUN_CAUSE@1'],
      rest: true,
    },
    fails('the parent is of another run', changed(3, { parent_id: id(2, '6'.repeat(64)) }), 'RUN_PARENT@3'),
    fails('the parent is null', changed(3, { parent_id: null }), 'RUN_PARENT@3'),
    fails(
      'the chain of states is broken, and mended by the next event',
      changed(6, { state_hash_after: OTHER_STATE }),
      'RUN_STATE_CHAIN@7',
    ),
    fails(
      'an event begins at another state',
      changed(2, { state_hash_before: OTHER_STATE }),
      'RUN_STATE_CHAIN@2',
    ),
    fails(
      'a decision changes the state',
      changed(10, { state_hash_after: OTHER_STATE }),
      'RUN_STATE_CHAIN@10',
      'RUN_STATE_CHAIN@11',
    ),
    fails(
      'the first event has a state before it',
      changed(0, { state_hash_before: OTHER_STATE }),
      'RUN_STATE_CHAIN@0',
    ),
    fails('the payload was changed', changed(6, { payload: { ...RESULT, output: 3 } }), 'RUN_PAYLOAD_HASH@6'),
    fails(
      "the payload hash is another event's",
      changed(2, { payload_hash: at(3).payload_hash as string }),
      'RUN_PAYLOAD_HASH@2',
    ),
    fails('a cause is in the future', changed(3, { causal_event_id: id(9) }), 'RUN_CAUSE@3'),
    fails('a cause does not exist', changed(6, { causal_event_id: id(400) }), 'RUN_CAUSE@6'),
    fails('a result names no call', changed(6, { causal_event_id: null }), 'RUN_CAUSE@6'),
    fails('a call is caused by an observation', changed(4, { causal_event_id: id(2) }), 'RUN_CAUSE@4'),
    fails('a memory write without a cause', changed(7, { causal_event_id: null }), 'RUN_MEMORY@7'),
    fails(
      'a memory write that names an event which wrote nothing',
      changed(7, { causal_event_id: id(2) }),
      'RUN_MEMORY@7',
    ),
    fails('a version is passed over', saying(7, { version: { node_id: 0, counter: 2 } }), 'RUN_MEMORY@7'),
    fails('a snapshot of another state', saying(11, { state_hash: OTHER_STATE }), 'RUN_SNAPSHOT@11'),
    {
      name: 'snapshots that are kept, one of them encrypted',
      replace: {
        ...saying(1, { bytes: 200, snapshot: kept(200) }),
        ...saying(11, { bytes: 200, snapshot: kept(246, ENCRYPTED) }),
      },
      flaws: [],
    },
    fails(
      'a snapshot that says other bytes than are kept',
      saying(11, { bytes: 201, snapshot: kept(200) }),
      'RUN_SNAPSHOT@11',
    ),
    fails(
      'an encrypted snapshot that says other bytes than are kept',
      saying(11, { bytes: 246, snapshot: kept(246, ENCRYPTED) }),
      'RUN_SNAPSHOT@11',
    ),
    {
      ...fails(
        'code of other bytes than its bundle has',
        saying(0, { code: { ...(INIT.code as JsonObject), bytes: CODE.length + 1 } }),
        'RUN_MALFORMED@0',
      ),
      rest: true,
    },
    fails('a snapshot that names another beginning', saying(1, { init_seq: 1 }), 'RUN_SNAPSHOT@1'),
    fails('the first snapshot is called something else', saying(1, { reason: 'count' }), 'RUN_SNAPSHOT@1'),
    {
      name: 'the last snapshot is missing',
      drop: [11],
      flaws: ['RUN_SEQUENCE@12', 'RUN_PARENT@12', 'RUN_SNAPSHOT@12', 'RUN_CAUSE@12'],
    },
    fails(
      'a result in place of a decision',
      changed(8, {
        kind: 'ToolResult',
        payload: RESULT,
        payload_hash: hashOf(RESULT),
        causal_event_id: id(4),
      }),
      'RUN_ORDER@8',
      'RUN_CAUSE@8',
      'RUN_ORDER@9',
      'RUN_CAUSE@9',
      'RUN_CAUSE@9',
      'RUN_USAGE@12',
    ),
    fails('more calls than are allowed', saying(0, { limits: { calls: 0, events: 1000 } }), 'RUN_LIMIT@4'),
    fails('more events than are allowed', saying(0, { limits: { calls: 1, events: 10 } }), 'RUN_LIMIT@10'),
    {
      name: 'as many events as are allowed',
      replace: saying(0, { limits: { calls: 1, events: 11 } }) ?? {},
      flaws: [],
    },
    {
      name: 'a result of a cell with all of its fuel',
      replace: { ...saying(0, { tools: [celled(5)] }), ...saying(6, { fuel_consumed: 5 }) },
      flaws: [],
    },
    fails(
      'a result of a cell with more fuel than it has',
      { ...saying(0, { tools: [celled(5)] }), ...saying(6, { fuel_consumed: 6 }) },
      'RUN_LIMIT@6',
    ),
    fails(
      'a result of a cell that says nothing of its fuel',
      saying(0, { tools: [celled(5)] }),
      'RUN_USAGE@6',
    ),
    {
      name: 'the capabilities are not those of their hash',
      replace: saying(0, { capabilities: ['**:*:**'] }) ?? {},
      flaws: ['RUN_CAPABILITIES@0', 'RUN_CAPABILITIES@4'],
      rest: true,
    },
    fails(
      'a call rests on a grant that the run began without',
      saying(4, { granted_capabilities: ['tool:call:*'] }),
      'RUN_CAPABILITIES@4',
    ),
    fails(
      'a call without what it needs',
      saying(4, { required_capabilities: ['fs:write:/data/a'] }),
      'RUN_CALL_NOT_GRANTED@4',
    ),
    fails(
      'a call of what is denied',
      saying(4, { required_capabilities: ['fs:read:/data/secret'] }),
      'RUN_CALL_NOT_GRANTED@4',
    ),
    ...['tool:call:', 'tool:call:a\u0007', 'tool:call:\u0430dd'].map((need) =>
      fails(
        `a call that needs ${JSON.stringify(need)}, which no grant covers`,
        {
          ...saying(0, grantsOf('tool:call:*')),
          ...saying(4, { required_capabilities: [need], granted_capabilities: ['tool:call:*'] }),
        },
        'RUN_CAPABILITIES@0',
        'RUN_CALL_NOT_GRANTED@4',
      ),
    ),
    fails('a call that names no grant', saying(4, { granted_capabilities: [] }), 'RUN_CAPABILITIES@4'),
    fails(
      'a call that names a grant which covers nothing that it needs',
      saying(4, { granted_capabilities: ['tool:call:add', 'fs:read:/data/**'] }),
      'RUN_CAPABILITIES@4',
    ),
    fails(
      'a call that names a denial as what granted it',
      saying(4, { granted_capabilities: ['!fs:read:/data/secret'] }),
      'RUN_CAPABILITIES@4',
    ),
    fails(
      'a call that names one grant twice',
      saying(4, { granted_capabilities: ['tool:call:add', 'tool:call:add'] }),
      'RUN_CAPABILITIES@4',
    ),
    fails(
      'a denial that names a grant which covers nothing that it needs',
      saying(9, { granted_capabilities: ['fs:read:/data/**'] }),
      'RUN_CAPABILITIES@9',
    ),
    fails('a call that needs nothing', saying(4, { required_capabilities: [] }), 'RUN_TOOL_UNDECLARED@4'),
    { ...fails('an unknown kind', changed(2, { kind: 'Thought' }), 'RUN_MALFORMED@2'), rest: true },
    { ...fails('an unknown member', changed(2, { note: 1 }), 'RUN_MALFORMED@2'), rest: true },
    {
      ...fails('an id that the timestamp does not give', changed(2, { id: `${RUN}:02` }), 'RUN_MALFORMED@2'),
      rest: true,
    },
    {
      ...fails('a result that says success of a failure', saying(6, { outcome: 'error' }), 'RUN_MALFORMED@6'),
      rest: true,
    },
    {
      ...fails(
        'a decision of two minds',
        saying(10, { action: { finish: 2, wait: true } }),
        'RUN_MALFORMED@10',
      ),
      rest: true,
    },
    fails(
      'a call of a tool that the run did not declare',
      {
        ...saying(3, { action: { call: 'read', input: { by: 2 } } }),
        ...saying(4, { tool_id: 'read' }),
        ...saying(6, { tool_id: 'read' }),
      },
      'RUN_TOOL_UNDECLARED@4',
    ),
    {
      name: 'a call of a tool that says what it needs',
      replace: saying(0, { tools: [declaring('tool:call:add')] }) ?? {},
      flaws: [],
    },
    {
      name: 'a call whose path was resolved',
      replace: {
        ...saying(0, { tools: [declaring('fs:read:notes')] }),
        ...saying(4, {
          required_capabilities: ['fs:read:/data/notes'],
          granted_capabilities: ['fs:read:/data/**'],
        }),
      },
      flaws: [],
    },
    fails(
      'a call that needs less than its tool declared',
      saying(0, { tools: [declaring('tool:call:add', 'fs:write:/data/a')] }),
      'RUN_TOOL_UNDECLARED@4',
    ),
    fails(
      'a call that needs something else than its tool declared',
      saying(0, { tools: [declaring('fs:read:/data/a')] }),
      'RUN_TOOL_UNDECLARED@4',
    ),
    {
      ...fails('a tool that declares no need', saying(0, { tools: [declaring()] }), 'RUN_MALFORMED@0'),
      rest: true,
    },
    fails('a call with other input than was decided', saying(4, { input: { by: 3 } }), 'RUN_CAUSE@4'),
    fails('a denial of another call than was decided', saying(9, { input: { by: 3 } }), 'RUN_CAUSE@9'),
    fails(
      'a tool gave more than it may',
      {
        ...saying(6, { usage: { ms: 1, output_bytes: 1001 } }),
        ...saying(12, { usage: used({ output_bytes: 1001 }) }),
      },
      'RUN_LIMIT@6',
    ),
    fails(
      'a denial is counted and not on record',
      saying(12, { usage: { calls: 1, denials: 2, ms: 1, output_bytes: 1 } }),
      'RUN_DENIAL@12',
    ),
    fails('a result of another tool than was called', saying(6, { tool_id: 'read' }), 'RUN_CAUSE@6'),
    {
      ...fails('a result that is ok and has an error', saying(6, { error: 'x' }), 'RUN_MALFORMED@6'),
      rest: true,
    },
    {
      ...fails(
        'a result that failed and has an output',
        saying(6, { outcome: 'error', success: false, error: 'x' }),
        'RUN_MALFORMED@6',
      ),
      rest: true,
    },
    {
      ...fails(
        'a result that failed and has no error',
        saying(6, { outcome: 'error', success: false, output: null }),
        'RUN_MALFORMED@6',
      ),
      rest: true,
    },
    fails('a result that consumed fuel without a cell', saying(6, { fuel_consumed: 5 }), 'RUN_USAGE@6'),
    fails(
      'a result of a number that has no bytes',
      {
        ...saying(6, { usage: { ms: 1, output_bytes: 0 } }),
        ...saying(12, { usage: used({ output_bytes: 0 }) }),
      },
      'RUN_USAGE@6',
    ),
    fails(
      'a result that failed and has bytes of output',
      saying(6, { outcome: 'error', success: false, error: 'x', output: null }),
      'RUN_USAGE@6',
    ),
    fails(
      'a denial of what is granted',
      saying(9, { required_capabilities: ['fs:read:/data/a'] }),
      'RUN_DENIAL@9',
    ),
    fails(
      'a denial for a limit of calls that is not reached',
      {
        ...saying(0, { limits: { calls: 2, events: 1000 } }),
        ...saying(9, { code: 'CALL_LIMIT' }),
      },
      'RUN_DENIAL@9',
    ),
    fails(
      'a denial of a tool as unknown that the run declared',
      {
        ...saying(8, { action: { call: 'add', input: {} } }),
        ...saying(9, { code: 'UNKNOWN_TOOL', tool_id: 'add' }),
      },
      'RUN_DENIAL@9',
    ),
    fails(
      'a denial for want of a record, in a run that is no fork',
      saying(9, { code: 'NOT_RECORDED' }),
      'RUN_DENIAL@9',
    ),
    {
      name: 'a call that was denied to stop the run',
      replace: { ...stopping(), ...ending({ outcome: 'stopped', reason: 'enough', result: null }) },
      drop: [11],
      flaws: [],
    },
    {
      ...fails(
        'a call that was denied to stop the run, which failed',
        { ...stopping(), ...ending({ outcome: 'failed', reason: 'x', result: null }) },
        'RUN_CAUSE@12',
      ),
      drop: [11],
    },
    fails(
      'a run that goes on behind a call that was denied to stop it',
      stopping(),
      'RUN_ORDER@10',
      'RUN_CAUSE@12',
    ),
    {
      ...fails(
        'the end is a stop where the agent was to decide',
        ending({ outcome: 'stopped', reason: 'enough', result: null }),
        'RUN_CAUSE@12',
      ),
      drop: [11],
    },
    fails(
      'a denial for another reason than follows from its code',
      saying(9, { denial_reason: 'all is well' }),
      'RUN_DENIAL@9',
    ),
    fails(
      'a denial to stop the run that gives another reason',
      { ...stopping(), ...saying(9, { code: 'STOPPED', required_capabilities: [] }) },
      'RUN_DENIAL@9',
      'RUN_ORDER@10',
      'RUN_CAUSE@12',
    ),
    fails('a recovery from another event than the last', saying(5, { at: 3 }), 'RUN_CAUSE@5'),
    fails('a recovery that names no call in doubt', saying(5, { in_doubt: null }), 'RUN_CAUSE@5'),
    fails('a recovery that names another call', saying(5, { in_doubt: id(3) }), 'RUN_CAUSE@5'),
    { name: 'a cell that was out of fuel at a look', replace: outOfFuel(5), flaws: [] },
    {
      name: 'a cell that was out of fuel and ended before the next look',
      replace: outOfFuel(10_004),
      flaws: [],
    },
    fails('a cell that was out of fuel past the next look', outOfFuel(10_005), 'RUN_LIMIT@6'),
    fails('a cell that was out of fuel and had some left', outOfFuel(4), 'RUN_USAGE@6'),
    fails('a cell that was out of fuel and counted none', outOfFuel(null), 'RUN_USAGE@6'),
    fails('a cell that was out of fuel and says another limit', outOfFuel(5, 'it was tired'), 'RUN_USAGE@6'),
    fails(
      'a tool that was out of fuel and runs in no cell',
      { ...outOfFuel(null), ...saying(0, {}) },
      'RUN_USAGE@6',
    ),
    fails(
      'a cell that took too long and took no time',
      cellEnds({ outcome: 'time', error: 'it took longer than 1000 ms', fuel_consumed: 0 }),
      'RUN_USAGE@6',
    ),
    {
      name: 'a call that a crash left in doubt',
      replace: cellEnds({ outcome: 'unknown', error: 'a crash came', fuel_consumed: null }),
      flaws: [],
    },
    fails(
      'a call in doubt that says what it used',
      cellEnds({ outcome: 'unknown', error: 'a crash came', fuel_consumed: 5 }),
      'RUN_USAGE@6',
    ),
    {
      ...fails(
        'a call in doubt where nobody went on with the run',
        cellEnds({ outcome: 'unknown', error: 'a crash came', fuel_consumed: null }),
        'RUN_CAUSE@6',
      ),
      drop: [5],
      rest: true,
    },
    fails('the end is finished and gives a reason', saying(12, { reason: 'x' }), 'RUN_CAUSE@12'),
    fails('the end has another result than was decided', saying(12, { result: 77 }), 'RUN_CAUSE@12'),
    fails(
      'the end is a failure, and finishing was decided',
      saying(12, { outcome: 'failed', reason: 'x', result: null }),
      'RUN_CAUSE@12',
    ),
    fails(
      'the end is a stop, and finishing was decided',
      saying(12, { outcome: 'stopped', reason: 'x', result: null }),
      'RUN_CAUSE@12',
    ),
    fails(
      'the end is finished, and waiting was decided',
      saying(10, { action: { wait: true } }),
      'RUN_CAUSE@12',
    ),
    fails(
      'the end fails for another reason than was decided',
      {
        ...saying(10, { action: { fail: 'no' } }),
        ...saying(12, { outcome: 'failed', reason: 'yes', result: null }),
      },
      'RUN_CAUSE@12',
    ),
    {
      ...fails(
        'the end fails for another reason than was decided before somebody went on with the run',
        {
          ...saying(8, { action: { fail: 'no' } }),
          ...changed(9, {
            kind: 'Recovery',
            payload: { at: 8, in_doubt: null },
            payload_hash: hashOf({ at: 8, in_doubt: null }),
            causal_event_id: null,
          }),
          ...ending({ outcome: 'failed', reason: 'yes', result: null, usage: used({ denials: 0 }) }),
        },
        'RUN_CAUSE@12',
      ),
      drop: [11],
    },
    fails(
      'the end fails for a reason that was cut shorter than any is',
      {
        ...saying(10, { action: { fail: 'the data were wrong' } }),
        ...saying(12, { outcome: 'failed', reason: 'the d…', result: null }),
      },
      'RUN_CAUSE@12',
    ),
    {
      name: 'the end fails for a long reason that was cut short',
      replace: {
        ...saying(10, { action: { fail: 'no'.repeat(1500) } }),
        ...saying(12, { outcome: 'failed', reason: `${'no'.repeat(1023)}…`, result: null }),
      },
      flaws: [],
    },
    {
      name: 'the end fails for the reason that was decided',
      replace: {
        ...saying(10, { action: { fail: 'no' } }),
        ...saying(12, { outcome: 'failed', reason: 'no', result: null }),
      },
      flaws: [],
    },
    {
      name: 'the end is a stop while the agent waits',
      replace: {
        ...saying(10, { action: { wait: true } }),
        ...saying(12, { outcome: 'stopped', reason: 'stopped by the program', result: null }),
      },
      flaws: [],
    },
    fails('the end counts other calls', saying(12, { usage: used({ calls: 4 }) }), 'RUN_USAGE@12'),
    fails('the end says another time', saying(12, { usage: used({ ms: 5 }) }), 'RUN_USAGE@12'),
    fails('the end says other bytes', saying(12, { usage: used({ output_bytes: 9 }) }), 'RUN_USAGE@12'),
    fails(
      'a call was decided, and neither made nor denied',
      changed(9, {
        kind: 'Observation',
        payload: unheard,
        payload_hash: hashOf(unheard),
        causal_event_id: null,
      }),
      'RUN_DENIAL@9',
      'RUN_DENIAL@12',
    ),
    ...patchCases({ events, initSeq: INIT_SEQ, hashOf, idOf: id }),
    ...forkCases({ events, initSeq: INIT_SEQ, hashOf, idOf: id }),
  ];
  return {
    about:
      'The events of a run, in order; AgentInit stands at entry 3. Each case drops or replaces some of them, and may have patches that take effect behind an event (with `undo`, the reversal of the one before; with `counts` false, one that its proposer approved). It lists the flaws as CODE@sequence, and those of a patch as CODE@sequence+. With `rest`, more flaws may follow from the first.',
    init_seq: INIT_SEQ,
    events,
    cases,
  };
}
