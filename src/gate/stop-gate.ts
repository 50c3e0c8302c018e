// The end of a turn: what does the agent claim, and does it rest on recorded, fresh, matching evidence? Claims, signed
// validations and the verdict become entries in one block; the host is told to go on working only in guard, and at most
// twice a prompt. An honest agent whose evidence is there never notices.
import { type Json, type JsonObject, StoreError } from '../core/index.ts';
import {
  type BlockLimit,
  type Contract,
  encodeClaim,
  encodeGate,
  type GateVerdict,
  type Grade,
  leastGrade,
  type Validation,
} from '../format/index.ts';
import { type Clock, type EntryLog, encodeBlock, type Mode, type NewEntry } from '../ledger/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import {
  type Concluded,
  encodeState,
  endOf,
  hostBlocks,
  type Intake,
  isCapped,
  ownWords,
  parseState,
  type Ruling,
  Traces,
} from '../record/index.ts';
import {
  absentNames,
  askByNames,
  commandOf,
  type Evidence,
  type GateMemory,
  isBornSkipped,
  isSettled,
  type JudgedClaim,
  type Judgement,
  judge,
  leadingClaim,
  limitMet,
  mayBeHeld,
  mayExcuse,
  namesIn,
  type ProjectCommands,
  RULES_VERSION,
  readContract,
  rememberBlock,
  rememberTree,
  toldExpectations,
  untoldStubs,
  wayOut,
  withConsent,
} from '../rules/index.ts';
import { finalProblem } from './final-end.ts';
import type { SessionRecord } from './ledger-evidence.ts';
import { type Judged, rulingOf, verdictOf } from './turn-ruling.ts';
import type { TurnSaid } from './turn-said.ts';
import type { ValidationSigner } from './validation-signer.ts';

export interface StopGateOptions {
  readonly store: Pick<EntryLog, 'append' | 'readState'>;
  readonly intake: Pick<Intake, 'clean' | 'keep'>;
  readonly policy: ClaimPolicy;
  /** As it is on record. */
  readonly policyHash: string;
  readonly mode: Mode;
  readonly now: Clock;
  readonly timeout?: number | undefined;
  /** The service's, of a locked ledger; null for any other. */
  readonly socket: string | null;
  /** What was said, as `readTurn` gave it. */
  readonly turn: TurnSaid;
  /** Everything that was seen of the session, as it stands now. */
  readonly gather: (memory: GateMemory) => Promise<Evidence>;
  readonly projectCommands: (changed: readonly string[]) => ProjectCommands;
  readonly root: string | null;
  /** The session as the ledger has it: read only where a structured block refers to entries of it. */
  readonly recorded: (session: string) => Promise<SessionRecord>;
  /** Opened only when there is something to sign; `again` where the key of the one before was rotated. */
  readonly signer: (options?: { readonly again?: boolean }) => Promise<ValidationSigner>;
}

