// `parent` of `AgentInit`: a run that begins with the state of another one. It names the event whose state it begins with and
// what was changed. spec/run.md. Whether the parent has that state there is for who replays it.
import { type JsonObject, ParseError } from '../core/index.ts';
import { type ContentRef, encodeContentRef, parseContentRef } from './content.ts';
import { exactly, flag, hash, list, object, oneOf, seq, shortText } from './members.ts';
import { parseRunEventId } from './run-event.ts';

/** The replays that make a run of their own: something is changed, or a broken run is gone on with. */
export const FORK_REPLAYS = ['evaluation', 'recovery'] as const;
export type ForkReplay = (typeof FORK_REPLAYS)[number];
/** What may differ from the parent by somebody's wish. */
export const FORK_CHANGES = ['code', 'state', 'parameters', 'inputs'] as const;
export type ForkChange = (typeof FORK_CHANGES)[number];

export interface RunParent {
  /** The id of the event whose state it begins with. */
  readonly event: string;
  /** `state_hash_after` of that event, under the parent's key. */
  readonly stateHash: string;
  readonly replay: ForkReplay;
  readonly changed: readonly ForkChange[];
  /** Whether a call that the parent's record does not have is really made. */
  readonly live: boolean;
  /** Whether the agent decides at once; else it waits for an observation. */
  readonly decides: boolean;
  /** `node_id` of the run's memory writes: one more than its parent's. */
  readonly node: number;
  /** The state that it begins with, as the parent's hash is of it unless `state` was changed. */
  readonly start: ContentRef;
}

const LONGEST_ID = 81;
const MEMBERS = ['event', 'state_hash', 'replay', 'changed', 'live', 'decides', 'node', 'start'];

export function encodeRunParent(parent: RunParent): JsonObject {
  return {
    event: parent.event,
    state_hash: parent.stateHash,
    replay: parent.replay,
    changed: parent.changed,
    live: parent.live,
    decides: parent.decides,
    node: parent.node,
    start: encodeContentRef(parent.start),
  };
}

/** Throws ParseError. */
export function parseRunParent(value: JsonObject, path: string): RunParent {
  exactly(value, MEMBERS, path);
  const event = shortText(value, 'event', LONGEST_ID, path);
  if (parseRunEventId(event) === null)
    throw new ParseError('BAD_MEMBER', 'not the id of an event', `${path}.event`);
  return {
    event,
    stateHash: hash(value, 'state_hash', path),
    replay: oneOf(value, 'replay', FORK_REPLAYS, path),
    changed: parseChanged(value, path),
    live: flag(value, 'live', path),
    decides: flag(value, 'decides', path),
    node: seq(value, 'node', path),
    start: parseContentRef(object(value, 'start', path), `${path}.start`),
  };
}

/** Each at most once, in the order of the specification. */
function parseChanged(value: JsonObject, path: string): ForkChange[] {
  const given = list(value, 'changed', FORK_CHANGES.length, path);
  const changed = FORK_CHANGES.filter((each) => given.includes(each));
  if (changed.length !== given.length || changed.some((each, at) => each !== given[at]))
    throw new ParseError(
      'BAD_MEMBER',
      `not some of ${FORK_CHANGES.join(', ')}, in this order`,
      `${path}.changed`,
    );
  return changed;
}
