// What the agent decides now, as an action that can be carried out. A run and its replay come to the same, and to the same words
// where the agent's code fails.
import type { JsonObject } from '../core/index.ts';
import { parseRunAction, type RunAction } from '../format/index.ts';
import { type Decided, type Machine, messageOf } from './machine.ts';

export type DecidedAction =
  | (Decided & { readonly parsed: RunAction })
  | {
      /** Why there is none. */
      readonly failed: string;
    };

export function decidedAction(machine: Machine): DecidedAction {
  const decided = machine.decide();
  if (decided === null) return { failed: machine.failure ?? 'decide failed' };
  try {
    return { ...decided, parsed: parseRunAction(decided.action as JsonObject) };
  } catch (error) {
    return { failed: `decide gave no action: ${messageOf(error)}` };
  }
}
