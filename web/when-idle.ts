// For what nobody waits for: it must not stand in the way of what a reader is about to see.

/** In milliseconds. */
const AT_LATEST = 1000;

export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has none.
    if (typeof requestIdleCallback === 'function')
      requestIdleCallback(() => resolve(), { timeout: AT_LATEST });
    else setTimeout(resolve, 100);
  });
}
