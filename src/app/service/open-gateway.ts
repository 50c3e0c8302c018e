// What the gateway records to, put together from the rooms: sessions joined from what requests say of themselves, a
// recorder for each configuration, all on the service's one store. It fails closed whatever the mode: a client that is
// pointed at a recorder wants a record.
import { randomUUID } from 'node:crypto';
import { adapterOf } from '../../capture/hooks/index.ts';
import { type Config, parseYaml, readConfig, trustedOperators } from '../../config/index.ts';
import { gatewayNonce, isHash, type JsonObject, StoreError } from '../../core/index.ts';
import type { ReplayPlaces } from '../../format/index.ts';
import type { AskedIn } from '../../gate/index.ts';
import { encodeBlock, type LastingLedger, type Mode, type ReceiptSigner } from '../../ledger/index.ts';
import {
  type AuthGuard,
  type Cipher,
  ClientRuns,
  Intake,
  type Missed,
  ModelRecorder,
  makeReceipt,
  missedOne,
  NextWrite,
  Nonces,
  type Notes,
  type OpenModelCall,
  RecordError,
  type RecordedAt,
  ReplayKeeping,
  RunClosed,
  readNonces,
  receiptPurpose,
  type Wire,
  type WirePlace,
  WireSessions,
} from '../../record/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import type { GatewayAccess, GatewayRecording, RecordedCall, Upstreams } from '../../service/index.ts';
import type { LedgerBlocks } from '../anchor/ledger-blocks.ts';
import { findReceipt, findReceiptOf, findSession, handedOut } from './gateway-lookup.ts';

export interface GatewayPlace {
  readonly ledger: LastingLedger;
  readonly upstreams: Upstreams;
  readonly cipher: () => Promise<Cipher>;
  readonly blocks: LedgerBlocks;
  /** Where the project is, as far as the service has heard; null where it has not. */
  readonly root: () => string | null;
  /** Instead of the project's. */
  readonly config?: Config;
  readonly guard: AuthGuard;
  readonly notes: Notes;
  /** In force at this moment. */
  readonly mode: () => Mode;
  /**
   * The independent gateway that calls go through, of a session that asks for this one, or for none: then the settings say
   * it. Null for none. Throws GatewayUnusable.
   */
  readonly access: (asked: string | null) => GatewayAccess | null;
}

export interface OpenGateway extends GatewayRecording {
  /** Sessions that a client is likely to come back to. */
  readonly openSessions: number;
  /** What the models of a session asked for; undefined where nothing of it was seen here. */
  asked(session: string): Promise<AskedIn | undefined>;
  close(): Promise<void>;
}

/** What a call takes from its session. */
interface Joined {
  readonly pack: string | null;
  readonly to: GatewayAccess | null;
  readonly places: ReplayPlaces | null;
}

const SOURCE = 'gateway';
const TIDY_EVERY = 60_000;

