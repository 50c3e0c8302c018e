// What we say to a host about an event, and the form in which one host hears it. The adapter owns the form.
import type { Json } from '../../core/index.ts';
import type { HostEvent } from './host-event.ts';
import type { TranscriptReader } from './transcript.ts';

/** `pass` is no opinion: it never grants what the user's own permissions would ask for. */
export type Ruling =
  | { readonly verdict: 'pass'; readonly message?: string }
  | {
      readonly verdict: 'deny';
      /** Read by the model: never a way past us. */
      readonly reason: string;
      /** For the person alone, where the host has a place that the model does not read. */
      readonly person?: string;
    };

/** What the hook prints and how it exits. Over HTTP `stdout` is the body, with status 200. */
export interface Answer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One host. Pure. */
export interface Adapter {
  readonly agent: string;
  /** Whether it was ever held against input of the real host. */
  readonly seen: boolean;
  /** The vantage point in entries: `hook:claude-code`. */
  readonly source: string;
  /** Never throws: what it does not know becomes an observation. `event` is what the command line said. */
  read(input: Json, event: string | null): readonly HostEvent[];
  /** How the host's own record of a session is read, for hosts that keep one as lines of JSON. */
  readonly transcript?: TranscriptReader;
  /** Does it tell at each end of a turn all that was said in it? */
  readonly cumulative?: true;
  /** In the exact form that the host obeys for this event. */
  answer(event: HostEvent, ruling: Ruling): Answer;
  /** A refusal in the form that works where the input could not even be read. */
  denyBlind(reason: string): Answer;
}
