// The judge of an attester on this machine: a separate ledger in the attester's directory, in which each attempt is a
// session, and a gateway to the provider for as long as the attempt takes. Nothing keeps running afterwards.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CONFIG } from '../../config/index.ts';
import { canonicalize, encodeHex, StoreError } from '../../core/index.ts';
import { openLedger, openRecorder } from '../../entry/index.ts';
import {
  CHECKPOINT_FILE,
  type Entry,
  encodeJudgeVote,
  KEY_DIR,
  parseModelCall,
  type VoteLedger,
} from '../../format/index.ts';
import {
  type Answer,
  AttestError,
  assertVoteReceipts,
  type Judge,
  type JudgeSession,
} from '../../harness/index.ts';
import {
  entriesOf,
  LastingLedger,
  type Ledger,
  type Located,
  locate,
  modeOrGuard,
  readSettings,
} from '../../ledger/index.ts';
import { isAuthEnforced, openCipher, openNotes } from '../../record/index.ts';
import { entriesFrom } from '../../report/index.ts';
import { type OwnGateway, openOwnGateway, parseUpstreams } from '../../service/index.ts';
import { authDirectory, openAuth } from '../../session/index.ts';
import { openKeyring } from '../../store/files/index.ts';
import { ledgerBlocks } from '../anchor/ledger-blocks.ts';
import { makeLedger } from '../make-ledger.ts';
import { gatewayAccess } from '../service/gateway-access.ts';
import { openGateway } from '../service/open-gateway.ts';
import { BY_MODEL, judgeApi } from './judge-apis.ts';
import { askOnce } from './judge-ask.ts';

export interface JudgeOptions {
  /** The attester's directory. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** `auto`, or who has the model. */
  readonly provider: string;
  readonly gateways: Judge['gateways'];
  readonly takesSecrets: boolean;
}

const SOURCE = 'attest';

/** Where the attester's judges are on record. */
export function judgeLedger(state: string): string {
  return join(state, 'judge');
}

export function makeJudge(options: JudgeOptions): Judge {
  const { provider, env, gateways, takesSecrets } = options;
  return {
    takesSecrets,
    gateways,
    assertReady: (model) => {
      judgeApi(provider, model, env);
      assertUpstream(options);
    },
    open: (about) => openSession(options, about),
  };
}

/** Throws AttestError for a name that nobody gave an address to. */
function assertUpstream({ state, env, provider }: JudgeOptions): void {
  const directory = judgeLedger(state);
  const known = parseUpstreams(readSettings(directory, env).upstreams ?? []);
  if (provider === BY_MODEL || known.has(provider)) return;
  throw new AttestError(
    'NEEDS_JUDGE',
    `--judge: unknown upstream "${provider}". Use one of ${[BY_MODEL, ...known.keys()].join(', ')}.`,
  );
}

type About = Parameters<Judge['open']>[0];

