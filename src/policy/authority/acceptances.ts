// What is in force of what operators accepted, one after the other: the newest that was accepted by an operator whom the
// reader knows, or else what was there before anybody accepted anything. Recorders and verifiers go by this one rule.
// What others accepted since is not in force for this reader. It may be for another, who knows them.

export class Acceptances<T> {
  #inForce: T | undefined;
  /** By the key that accepted it; a key's newest comes last. */
  readonly #unknown = new Map<string, T>();

  /** Undefined where there is none. */
  get inForce(): T | undefined {
    return this.#inForce;
  }

  /** The newest of each key that the reader does not know as an operator's, since what is in force. */
  get unknown(): readonly T[] {
    return [...this.#unknown.values()];
  }

  /** What nobody accepted counts where it is the first. False where it does not. */
  begin(first: T): boolean {
    if (this.#inForce !== undefined) return false;
    this.#inForce = first;
    return true;
  }

  accept(accepted: T, by: string, isKnown: boolean): void {
    this.#unknown.delete(by);
    if (isKnown) {
      this.#unknown.clear();
      this.#inForce = accepted;
    } else this.#unknown.set(by, accepted);
  }
}
