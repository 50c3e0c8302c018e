// The calls that the running code is part of: what is recorded within a call names it as its cause.
import { AsyncLocalStorage } from 'node:async_hooks';

/** The innermost first. */
interface Frame {
  readonly session: object;
  readonly seq: number;
  /** False for code that goes on behind its call's end. */
  running: boolean;
  readonly outer: Frame | undefined;
}

const within = new AsyncLocalStorage<Frame>();

/** The innermost call of a session around the running code. */
export function frameOf(session: object): Readonly<Frame> | undefined {
  let frame = within.getStore();
  while (frame !== undefined && frame.session !== session) frame = frame.outer;
  return frame;
}

/** `work` is what call `seq` does. It must not reject. */
export function runInFrame<T>(session: object, seq: number, work: () => Promise<T>): Promise<T> {
  const frame: Frame = { session, seq, running: true, outer: within.getStore() };
  const over = (): void => {
    frame.running = false;
  };
  const running = within.run(frame, work);
  running.then(over);
  return running;
}
