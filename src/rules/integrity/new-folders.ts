// A setting that keeps a folder out of a run of tests, where that folder is new: nothing that ran before is left out.
import type { Fact } from './command-facts.ts';

// A pattern that names one folder, and what is in it: e2e/**, ./load/.
const ONE_FOLDER =
  /^(?:\.\/)?(\*\*\/)?((?:[\w@-][\w@.-]*\/)*[\w@-]+)\/?(?:\*\*?(?:\/\*\*?)*(?:\/?[\w.*-]+)?)?$/;

/** The facts but for those; `wasThere` are all files of the beginning, null where these are not known. */
export function withoutNewFolders(
  facts: ReadonlyMap<string, Fact>,
  wasThere: readonly string[] | null,
): ReadonlyMap<string, Fact> {
  if (wasThere === null) return facts;
  return new Map(
    [...facts].filter(([words, { kind }]) => {
      const [, anywhere, folder] = ONE_FOLDER.exec(words.split(' ').at(-1) ?? '') ?? [];
      if (kind !== 'deselect' || folder === undefined || words.split(' ').length !== 3) return true;
      return wasThere.some(
        (path) => path.startsWith(`${folder}/`) || (anywhere !== undefined && path.includes(`/${folder}/`)),
      );
    }),
  );
}
