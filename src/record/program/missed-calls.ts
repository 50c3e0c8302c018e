// What a program's session could not record, and did not do for that. Its end tells of it, as a gap.
import { type Intake, Traces } from '../intake.ts';
import { encodeMissed, type Missed, missedOne } from '../missed/missed-time.ts';
import { appendFailed } from '../record-error.ts';
import type { SessionWriter } from './session-writer.ts';

export class MissedCalls {
  readonly #writer: SessionWriter;
  readonly #intake: Intake;
  #missed: Missed | undefined;

  constructor(writer: SessionWriter, intake: Intake) {
    this.#writer = writer;
    this.#intake = intake;
  }

  /** What is not told yet. Clean. */
  get missed(): Missed | undefined {
    return this.#missed;
  }

  /** What `work` could not record is told by the end, wherever that can be. */
  async noting<T>(call: string | null, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { code, message } = appendFailed('it', error);
      const why = this.#intake.word(message, new Traces());
      if (code === 'AUDIT_APPEND_FAILED') this.#missed = missedOne(this.#missed, call, why);
      throw error;
    }
  }

  async tell(): Promise<void> {
    const missed = this.#missed;
    if (missed === undefined) return;
    const traces = new Traces();
    await this.#writer.append({
      kind: 'gap',
      said: encodeMissed(missed),
      traces,
      cause: null,
      at: undefined,
    });
    this.#missed = undefined;
  }
}
