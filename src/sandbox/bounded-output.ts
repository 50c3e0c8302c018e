// What a command printed, within a bound: its head and its tail. What is between them is counted and let go. Both are cut
// at the ends of lines, because half a number is another number.

const HEAD_SHARE = 0.25;

export class BoundedOutput {
  readonly #most: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(piece: Buffer): void {
    this.#total += piece.length;
    const room = Math.max(0, Math.floor(this.#most * HEAD_SHARE) - this.#headBytes);
    if (room > 0) {
      const first = piece.subarray(0, room);
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    const rest = piece.subarray(room);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    // Pieces as they came are cheap to drop; a copy now and then keeps dropped bytes from being held by a view.
    const most = this.#most - Math.floor(this.#most * HEAD_SHARE);
    if (this.#tailBytes > 2 * most) {
      this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(-most))];
      this.#tailBytes = most;
    }
  }

  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (this.#total <= this.#most) return Buffer.concat([head, tail]).toString('utf8');
    const kept = tail.subarray(-(this.#most - Math.floor(this.#most * HEAD_SHARE)));
    const first = head.subarray(0, head.lastIndexOf(10) + 1);
    const start = kept.indexOf(10);
    const last = start < 0 ? Buffer.of() : kept.subarray(start + 1);
    const left = this.#total - first.length - last.length;
    return `${first.toString('utf8')}\n… ${left} bytes left out …\n${last.toString('utf8')}`;
  }
}
