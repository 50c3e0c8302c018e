// The system calls of the file store, one of which fails: without having taken effect, after half of it, or after all
// of it. The file store's tests of faults make every call of a scenario fail in turn.
import { type Fs, nodeFs } from '../../src/store/files/index.ts';

/** What has happened although the call failed. */
export type Effect = 'none' | 'half' | 'all';

export interface Fault {
  readonly call: Call;
  /** Counted from 1. */
  readonly nth: number;
  readonly effect: Effect;
  readonly code: string;
}

/** close never fails here: there is nothing to do about it. */
export type Call = Exclude<keyof Fs, 'close'>;

export class FaultyFs {
  readonly counts = new Map<Call, number>();
  /** Set once the fault has happened. */
  happened = false;
  readonly #fault: Fault | undefined;
  readonly #base: Fs;

  constructor(fault?: Fault, base: Fs = nodeFs) {
    this.#fault = fault;
    this.#base = base;
  }

  readonly fs: Fs = {
    close: (fd) => this.#base.close(fd),
    open: (path, flags) =>
      this.#sync(
        'open',
        () => this.#base.open(path, flags),
        (fd) => this.#base.close(fd),
      ),
    stat: (fd) => this.#sync('stat', () => this.#base.stat(fd)),
    read: (fd, into, at) => this.#sync('read', () => this.#base.read(fd, into, at)),
    overwrite: (fd, bytes) =>
      this.#sync(
        'overwrite',
        () => this.#base.overwrite(fd, bytes),
        undefined,
        () => this.#base.overwrite(fd, bytes.subarray(0, bytes.length / 2)),
      ),
    append: (fd, bytes) =>
      this.#async(
        'append',
        () => this.#base.append(fd, bytes),
        () => this.#base.append(fd, bytes.subarray(0, bytes.length / 2)),
      ),
    appendDurably: (fd, bytes) =>
      this.#async(
        'appendDurably',
        () => this.#base.appendDurably(fd, bytes),
        () => this.#base.appendDurably(fd, bytes.subarray(0, bytes.length / 2)),
      ),
    datasync: (fd) => this.#async('datasync', () => this.#base.datasync(fd)),
    syncDirectory: (path) => this.#async('syncDirectory', () => this.#base.syncDirectory(path)),
    makeDirectory: (path) => this.#sync('makeDirectory', () => this.#base.makeDirectory(path)),
    rename: (from, to) => this.#sync('rename', () => this.#base.rename(from, to)),
    link: (from, to) => this.#sync('link', () => this.#base.link(from, to)),
    remove: (path) => this.#sync('remove', () => this.#base.remove(path)),
    removeDirectory: (path) => this.#sync('removeDirectory', () => this.#base.removeDirectory(path)),
    removeTree: (path) => this.#sync('removeTree', () => this.#base.removeTree(path)),
    list: (path) => this.#sync('list', () => this.#base.list(path)),
    size: (path) => this.#sync('size', () => this.#base.size(path)),
  };

  #isDue(call: Call): Fault | undefined {
    const count = (this.counts.get(call) ?? 0) + 1;
    this.counts.set(call, count);
    const due = this.#fault?.call === call && this.#fault.nth === count;
    if (due) this.happened = true;
    return due ? this.#fault : undefined;
  }

  #sync<T>(call: Call, whole: () => T, undo?: (result: T) => void, half?: () => void): T {
    const fault = this.#isDue(call);
    if (fault === undefined) return whole();
    if (fault.effect === 'half') half?.();
    if (fault.effect === 'all') {
      const result = whole();
      undo?.(result);
    }
    throw failure(fault);
  }

  async #async(call: Call, whole: () => Promise<void>, half?: () => Promise<void>): Promise<void> {
    const fault = this.#isDue(call);
    if (fault === undefined) return whole();
    if (fault.effect === 'half') await half?.();
    if (fault.effect === 'all') await whole();
    throw failure(fault);
  }
}

function failure({ call, nth, effect, code }: Fault): Error {
  return Object.assign(new Error(`${code}: made to fail, ${call} ${nth} (${effect})`), { code });
}