export async function concludeTurn(options: StopGateOptions, concluded: Concluded): Promise<Ruling> {
  const { store, intake, policy, turn } = options;
  const { event, session, name } = concluded;
  const { said, found, claims } = turn;
  const quoting = Promise.all(claims.map(({ quote }) => intake.keep(session, quote)));
  quoting.catch(() => undefined); // told where they are needed
  const state = parseState(await store.readState(name));
  if (state === undefined) throw new Error('the state of the session is gone');
  const { gate: memory } = state;
  const required = event.type === 'stop' && memory.contract?.contract.responseMode === 'foil_final';
  // A turn without a prompt of its own, or one that asks for nothing: what changed is the scope.
  const contract = memory.contract?.contract ?? readContract('', policy);
  const gathered = !claims.some((claim) => mayBeHeld(claim, contract)) ? null : await options.gather(memory);
  const mayTell = contract.mayLeaveOut !== undefined;
  const isOther =
    gathered?.weakened?.some(({ expects, beside }) => expects === true || beside !== undefined || mayTell) ===
    true;
  const expected = isOther ? toldExpectations(gathered.weakened, said.text, contract) : [];
  const evidence = gathered && {
    ...gathered,
    stubs: gathered.stubs?.length ? untoldStubs(gathered.stubs, said.text, contract) : [],
    absent: gathered.added === undefined ? [] : absentNames(said.text, contract, gathered),
    weakened:
      gathered.weakened?.filter(
        (each) => !expected.includes(each) && !(isBornSkipped(each) && /skip/i.test(said.text)),
      ) ?? null,
  };
  let project: ProjectCommands | undefined;
  const judgement: Judgement =
    evidence === null
      ? { verdict: 'silent', why: 'no-claim', claims: [] }
      : judge({
          claims,
          message: said.text,
          disclosures: found.disclosures,
          failures: found.failures,
          evidence,
          contract,
          policy,
          // Looked for on disk, and only where a claim is open.
          get project() {
            project ??= options.projectCommands(evidence.changes.map(({ path }) => path));
            return project;
          },
          since: state.prompt ?? 0,
          formal: policy.finalBlock !== 'off' && found.final !== null,
          idle: state.counts.calls === 0,
          still: memory.lastResult <= (state.prompt ?? 0),
          called: isUnknownTool(memory, state.prompt ?? 0),
          unseen: (memory.lastUnseen ?? 0) > (state.prompt ?? 0),
        });
  const form = await finalProblem({ found, policy, isWanted: required, judgement, evidence }, async () => ({
    contract,
    root: options.root,
    record: await options.recorded(session),
  }));
  const backed = judgement.claims.some(({ status }) => status === 'backed');
  const signer = backed ? await options.signer() : null;
  const kept = new Map((await quoting).map((quoted, index) => [claims[index]?.quote, quoted]));
  const quotes = judgement.claims.flatMap(({ claim }) => kept.get(claim.quote) ?? []);
  const details =
    judgement.verdict === 'block' ? await intake.keep(session, detailsOf(judgement, options)) : null;
  const judged = { judgement, said, form, evidence, expected, quotes, details, socket: options.socket };
  try {
    return await record(options, concluded, { ...judged, signer });
  } catch (error) {
    if (signer === null || !(error instanceof StoreError) || error.code !== 'KEY') throw error;
    return record(options, concluded, { ...judged, signer: await options.signer({ again: true }) });
  }
}

/** What is said of each claim, in the order of the gate's; it may quote files, so it is content like a prompt. */
function detailsOf(
  { claims }: Judgement,
  { intake, socket }: Pick<StopGateOptions, 'intake' | 'socket'>,
): Json {
  const told = claims.map((each) =>
    isSettled(each) ? null : { reason: each.reason, command: commandOf(each, socket), or: wayOut(each) },
  );
  return intake.clean({ claims: told }, new Traces());
}

