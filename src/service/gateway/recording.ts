// What the gateway records to. It owns connections and bytes; which session a request is of, and what is kept of it, is
// decided behind this port.
import type { JsonObject } from '../../core/index.ts';
import type { ClientRun, ReplayPlaces } from '../../format/index.ts';
import type { PassedBy, RawExchange, Received, Sent, ToolUse, Wire, WireCaller } from '../../record/index.ts';
import type { Through } from './through.ts';
import type { Upstreams } from './upstreams.ts';

/** What is about to be sent. `client`: of an independent gateway, whose call it is. */
export interface Request extends Omit<Sent, 'receipt' | 'client'> {
  readonly client?: ClientRun | undefined;
}

export interface GatewayRecording {
  readonly upstreams: Upstreams;
  /**
   * The request on record, durable when it resolves. Rejects where it can't be: then nothing may be sent. UnknownSession
   * where the caller named one that is not there, NonceError where its nonce is none, or was used. GatewayUnusable where
   * the session asks for an independent gateway that can't be used, RunClosed where `client` is a run that is closed.
   */
  begin(caller: WireCaller, sent: Request): Promise<RecordedCall>;
  /**
   * The closing of a client's run, with the key that signed it; durable when it resolves. From then on `begin` refuses its
   * calls. Who asks again gets the same, whatever `end` is then. Rejects where it can't be recorded.
   */
  closeRun(caller: WireCaller, client: ClientRun, end: string): Promise<JsonObject | undefined>;
  /**
   * What passed and is no call, durable when it resolves, with the seq of the first. Rejects as `begin` does: then it may
   * not be passed on.
   */
  observe(caller: WireCaller, seen: readonly PassedBy[], cause: number | null): Promise<number>;
  /** Do calls of this session, or of one that is not known by its id, go through an independent gateway? */
  goesThrough(session: string | null): Promise<boolean>;
  /** A receipt, with the key that signed it, as anybody may check it; undefined where there is none. */
  receipt(id: string): Promise<JsonObject | undefined>;
  /** The same, of the call that has this nonce. */
  receiptOf(nonce: string): Promise<JsonObject | undefined>;
  /** A connection is gone, and nothing that came over it is under way. Never rejects. */
  leave(connection: object): Promise<void>;
}

export interface RecordedCall {
  readonly receipt: {
    readonly id: string;
    /** Under which the receipt commits to what went over the wire. */
    readonly key: Uint8Array;
  };
  /** The independent gateway that it must go through; null where it goes to the upstream itself. */
  readonly through: Through | null;
  /** What that gateway handed out: the payload of a `gateway.receipt`. Durable when it resolves. */
  keep(receipt: JsonObject): Promise<void>;
  /** Durable when it resolves. */
  toolUses(uses: readonly ToolUse[]): Promise<void>;
  /** Something of the answer that nobody can read for certain. Durable when it resolves. */
  observe(seen: readonly PassedBy[]): Promise<void>;
  /** Durable when it resolves. */
  finish(received: Received): Promise<void>;
  /** The receipt, once the result is on record and all bytes are known. Durable when it resolves. */
  issue(wire: Wire): Promise<void>;
  /** Of a session that can be replayed: keeps the exchange as it was. Durable when it resolves. Null for any other. */
  readonly replay: {
    readonly places: ReplayPlaces;
    keep(exchange: RawExchange): Promise<void>;
  } | null;
  /** Nothing more will be said of it. To be called once. */
  done(): void;
}
