// What the gateway records to, put together from the rooms: sessions joined from what requests say of themselves, a
// recorder for each configuration, all on the service's one store. It fails closed whatever the mode: a client that is
// pointed at a recorder wants a record.
import { entriesOf, type LastingLedger } from '../ledger/index.ts';
import {
  type Cipher,
  type Config,
  Intake,
  ModelRecorder,
  parseYaml,
  readConfig,
  type WirePlace,
  WireSessions,
} from '../record/index.ts';
import { makeRedactor } from '../redact/index.ts';
import type { GatewayRecording, Upstreams } from '../service/index.ts';

export interface GatewayPlace {
  readonly ledger: LastingLedger;
  readonly upstreams: Upstreams;
  readonly cipher: () => Promise<Cipher>;
  /** Where the project is, as far as the service has heard; null where it has not. */
  readonly root: () => string | null;
}

export interface OpenGateway extends GatewayRecording {
  /** Sessions that a client is likely to come back to. */
  readonly openSessions: number;
  close(): Promise<void>;
}

const SOURCE = 'gateway';
const TIDY_EVERY = 60_000;

export function openGateway({ ledger, upstreams, cipher, root }: GatewayPlace): OpenGateway {
  const { store } = ledger;
  const places = new Map<string, WirePlace>();
  const place = async (given: string | null): Promise<WirePlace> => {
    const where = given ?? root();
    const config: Config = where === null ? readConfig('/', parseYaml) : readConfig(where, parseYaml);
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
    };
    if (places.size >= 16) places.clear();
    places.set(key, made);
    return made;
  };
  const sessions = new WireSessions({
    store,
    source: SOURCE,
    place,
    find: (id) => ledger.use((opened) => findSession(opened.store, id)),
  });
  const recorders = new WeakMap<WirePlace, ModelRecorder>();
  const recorderOf = (at: WirePlace): ModelRecorder => {
    let recorder = recorders.get(at);
    if (recorder === undefined) {
      recorder = new ModelRecorder({ store, intake: at.intake, source: SOURCE });
      recorders.set(at, recorder);
    }
    return recorder;
  };
  const tidying = setInterval(() => void sessions.tidy().catch(() => undefined), TIDY_EVERY);
  tidying.unref();
  return {
    upstreams,
    async begin(caller, sent) {
      const session = await sessions.join(caller);
      try {
        return Object.assign(await recorderOf(session.place).begin(session, sent), {
          done: () => session.done(),
        });
      } catch (error) {
        session.done();
        throw error;
      }
    },
    leave: (connection) => sessions.leave(connection).catch(() => undefined),
    get openSessions() {
      return sessions.open;
    },
    async close() {
      clearInterval(tidying);
      await sessions.close();
    },
  };
}

type LedgerStore = Parameters<Parameters<LastingLedger['use']>[0]>[0]['store'];

async function findSession(
  store: LedgerStore,
  id: string,
): Promise<{ readonly root: string | null } | undefined> {
  const { seq } = await store.head();
  for await (const entry of entriesOf(store, 1, seq, ['session.start'])) {
    if (entry.session_id !== id) continue;
    const { workspace_root: root } = entry.payload;
    return { root: typeof root === 'string' ? root : null };
  }
  return undefined;
}
