// A setting that says where tests are, and leads elsewhere now, while the tests are still where they were.
import { isTestFile } from '../../ecosystems/index.ts';
import type { Weakening } from '../evidence.ts';
import type { Fact } from './command-facts.ts';
import { IS_COMMAND, placesBy } from './narrowed-places.ts';
import { isReached } from './overlooked-places.ts';

/**
 * `testpaths = ["tests"]` that became `["smoke"]`. `removed` are tests that are gone, and may have moved along. `wasThere` are
 * all files of the beginning, null where these are not known; before they are asked for, anything may be left behind.
 */
export function leftBehind(
  path: string,
  before: readonly string[],
  facts: ReadonlyMap<string, Fact>,
  removed: readonly string[],
  wasThere: readonly string[] | null | 'unasked',
): Weakening[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const now = placesBy([...facts.keys()]);
  const lines = [...placesBy(before)].flatMap(([member, were]) => {
    const places = now.get(member) ?? [];
    if (places.length === 0 || IS_COMMAND.test(member) || /^(?:types|lint):/.test(member)) return [];
    const isLeft = (place: string): boolean => {
      if (/[*?{[]/.test(place) || places.some((each) => isReached(place, each))) return false;
      const lies = (each: string): boolean => each.startsWith(`${folder}${place.replace(/\/$/, '')}/`);
      if (removed.some(lies) || wasThere === null) return false;
      return wasThere === 'unasked' || wasThere.some((each) => lies(each) && isTestFile(each));
    };
    return were.some(isLeft)
      ? places.map((place) => facts.get(`reach ${member} ${place}`)?.line ?? place)
      : [];
  });
  return lines.length === 0 ? [] : [{ path, what: 'deselected', lines: [...new Set(lines)] }];
}
