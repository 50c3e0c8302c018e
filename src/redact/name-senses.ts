// What a name means with the user's own names added and removed, remembered: it is asked at every `:` and `=`.
import type { SenseOf } from './key-names.ts';
import { EXACT, NAMED, type NameSense, NOTHING, normalizeName, senseOfName } from './key-names.ts';
import type { RedactOptions } from './options.ts';
import { rangeCache } from './range-cache.ts';

const CACHED_NAMES = 16_384;

export function makeSenseOf(options: RedactOptions, isOn: (id: string) => boolean): SenseOf {
  const added = (options.keys?.add ?? []).map(normalizeName);
  const removed = new Set((options.keys?.remove ?? []).map(normalizeName));
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
  return rangeCache(CACHED_NAMES, judge);
}
