// Payloads of plans: `plan.propose`, what somebody wants to do, and `plan.approve`, an operator's word that it may be done.
// The plan itself is content, under plain SHA-256, so that its hash is its name everywhere. spec/mcp.md specifies them.
import type { JsonObject } from '../core/index.ts';
import { cut, exactly, flag, hash, orNull, shortText, signature } from './members.ts';

export interface PlanProposal {
  /** SHA-256 of the plan's bytes, redacted: its name. */
  readonly planHash: string;
  /** A content reference. */
  readonly plan: JsonObject;
  readonly title: string;
  /** Who proposes it: `planner`, `executor`, `operator`. */
  readonly role: string;
  /** The first of a project, which all others rest on. */
  readonly foundation: boolean;
  /** As it was given with the plan; what it is worth is for the reader to say. */
  readonly signature: string | null;
}

export interface PlanApproval {
  readonly planHash: string;
  /** The operator's verifier key. */
  readonly by: string;
  /** By that key, over planMessage, in base64. */
  readonly signature: string;
}

const LONGEST_TITLE = 256;
const LONGEST_ROLE = 64;
const LONGEST_SIGNATURE = 4096;
const LONGEST_KEY = 1024;

export function encodePlanProposal(proposal: PlanProposal): JsonObject {
  return {
    plan_hash: proposal.planHash,
    plan: proposal.plan,
    title: cut(proposal.title, LONGEST_TITLE),
    role: cut(proposal.role, LONGEST_ROLE),
    foundation: proposal.foundation,
    signature: proposal.signature === null ? null : cut(proposal.signature, LONGEST_SIGNATURE),
  };
}

export function parsePlanProposal(payload: JsonObject): PlanProposal {
  exactly(payload, ['plan_hash', 'plan', 'title', 'role', 'foundation', 'signature']);
  return {
    planHash: hash(payload, 'plan_hash'),
    plan: payload.plan as JsonObject,
    title: shortText(payload, 'title', LONGEST_TITLE),
    role: shortText(payload, 'role', LONGEST_ROLE),
    foundation: flag(payload, 'foundation'),
    signature: orNull(payload, 'signature', () => shortText(payload, 'signature', LONGEST_SIGNATURE)),
  };
}

export function encodePlanApproval({ planHash, by, signature: signed }: PlanApproval): JsonObject {
  return { plan_hash: planHash, approved_by: by, signature: signed };
}

export function parsePlanApproval(payload: JsonObject): PlanApproval {
  exactly(payload, ['plan_hash', 'approved_by', 'signature']);
  return {
    planHash: hash(payload, 'plan_hash'),
    by: shortText(payload, 'approved_by', LONGEST_KEY),
    signature: signature(payload, 'signature'),
  };
}
