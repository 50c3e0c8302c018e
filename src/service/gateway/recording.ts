// What the gateway records to. It owns connections and bytes; which session a request is of, and what is kept of it, is
// decided behind this port.
import type { OpenModelCall, Sent, WireCaller } from '../../record/index.ts';
import type { Upstreams } from './upstreams.ts';

export interface GatewayRecording {
  readonly upstreams: Upstreams;
  /**
   * The request on record, durable when it resolves. Rejects where it can't be: then nothing may be sent. UnknownSession
   * where the caller named one that is not there.
   */
  begin(caller: WireCaller, sent: Sent): Promise<RecordedCall>;
  /** A connection is gone, and nothing that came over it is under way. Never rejects. */
  leave(connection: object): Promise<void>;
}

export interface RecordedCall extends OpenModelCall {
  /** Nothing more will be said of it. To be called once. */
  done(): void;
}
