// A setting that keeps a folder out of a run of tests, where that folder is new: nothing that ran before is left out.
import { isTestFile } from '../../ecosystems/index.ts';
import type { Fact } from './command-facts.ts';

// A pattern that names one folder, and what is in it: e2e/**, ./load/.
const ONE_FOLDER =
  /^(?:\.\/)?(\*\*\/)?((?:[\w@-][\w@.-]*\/)*[\w@-]+)\/?(?:\*\*?(?:\/\*\*?)*(?:\/?[\w.*-]+)?)?$/;

/** What it names is a part of a test's title, or of its path. */
const OF_TITLES = /\b(?:f?grep|grepInvert|testNamePattern)$/;
const OF_PATHS = /PathIgnorePatterns$/;

/** The facts but for those; `wasThere` are all files of the beginning, null where these are not known. */
export function withoutNewFolders(
  facts: ReadonlyMap<string, Fact>,
  wasThere: readonly string[] | null,
): ReadonlyMap<string, Fact> {
  if (wasThere === null) return facts;
  return new Map(
    [...facts].filter(([words, { kind }]) => {
      const [, member = '', pattern = '', ...more] = words.split(' ');
      const [, anywhere, folder] = ONE_FOLDER.exec(pattern) ?? [];
      if (kind !== 'deselect' || folder === undefined || more.length > 0 || OF_TITLES.test(member))
        return true;
      if (OF_PATHS.test(member) && wasThere.some((path) => path.includes(folder) && isTestFile(path)))
        return true;
      return wasThere.some(
        (path) => path.startsWith(`${folder}/`) || (anywhere !== undefined && path.includes(`/${folder}/`)),
      );
    }),
  );
}