async function record(options: StopGateOptions, concluded: Concluded, judged: Judged): Promise<Ruling> {
  const { store, policy, policyHash: hash, mode, timeout } = options;
  const { event, source, session, seq: response, name } = concluded;
  const { judgement, said, form, evidence, expected, quotes, details, signer } = judged;
  const tree = evidence?.tree ?? null;
  let verdict: GateVerdict = 'silent';
  let note: string | null = null;
  let leading: number | null = null;
  let limit: BlockLimit | null = null;
  const written = await store.append(
    (head, bytes) => {
      const state = parseState(bytes);
      if (state?.session !== session) return undefined;
      const { gate } = state;
      const host = hostBlocks(event, gate);
      const capped = isCapped(host) || (event.type === 'stop' && event.last === true);
      const now = options.now();
      limit = limitMet(gate, policy.blocks, now);
      verdict = verdictOf(judged, mode, limit === null && !capped);
      const isEnd = mode !== 'observe' && (verdict === 'unproven' || verdict === 'ungated');
      const ruling = rulingOf(verdict, judged, null, limit);
      const memory = ruling.verdict === 'deny' ? rememberBlock(gate, ownWords(ruling.reason), now) : gate;
      const { blocks } = memory;
      // Once a session: it is the same the next time.
      const noticed = state.noticed ?? [];
      note = verdict === 'pass' && !noticed.includes(NOTED) ? (judgement.note ?? null) : null;
      const drafts: NewEntry[] = [];
      const push = (kind: string, payload: JsonObject, cause: number): number => {
        drafts.push({ kind, payload, source, session_id: session, cause });
        return head.seq + drafts.length;
      };
      const claims = judgement.claims.flatMap((each, index) => {
        const quote = quotes[index];
        if (quote === undefined) return [];
        const { agentId } = event;
        const ladder = gate.contract?.contract.ladder ?? [];
        const names = namesIn(each.claim, evidence?.runs ?? [], ladder);
        const claim = push('claim', encodeClaim({ ...each.claim, names, quote, agentId }), response);
        const on = { contract: gate.contract?.contract ?? null, evidence, policy };
        return [{ each: isRepeatable(each, names, on) ? each : { ...each, ...UNREPEATED }, claim }];
      });
      leading = claims.find(({ each }) => each === leadingClaim(judgement))?.claim ?? null;
      const told = claims.map(({ each, claim }) => {
        if (
          each.validator === null ||
          each.validatorVersion === null ||
          each.status !== 'backed' ||
          signer === null
        )
          return { claim, status: each.status, code: each.code, validation: null };
        const validation: Validation = {
          validator: each.validator,
          validatorVersion: each.validatorVersion,
          claim,
          contract: gate.contract?.seq ?? null,
          args: {},
          outcome: 'pass',
          code: null,
          evidence: each.evidence,
          tree,
          changed: evidence?.changed ?? null,
          weakened:
            evidence?.weakened
              ?.filter((each) => !isBornSkipped(each))
              .map(({ lines: _, beside: __, ...each }) => each) ?? null,
          grade: gradeOf(evidence, each.evidence),
          policyHash: hash,
        };
        const seq = push('validation', signer.sign(validation, session), claim);
        return { claim, status: each.status, code: null, validation: seq };
      });
      push(
        'gate',
        encodeGate({
          verdict,
          why: form === null ? judgement.why : 'final-block',
          claims: told,
          blocks,
          extraction: said.extraction,
          textFrom: said.from,
          stopHookActive: event.type === 'stop' ? event.active : null,
          tree,
          policyHash: hash,
          mode,
          background: gate.background,
          forged: evidence?.runs.filter(({ genuine }) => !genuine).map(({ seq }) => seq) ?? [],
          ...(isEnd ? endOf(limit) : {}),
          ...(host === undefined ? {} : { host }),
          ...(details === null ? {} : { details }),
          rules: RULES_VERSION,
        }),
        response,
      );
      return {
        ...encodeBlock(drafts, head, now),
        state: encodeState({
          ...state,
          gate: rememberTree(withConsent(memory, evidence, expected), head.seq + drafts.length, tree),
          ...(note === null ? {} : { noticed: [...noticed, NOTED] }),
        }),
      };
    },
    { state: name, ...(timeout === undefined ? {} : { timeout }) },
  );
  if (written === undefined)
    throw new Error('the session restarted while its turn was being judged; try again');
  return note === null
    ? rulingOf(verdict, judged, leading, limit)
    : { verdict: 'pass', message: `Counterfoil: ${note}` };
}

const NOTED = 'weakening unknown';
/** What rests on words that are not on record is held against nobody, and is not signed. */
const UNREPEATED = { status: 'excused', code: 'looked' } as const;

/** Would a verifier, who has the claim's names and not its words, come to the same? */
function isRepeatable(
  { claim, status, validator }: JudgedClaim,
  names: readonly string[],
  on: { contract: Contract | null; evidence: Evidence | null; policy: ClaimPolicy },
): boolean {
  const { evidence } = on;
  if (status !== 'backed' || validator === null || evidence === null) return true;
  if (!mayExcuse(claim.type, UNREPEATED.code, RULES_VERSION)) return true;
  return askByNames({ validator, args: {} }, { ...claim, names }, { ...on, evidence }).outcome === 'pass';
}

/** As good as the least of what it rests on. */
function gradeOf(evidence: Evidence | null, seqs: readonly number[]): Grade {
  const all = [...(evidence?.runs ?? []), ...(evidence?.changes ?? []), ...(evidence?.attempts ?? [])];
  return leastGrade(all.filter(({ seq }) => seqs.includes(seq)).map(({ grade = 'reported' }) => grade));
}

/** The newest result of this prompt is of a tool that ran no check, changed nothing and sought nothing that is known. */
function isUnknownTool({ lastResult, runs, changes, attempts }: GateMemory, since: number): boolean {
  return lastResult > since && ![...runs, ...changes, ...attempts].some(({ seq }) => seq === lastResult);
}
