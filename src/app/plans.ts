// Plans as the commands and the MCP server see them: approved where an operator whom this user's trust.yaml names says so.
import { readTrust, userTrustFile } from '../config/index.ts';
import { encodeVerifierKey } from '../core/index.ts';
import { type LogReader, type Plan, readPlans } from '../ledger/index.ts';

export interface KnownPlan extends Plan {
  readonly approved: boolean;
}

export async function knownPlans(store: LogReader, env: NodeJS.ProcessEnv): Promise<readonly KnownPlan[]> {
  const trust = await readTrust(userTrustFile(env));
  const operators = new Set((trust?.operators ?? []).map((key) => encodeVerifierKey(key)));
  return (await readPlans(store)).map((plan) => ({
    ...plan,
    approved: plan.approvals.some(({ by }) => operators.has(by)),
  }));
}

export function planJson(plan: KnownPlan): Record<string, unknown> {
  return {
    plan_hash: plan.planHash,
    title: plan.title,
    role: plan.role,
    foundation: plan.foundation,
    seq: plan.seq,
    ts: plan.ts,
    approved: plan.approved,
    approvals: plan.approvals,
  };
}
