// What a service is told when it starts, and what whoever started it has of it.
import type { BuildMark } from './build.ts';
import type { ExchangeLimits } from './gateway/exchange.ts';
import type { Tokens } from './gateway/independent.ts';
import type { IndependentPlace } from './independent-listener.ts';
import type { Limits } from './listeners.ts';
import type { OpenRecording } from './recording.ts';
import type { BodyLimits } from './request-body.ts';
import { AT_WORK, type ServiceState } from './service-files.ts';

export interface ServiceOptions {
  readonly ledger: string;
  readonly ledgerId: string;
  readonly version: string;
  readonly build?: BuildMark | null;
  /** Asked anew each time, for it may change while the service runs. */
  readonly mode: () => string;
  readonly open: OpenRecording;
  /** On 127.0.0.1; 0 for any that is free, null for none. */
  readonly port: number | null;
  /** Instead of the one in the ledger. */
  readonly socket?: string | undefined;
  /** Who may connect to it besides the owner: only to tell events. */
  readonly socketGroup?: number | null;
  /** Leave after so long without a request, if no session is open. Infinity for never. */
  readonly idleMs?: number;
  /** Wait so long for another service to leave. */
  readonly waitMs?: number;
  readonly timing?: Partial<Timing>;
  readonly limits?: Limits;
  readonly bodies?: BodyLimits;
  readonly exchanges?: Partial<ExchangeLimits>;
  /** It is an independent gateway: who may ask it, and where it listens besides its own socket. */
  readonly independent?: { readonly tokens: Tokens; readonly place: IndependentPlace };
}

export interface Timing {
  readonly beatMs: number;
  readonly sealMs: number;
  /** From a turn's end to its seal. Whoever comes in between is not held up by it, and turns that end together share one. */
  readonly sealSoonMs: number;
  /** After the start, when whoever waited for it has been served; then from time to time it is asked whether it is due. */
  readonly firstUpkeepMs: number;
  readonly upkeepMs: number;
  /** For requests under way at the end. */
  readonly drainMs: number;
  /** Then, for callers to take their answers. */
  readonly lastBytesMs: number;
}

export const DEFAULT_IDLE = 15 * 60_000;
export const TIMING: Timing = {
  beatMs: AT_WORK / 2,
  sealMs: 60_000,
  sealSoonMs: 200,
  firstUpkeepMs: 30_000,
  upkeepMs: 3_600_000,
  drainMs: 10_000,
  lastBytesMs: 250,
};

export type Reason = 'idle' | 'silent' | 'asked' | 'signal' | 'ledger-gone';

export interface Service {
  readonly state: ServiceState;
  /** Where it listens as an independent gateway: a URL, or null where it is none. */
  readonly independent: string | null;
  stop(reason: Reason): void;
  /** Resolves when everything is closed. Rejects where it can't go on; then nothing was tidied up. */
  readonly ended: Promise<Reason>;
}

/** Another service has the lock. */
export class ServiceRunning extends Error {
  override readonly name = 'ServiceRunning';
  readonly state: ServiceState | undefined;

  constructor(state: ServiceState | undefined) {
    super(
      state === undefined
        ? 'another service for this ledger is starting or stopping. Try again in a moment.'
        : `a service for this ledger is already running: process ${state.pid}, version ${state.version}.`,
    );
    this.state = state;
  }
}
