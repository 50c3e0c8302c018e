// A recorder that keeps what it is told in memory, and fails or waits when a test says so.
import type {
  CallEnd,
  OpenToolCall,
  WireCall,
  WireObservation,
  WireRecorder,
} from '../../../src/record/index.ts';

export interface Told {
  readonly what: 'call' | 'result' | 'observation';
  readonly seq: number;
  readonly call?: WireCall;
  readonly end?: CallEnd;
  readonly of?: number;
  readonly seen?: WireObservation;
}

export class FakeRecorder implements WireRecorder {
  readonly told: Told[] = [];
  /** Says which fail. */
  failing: (what: Told['what']) => boolean = () => false;
  #gate: Promise<void> | undefined;
  #seq = 0;

  /** Nothing is durable until the returned function is called. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      this.#gate = undefined;
      release();
    };
  }

  async call(call: WireCall): Promise<OpenToolCall> {
    const seq = await this.#tell('call', { call });
    return { seq, facts: { tool: call.tool, toolUseId: call.toolUseId } } as OpenToolCall;
  }

  async result(open: OpenToolCall, end: CallEnd): Promise<void> {
    await this.#tell('result', { of: open.seq, end });
  }

  async observe(seen: WireObservation): Promise<null> {
    await this.#tell('observation', { seen });
    return null;
  }

  calls(): WireCall[] {
    return this.told.flatMap(({ call }) => (call === undefined ? [] : [call]));
  }

  ends(): CallEnd[] {
    return this.told.flatMap(({ end }) => (end === undefined ? [] : [end]));
  }

  observations(): WireObservation[] {
    return this.told.flatMap(({ seen }) => (seen === undefined ? [] : [seen]));
  }

  async #tell(what: Told['what'], rest: Partial<Told>): Promise<number> {
    await this.#gate;
    await undefined;
    if (this.failing(what)) throw new Error('no space left');
    this.#seq += 1;
    this.told.push({ what, seq: this.#seq, ...rest });
    return this.#seq;
  }
}