async function openSession(
  { state, env, provider, gateways }: JudgeOptions,
  { packRoot, isSecret }: About,
): Promise<JudgeSession> {
  const located = await ensureJudgeLedger(judgeLedger(state), env);
  const { through } = readSettings(located.directory, env);
  // Of a secret rubric nothing may touch a disk.
  const content = isSecret ? 'none' : 'keep';
  const place = { place: located, cwd: located.directory, agent: 'attester', source: SOURCE };
  const recorder = await openRecorder({ ...place, config: { content } });
  const ledger = new LastingLedger(() => openLedger(located, { sealEvery: 0 }));
  const close = async (): Promise<void> => {
    await ledger.close();
    await recorder.close();
  };
  try {
    const session = await recorder.session({
      trigger: SOURCE,
      pack: packRoot,
      interaction: 'gateway',
      interactionKind: 'model.result',
      ...(through === undefined ? {} : { gateway: through }),
    });
    const gateway = await openJudgeGateway(located, ledger, env, content);
    const end = async (reason: string): Promise<void> => {
      await gateway.close();
      await session.end({ reason });
    };
    return {
      async ask(model, question, signal) {
        const { path, headers, body, text } = judgeApi(provider, model, env);
        const url = `${gateway.url}/session/${session.id}${path(model)}`;
        const { seq: before } = await ledger.store.head();
        const asked = { url, headers, body: canonicalize(body(model, question)), text };
        const reply = await askOnce(asked, signal);
        await gateway.idle();
        return { ...reply, ...(await callSince(ledger, before, session.id)) };
      },
      async record(vote, cause) {
        const draft = { kind: 'judge.vote', source: SOURCE, session_id: session.id, cause };
        const payload = encodeJudgeVote(vote);
        const { last, hash } = await ledger.use((opened) => opened.append({ ...draft, payload }));
        return { seq: last, entryHash: hash };
      },
      async end(counted) {
        try {
          await end('judged');
          return await ledger.use(async (opened) => {
            const votes = await votesOf(opened, session);
            const by = through === undefined ? null : await gateways();
            assertVoteReceipts({ ...votes, counted, through: by });
            return sealedVotes(opened, session.id);
          });
        } finally {
          await close();
        }
      },
      async abandon(reason) {
        try {
          await end(reason);
        } finally {
          await close();
        }
      },
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** With its keys inside: it belongs to the attester, and to nobody's project. Two at once make one. */
async function ensureJudgeLedger(directory: string, env: NodeJS.ProcessEnv): Promise<Located> {
  const located = locate({ ledger: directory, env });
  if (existsSync(join(directory, CHECKPOINT_FILE))) return located;
  mkdirSync(join(directory, KEY_DIR), { recursive: true, mode: 0o700 });
  try {
    await makeLedger(located, env, { alone: true });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'EXISTS') throw error;
  }
  return located;
}

async function openJudgeGateway(
  located: Located,
  ledger: LastingLedger,
  env: NodeJS.ProcessEnv,
  content: 'keep' | 'none',
): Promise<OwnGateway> {
  const { directory, keyDirectory } = located;
  const recording = openGateway({
    ledger,
    upstreams: parseUpstreams(readSettings(directory, env).upstreams ?? []),
    cipher: async () =>
      openCipher(openKeyring(keyDirectory), (await ledger.use((opened) => opened.identity())).origin),
    blocks: ledgerBlocks(directory),
    root: () => directory,
    config: { ...DEFAULT_CONFIG, content },
    guard: { auth: openAuth(authDirectory(located)), enforced: () => isAuthEnforced(directory) },
    notes: openNotes(directory),
    mode: () => modeOrGuard(directory, env),
    access: (asked) => gatewayAccess(directory, asked),
  });
  const gateway = await openOwnGateway(recording, () => undefined);
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await recording.close();
    },
  };
}

/** The model call of this session behind an entry. One is asked at a time. */
async function callSince(
  { store }: LastingLedger,
  before: number,
  session: string,
): Promise<Pick<Answer, 'call' | 'receiptId'>> {
  const { seq: last } = await store.head();
  for await (const { seq, session_id, payload } of entriesOf(store, before + 1, last, ['model.call']))
    if (session_id === session) return { call: seq, receiptId: parseModelCall(payload).receiptId };
  return { call: null, receiptId: null };
}

async function votesOf(
  ledger: Ledger,
  { id, first }: { readonly id: string; readonly first: number },
): Promise<{ readonly origin: string; readonly entries: readonly Entry[]; readonly keys: readonly Entry[] }> {
  const { store } = ledger;
  const { seq: last } = await store.head();
  const entries: Entry[] = [];
  for await (const entry of entriesFrom(store, first)) if (entry.session_id === id) entries.push(entry);
  const keys: Entry[] = [];
  for await (const entry of entriesOf(store, 1, last, ['gateway.key'])) keys.push(entry);
  return { origin: (await ledger.identity()).origin, entries, keys };
}

async function sealedVotes(ledger: Ledger, sessionId: string): Promise<VoteLedger> {
  const { origin } = await ledger.identity();
  const { checkpoint } = await ledger.seal();
  return { origin, sessionId, treeSize: checkpoint.size, rootHash: encodeHex(checkpoint.root) };
}
