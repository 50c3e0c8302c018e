// Plans of a ledger: proposed by anybody, approved by an operator's signature over the very place of the approval. Who
// reads them says which operators count; an approval whose signature is not right is none.
import { ed25519Verify } from '#platform';
import {
  encodeBase64,
  encodeVerifierKey,
  parseBase64,
  parseVerifierKey,
  planMessage,
  type Signer,
  StoreError,
  type VerifierKey,
} from '../core/index.ts';
import {
  encodeContentRef,
  encodePlanApproval,
  encodePlanProposal,
  type PlanProposal,
  parsePlanApproval,
  parsePlanProposal,
} from '../format/index.ts';
import { encodeBlock } from './block.ts';
import { entriesOf, readIdentity } from './epochs.ts';
import type { Clock, LogReader, Store } from './ports.ts';

export interface Plan extends PlanProposal {
  readonly seq: number;
  readonly ts: string;
  /** By operators' verifier keys, with signatures that are right. */
  readonly approvals: readonly { readonly by: string; readonly seq: number; readonly ts: string }[];
}

export interface PlanOptions {
  readonly store: Pick<Store, 'append' | 'read' | 'head' | 'putContent'>;
  readonly now?: Clock;
}

/** `text` must be clean. Durable when it resolves. Proposed again, a plan keeps its name and its approvals. */
export async function proposePlan(
  { store, now = Date.now }: PlanOptions,
  text: string,
  {
    session,
    source,
    ...proposal
  }: Omit<PlanProposal, 'planHash' | 'plan'> & { readonly session: string | null; readonly source: string },
): Promise<{ readonly planHash: string; readonly seq: number }> {
  const bytes = new TextEncoder().encode(text);
  const ref = await store.putContent(session, bytes, { type: 'text/plain', plain: true });
  const payload = encodePlanProposal({ ...proposal, planHash: ref.hash, plan: encodeContentRef(ref) });
  const head = await store.append((at) =>
    encodeBlock([{ kind: 'plan.propose', payload, source, session_id: session }], at, now()),
  );
  if (head === undefined) throw new RangeError('the store did not ask for the entry');
  return { planHash: ref.hash, seq: head.seq };
}

/** NOT_FOUND where nobody proposed it. */
export async function approvePlan(
  { store, now = Date.now }: PlanOptions,
  planHash: string,
  operator: Signer,
): Promise<{ readonly seq: number; readonly by: string }> {
  if (!(await readPlans(store)).some((plan) => plan.planHash === planHash))
    throw new StoreError(
      'NOT_FOUND',
      `there is no plan ${planHash}. Run \`foil plan list\` to see the plans.`,
    );
  const { origin } = await readIdentity(store);
  const by = encodeVerifierKey(operator as VerifierKey);
  const head = await store.append((at) => {
    const message = planMessage({ origin, seq: at.seq + 1, prevHash: at.hash, planHash });
    const signature = encodeBase64(operator.sign(message));
    const payload = encodePlanApproval({ planHash, by, signature });
    return encodeBlock([{ kind: 'plan.approve', payload, source: 'cli' }], at, now());
  });
  if (head === undefined) throw new RangeError('the store did not ask for the entry');
  return { seq: head.seq, by };
}

/** Oldest first; entries that can't be read are left out. Reads the whole log. */
export async function readPlans(store: LogReader): Promise<readonly Plan[]> {
  const { origin } = await readIdentity(store);
  const plans = new Map<string, Plan>();
  const { seq: to } = await store.head();
  for await (const entry of entriesOf(store, 1, to, ['plan.propose', 'plan.approve'])) {
    const { seq, ts, prev_hash: prevHash, payload } = entry;
    try {
      if (entry.kind === 'plan.propose') {
        const proposal = parsePlanProposal(payload);
        if (!plans.has(proposal.planHash))
          plans.set(proposal.planHash, { ...proposal, seq, ts, approvals: [] });
        continue;
      }
      const { planHash, by, signature } = parsePlanApproval(payload);
      const plan = plans.get(planHash);
      const message = planMessage({ origin, seq, prevHash, planHash });
      const good = ed25519Verify(parseVerifierKey(by).publicKey, message, parseBase64(signature));
      if (plan !== undefined && good)
        plans.set(planHash, { ...plan, approvals: [...plan.approvals, { by, seq, ts }] });
    } catch {
      // What nobody can read is neither a plan nor an approval.
    }
  }
  return [...plans.values()];
}
