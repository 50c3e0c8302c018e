// Settings by which tests load another file than the code they name: an alias, a mapper of modules, `imports` of a package,
// `paths` of TypeScript, a transform of one file. A prefix that stands for a folder (`@/` for `src/`) redirects nothing, and
// neither does a stand-in for a package or for what is no code.
import { stemWords } from '../../ecosystems/index.ts';
import type { Member } from './config-members.ts';

const REDIRECTS = /^(?:alias|moduleNameMapper|imports|paths|transform)$/;
const ASSET =
  /css|less|s[ac]ss|styl|png|jpe?g|svg|gif|webp|woff|ttf|mp[34]|\bmd\b|\btxt\b|raw\b|graphql|json/i;
const STAND_IN =
  /(?:^|[/._-])(?:__mocks__|mock(?:s|ed)?|stub(?:s|bed)?|fakes?|dummy|stand-?ins?|doubles?|noop|patched)(?=[/._-]|$)/i;
/** Below a folder of tests, and no help for them that has a name of its own. */
const AMONG_TESTS = /(?:^|[/.])(?:tests?|__tests__|spec)[/.].*\.[cm]?[jt]sx?$/i;
const HELPS = /test|spec|fixture|helper|util|setup|factor|support|matcher|render/i;
/** A place in the project, as a file or as a pattern that names one; or a name that only the project gives. */
const IS_PLACE = /^(?:\.{1,2}\/|\/|<rootDir>|\.\*|[\w-]+\/[\w/-]*[\w-]\.[cm]?[jt]sx?$)/;
const IS_OWN = /^(?:[#~$]|@\/)/;
const IS_LOCAL = /^(?:<rootDir>|\.{0,2}\/)|\.[cm]?[jt]sx?$/;

/** Does a member have one file of the project loaded in another's place? `before` is the member before it. */
export function standsIn({ keys, value, line }: Member, before: Member | undefined): boolean {
  const at = keys.findLastIndex((key) => REDIRECTS.test(key));
  const named = keys[at + 1];
  if (at < 0 || named === undefined || named === 'find' || !IS_LOCAL.test(value)) return false;
  // `{ find: /sum\.js$/, replacement: … }`
  const found = /\bfind:\s*["'`/](.+?)["'`/][a-z]*,/.exec(line)?.[1] ?? before?.value ?? '';
  const from = (named === 'replacement' ? found : named).replace(/^\^|\$$|\\/g, '');
  if (ASSET.test(from) || /\.d\.[cm]?ts$/.test(value)) return false;
  const isPlace = IS_PLACE.test(from);
  const isFile = isPlace && !/[(*+[]|\/$/.test(from.replace(/^\.\*/, ''));
  if (STAND_IN.test(value))
    return !STAND_IN.test(from) && (isPlace || IS_OWN.test(from) || keys[at] === 'paths');
  if (isFile) return keys[at] === 'transform' || !isSame(from, value);
  return (IS_OWN.test(from) || keys[at] === 'imports') && AMONG_TESTS.test(value) && !HELPS.test(from);
}

/** `./config` by `./src/config.browser.ts`, `./sum.js` by `/src/sum.ts`. */
function isSame(from: string, value: string): boolean {
  const [own, other] = [stemWords(from), stemWords(value)];
  return !AMONG_TESTS.test(value) && own.every((word, i) => other[i] === word);
}
