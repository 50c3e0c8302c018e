// How much work a line may cause. Its author is hostile, and some hosts run a line whose hook doesn't answer in time, so a line
// that takes too long is given up at once, as one that can't be read. Steps are counted, because a clock differs from run to run.
import type { FileView } from './files.ts';

/** A tenth of a second of work, or two. Everyday lines take a few hundred. */
const MOST_STEPS = 100_000;
/** Nobody writes a longer one. Following its links takes time by its length, for each of its parts. */
const LONGEST_PATH = 1024;
const TEXT_A_STEP = 64;

/** The line is given up. */
export class TooMuch extends Error {}

export class Steps {
  #left = MOST_STEPS;

  take(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuch();
  }

  read(text: string): void {
    this.take(1 + Math.floor(text.length / TEXT_A_STEP));
  }

  /** The same files; each question takes steps. */
  counted(view: FileView): FileView {
    const follow = ({ length }: string): void => {
      if (length > LONGEST_PATH) throw new TooMuch();
      this.take(2 + Math.floor((length * length) / 1024));
    };
    return {
      real: (path) => {
        follow(path);
        return view.real(path);
      },
      isFolder: (path) => {
        follow(path);
        return view.isFolder(path);
      },
      names: (folder, wildcards) => {
        follow(folder);
        const names = view.names(folder, wildcards);
        this.take(names?.length ?? 0);
        return names;
      },
    };
  }
}
