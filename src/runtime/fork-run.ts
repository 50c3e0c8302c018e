// How a fork begins: a new run with the state that its parent had behind an event, which it names. Evaluation changes
// something and answers calls from the parent's record; recovery goes on with a run whose log is damaged behind that event.
import { canonicalize, type JsonObject } from '../core/index.ts';
import { type ForkChange, type ForkReplay, runEventId } from '../format/index.ts';
import type { ForkPoint } from './fork-point.ts';
import { RecordedCalls } from './recorded-calls.ts';
import type { Run } from './run.ts';
import type { Unless } from './run-log.ts';
import { beginRun, type LoadedCode, type StartParts } from './start-run.ts';

export interface ForkParts extends Omit<StartParts, 'module' | 'load'> {
  /** The parent's, or other code in its place. */
  readonly loaded: LoadedCode;
  /** The parent. */
  readonly run: string;
  readonly at: number;
  readonly point: ForkPoint;
  /** The state behind that event, rebuilt; the parent's hash is of it unless somebody changed it. */
  readonly start: JsonObject;
  readonly isStateChanged: boolean;
  readonly hasOwnInputs: boolean;
  readonly replay: ForkReplay;
  /** Make calls that the record does not have. */
  readonly live: boolean;
  /** Tools that are said to be pure and are not. */
  readonly impure: ReadonlySet<string>;
  /** What keeps it from beginning. */
  readonly unless?: Unless | undefined;
}

/** RunError and RecordError as startRun has them. */
export function forkRun(parts: ForkParts): Promise<Run> {
  const { loaded, run, at, point, start, replay, impure, unless } = parts;
  const { init, stateHash, decides, calls } = point;
  const parameters = parts.parameters ?? init.parameters;
  const isRecovery = replay === 'recovery';
  const live = parts.live || isRecovery;
  const changes: Readonly<Record<ForkChange, boolean>> = {
    code: loaded.code.root !== init.code.root,
    state: parts.isStateChanged,
    parameters: canonicalize(parameters) !== canonicalize(init.parameters),
    inputs: parts.hasOwnInputs,
  };
  const changed = (Object.keys(changes) as ForkChange[]).filter((each) => changes[each]);
  const node = (init.parent?.node ?? 0) + 1;
  const event = runEventId(run, at);
  return beginRun({ ...parts, parameters }, loaded, {
    parent: { event, stateHash, replay, changed, live, decides, node },
    start,
    unless,
    answers: isRecovery ? null : new RecordedCalls(calls, { live, impure }),
  });
}
