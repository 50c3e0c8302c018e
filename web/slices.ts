// Long work on the page's thread, in slices so short that nobody notices: a page that doesn't answer for fifty milliseconds
// is felt to hang.

/** In milliseconds. */
const SLICE = 8;

/** Does the work, which yields whenever it may rest. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE;
    do {
      // A look at the clock takes longer than most of what is done between two.
      for (let i = 0; i < 16; i++) {
        const { done, value } = work.next();
        if (done === true) return value;
      }
    } while (performance.now() < until);
    await rest();
  }
}

/** At once. */
export function inOneGo<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** A message of its own comes behind what is waiting already. A timer would be held back after a few. */
function rest(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const told = (): void => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', told, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}