export function openGateway({
  ledger,
  upstreams,
  cipher,
  blocks,
  root,
  config: own,
  guard,
  notes,
  mode,
  access,
}: GatewayPlace): OpenGateway {
  const { store } = ledger;
  const places = new Map<string, WirePlace>();
  const place = async (given: string | null): Promise<WirePlace> => {
    const where = given ?? root();
    const config = own ?? readConfig(where ?? '/', parseYaml);
    const key = `${config.hash} ${where}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const redactor = makeRedactor(config.redact);
    const made: WirePlace = {
      intake: new Intake({
        store,
        redactor,
        policy: config,
        cipher: config.content === 'encrypt' ? await cipher() : undefined,
      }),
      config,
      redaction: redactor.id,
      root: where,
      blocks: blocks(config.anchor),
    };
    if (places.size >= 16) places.clear();
    places.set(key, made);
    return made;
  };
  const sessions = new WireSessions({
    store,
    source: SOURCE,
    operators: () => trustedOperators(process.env),
    place,
    guard,
    notes,
    mode,
    find: (id) => ledger.use((opened) => findSession(opened.store, id)),
    fileMembers: (agent, tool, input) => adapterOf(agent)?.fileMembers?.(tool, input) ?? [],
  });
  const nextWrite = new NextWrite();
  const append: typeof store.append = (build, options) => {
    nextWrite.now();
    return store.append(build, options);
  };
  const recorders = new WeakMap<WirePlace, ModelRecorder>();
  const recorderOf = (at: WirePlace): ModelRecorder => {
    let recorder = recorders.get(at);
    if (recorder === undefined) {
      recorder = new ModelRecorder({ store: { append }, intake: at.intake, source: SOURCE });
      recorders.set(at, recorder);
    }
    return recorder;
  };
  const keeping = async (): Promise<ReplayKeeping> =>
    new ReplayKeeping({ store, cipher: await cipher(), source: SOURCE });
  const nonces = new Nonces(() => ledger.use((opened) => readNonces(opened.store)));
  const runs = new ClientRuns(() => ledger.use(async (opened) => opened.store));
  let signer: Promise<ReceiptSigner> | undefined;
  const openSigner = async (): Promise<ReceiptSigner> => {
    signer ??= ledger.use((opened) => opened.receiptSigner());
    try {
      return await signer;
    } catch (error) {
      signer = undefined;
      throw error;
    }
  };
  /** Again where the key was rotated meanwhile. */
  const signed = async <T>(work: (by: ReceiptSigner) => Promise<T>): Promise<T> => {
    try {
      return await work(await openSigner());
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      if (![error, cause].some((each) => each instanceof StoreError && each.code === 'KEY')) throw error;
      signer = undefined;
      return work(await openSigner());
    }
  };
  const recorded = (
    call: OpenModelCall,
    { pack, to, places }: Joined,
    key: Uint8Array,
    done: () => void,
  ): RecordedCall => {
    const id = String(call.payload.receipt_id);
    const { session, prevHash } = call;
    let event: RecordedAt | undefined;
    const signReceipt = (by: ReceiptSigner, at: RecordedAt, wire: Wire): Promise<JsonObject> =>
      by.sign(
        makeReceipt({
          run: call.session,
          call,
          event: at,
          pack,
          ...wire,
          issued: new Date().toISOString(),
        }),
      );
    return {
      receipt: { id, key },
      through: to && {
        ...to,
        nonce: gatewayNonce({ session, pack, prevHash }),
        client: { run: session, pack },
        key,
      },
      async keep(payload) {
        const draft = {
          kind: 'gateway.receipt',
          source: SOURCE,
          session_id: session,
          cause: call.seq,
          payload,
        };
        await append((head) => encodeBlock([draft], head, Date.now()));
      },
      done,
      replay: places && {
        places,
        keep: async (exchange) => (await keeping()).answer(session, call.seq, exchange),
      },
      toolUses: (uses) => call.toolUses(uses),
      observe: (seen) => call.observe(seen),
      async finish(received) {
        event = await call.finish(received);
      },
      async issue(wire) {
        const at = event;
        if (at === undefined) throw new TypeError('the result comes first');
        await signed(async (by) => {
          const payload = await signReceipt(by, at, wire);
          await nextWrite.wait();
          const draft = { kind: 'receipt', source: SOURCE, session_id: call.session, cause: at.seq, payload };
          await store.append((head) => {
            by.assertCurrent();
            return encodeBlock([draft], head, Date.now());
          });
        });
      },
    };
  };
  const { noting, leave } = noteMissed(notes);
  const tidying = setInterval(() => void sessions.tidy().catch(() => undefined), TIDY_EVERY);
  tidying.unref();
  return {
    upstreams,
    begin: noting(async (caller, { client, ...sent }) => {
      if (sent.nonce !== null) await nonces.take(sent.nonce);
      const run = client === undefined ? undefined : await runs.open(client.run);
      const session = await sessions.join(caller);
      try {
        await session.authorize();
        const to = access(session.gateway);
        try {
          // Who can't sign for an answer should not ask for it.
          await openSigner();
        } catch (error) {
          throw new RecordError('AUDIT_APPEND_FAILED', "receipts can't be signed", { cause: error });
        }
        // From a pool, which is quicker than asking for bytes each time; 122 bits of it are random.
        const receipt = randomUUID().replaceAll('-', '');
        const call = await recorderOf(session.place).begin(session, {
          ...sent,
          receipt,
          through: to?.url,
          client: client && run?.numbering(client, sent.nonce ?? ''),
        });
        const key = await store.deriveKey(session.id, receiptPurpose(String(call.payload.receipt_id)));
        const joined = { pack: session.pack, to, places: session.replay };
        return recorded(call, joined, key, () => session.done());
      } catch (error) {
        session.done();
        const { cause } = error as { cause?: unknown };
        throw cause instanceof RunClosed ? cause : error;
      }
    }),
    async closeRun(caller, client, end) {
      const run = await runs.open(client.run);
      const closing = await run.closing(async () => {
        const session = await sessions.join(caller);
        try {
          await session.authorize();
          const about = { client, end, issued: new Date().toISOString() };
          return await signed(async (by) => {
            let payload: JsonObject = {};
            await append((head) => {
              payload = by.signClosing({ ...about, ...run.close() });
              const draft = { kind: 'run.closing', source: SOURCE, session_id: session.id, payload };
              return encodeBlock([draft], head, Date.now());
            });
            return payload;
          });
        } finally {
          session.done();
        }
      });
      return ledger.use((opened) => handedOut(opened, { closing }));
    },
    observe: noting(async (caller, seen, cause) => {
      const session = await sessions.join(caller);
      try {
        await session.authorize();
        return await recorderOf(session.place).observe(session, seen, cause ?? session.prompt);
      } finally {
        session.done();
      }
    }),
    async goesThrough(session) {
      const found = isHash(session)
        ? await ledger.use((opened) => findSession(opened.store, session))
        : undefined;
      return access(found?.gateway ?? null) !== null;
    },
    receipt: (id) => ledger.use((opened) => findReceipt(opened, id)),
    receiptOf: (nonce) => ledger.use((opened) => findReceiptOf(opened, nonce)),
    async asked(session) {
      const calls = await sessions.asked(session);
      return calls && ((id) => calls.find(id));
    },
    leave: (connection) => sessions.leave(connection).catch(() => undefined),
    get openSessions() {
      return sessions.open;
    },
    async close() {
      clearInterval(tidying);
      await sessions.close();
      leave();
    },
  };
}

/** What was refused because it could not be recorded is told by the next session that begins, here or elsewhere. */
function noteMissed(notes: Notes): {
  noting<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T>;
  leave(): void;
} {
  const redactor = makeRedactor();
  let missed: Missed | undefined;
  let note = notes.hold();
  const leave = (): void => {
    if (missed === undefined) return;
    note.leave();
    note = notes.hold();
    missed = undefined;
  };
  return {
    leave,
    noting:
      (work) =>
      async (...args) => {
        try {
          const done = await work(...args);
          leave();
          return done;
        } catch (error) {
          if (error instanceof RecordError && error.code === 'AUDIT_APPEND_FAILED') {
            missed = missedOne(missed, null, redactor.text(error.message));
            note.hold(missed);
          }
          throw error;
        }
      },
  };
}
