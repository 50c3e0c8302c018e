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
    if (places.length === 0 || /^(?:types|lint):/.test(member)) return [];
    if (IS_COMMAND.test(member) || RAKE.test(member)) {
      // Another command of the file may well run the rest.
      const all = [...now].flatMap(([each, own]) => (IS_COMMAND.test(each) ? own : []));
      const left = isNarrower(were, RAKE.test(member) ? places : all, folder, removed, wasThere);
      return left ? places.map((place) => facts.get(`reach ${member} ${place}`)?.line ?? place) : [];
    }
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

const RAKE = /^rakefile$/i;

/** Everything, or a pattern, became a part: tests of the same language are left that no place leads to. */
function isNarrower(
  were: readonly string[],
  places: readonly string[],
  folder: string,
  removed: readonly string[],
  wasThere: readonly string[] | null | 'unasked',
): boolean {
  const gone = were.filter((place) => !places.includes(place) && (place === '.' || place.includes('*')));
  const isIn = (each: string, list: readonly string[]): boolean =>
    each.startsWith(folder) && list.some((place) => isReached(each.slice(folder.length), place));
  if (gone.length === 0 || wasThere === null) return false;
  if (wasThere === 'unasked') return true;
  const tests = wasThere.filter((each) => isTestFile(each) && isIn(each, gone));
  const endings = new Set(tests.filter((each) => isIn(each, places)).map(endingOf));
  return tests.some((each) => !isIn(each, places) && !removed.includes(each) && endings.has(endingOf(each)));
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.'));
}
