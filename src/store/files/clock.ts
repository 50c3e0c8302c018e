// A clock for deadlines: it never jumps, and unlike `performance` it costs nothing to load.

/** Milliseconds since some moment in the past. */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
