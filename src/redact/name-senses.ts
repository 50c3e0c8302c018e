// What a name means with the user's own names added and removed, remembered: it is asked at every `:` and `=`.
import type { SenseOf } from './assignments.ts';
import { EXACT, NAMED, type NameSense, NOTHING, normalizeName, senseOfName } from './key-names.ts';
import type { RedactOptions } from './options.ts';

const CACHED_NAMES = 4096;

/** Names are short: letter by letter is faster than a call. */
function isSame(name: string, text: string, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let at = 0; at < length; at++) if (name.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}

export function makeSenseOf(options: RedactOptions, isOn: (id: string) => boolean): SenseOf {
  const added = (options.keys?.add ?? []).map(normalizeName);
  const removed = new Set((options.keys?.remove ?? []).map(normalizeName));
  const cache: ({ readonly name: string; readonly sense: NameSense } | undefined)[] = new Array(CACHED_NAMES);
  const judge = (name: string): NameSense => {
    if (added.length > 0 || removed.size > 0) {
      const normal = normalizeName(name);
      if (added.some((own) => normal === own || normal.endsWith(` ${own}`)))
        return { level: EXACT, id: NAMED };
      if (removed.has(normal)) return NOTHING;
    }
    const sense = senseOfName(name);
    return isOn(sense.id) ? sense : NOTHING;
  };
  // Asked at every `:` and `=`: no string is made for a name that was judged before.
  return (text, start, end) => {
    const length = end - start;
    const edges =
      text.charCodeAt(start) * 61 + text.charCodeAt(end - 1) * 7 + text.charCodeAt(start + (length >> 1));
    const slot = (edges * 31 + length * 1021) & (CACHED_NAMES - 1);
    const known = cache[slot];
    if (known !== undefined && isSame(known.name, text, start, length)) return known.sense;
    const name = text.slice(start, end);
    const sense = judge(name);
    if (name.length <= 64) cache[slot] = { name, sense };
    return sense;
  };
}
