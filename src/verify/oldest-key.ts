// The oldest key of a map that is kept within a bound. Asked for it anew, a map walks over all that was deleted from its
// beginning, which takes longer the more it holds; an iterator that is kept does not.

/** Whoever takes a key deletes it, so the next one is another. */
export function oldestKeyOf<K>(map: ReadonlyMap<K, unknown>): () => K | undefined {
  let keys = map.keys();
  return () => {
    let next = keys.next();
    if (next.done === true) {
      keys = map.keys();
      next = keys.next();
    }
    return next.done === true ? undefined : next.value;
  };
}
