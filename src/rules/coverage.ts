// Does a run cover what the turn is about: the files that the prompt names and those that changed? A run of everything
// covers; a narrowed one does if one of its targets is, holds, lies in or by name belongs to such a file; and it must
// have run in the root or in the package that holds one.
import {
  belongsTo,
  holds,
  isCode,
  isEmptyName,
  isGenerated,
  samePath,
  segments,
  selects,
  traitsOf,
} from '../ecosystems/index.ts';
import type { Check, Contract } from '../format/index.ts';
import type { Evidence } from './evidence.ts';

export interface Scope {
  /** Paths that the prompt names. */
  readonly named: readonly string[];
  /** Code files that changed in the session. */
  readonly changed: readonly string[];
}

export function scopeOf(evidence: Evidence, contract: Contract): Scope {
  return {
    named: contract.fields.paths,
    changed: [...new Set(evidence.changes.map(({ path }) => path))].filter(isCode),
  };
}

export interface Gap {
  readonly code: 'another-target' | 'another-directory' | 'deselected';
  readonly detail: string;
}

export function isNarrowed(check: Check): boolean {
  return check.targets.length > 0 || check.selectors.length > 0;
}

const ALL_TESTS = /^(?:tests?|__tests__|specs?|t)$/;

/** Narrowed to less than the folder of all tests. */
export function isPart(check: Check): boolean {
  const [target = ''] = check.targets;
  return (
    isNarrowed(check) &&
    !(
      check.targets.length === 1 &&
      check.selectors.length === 0 &&
      ALL_TESTS.test(target) &&
      traitsOf(check.runner)?.finds === true
    )
  );
}

/** Null where it covers. With nothing named and nothing changed there is nothing that could be left out. */
export function gapOf(check: Check, scope: Scope): Gap | null {
  const files = [...scope.changed, ...scope.named];
  if (check.directory === null)
    return worksElsewhere(scope) ? null : { code: 'another-directory', detail: 'outside of the workspace' };
  if (files.length === 0) return null;
  const directory = sourceOf(check.directory);
  if (directory !== '' && !files.some((file) => holds(directory, file) || holds(file, directory)))
    return { code: 'another-directory', detail: directory };
  const out = check.selectors.filter((selector) => selector.startsWith('!'));
  const left = out.find((selector) => files.some((file) => selects(selector, file)));
  if (left !== undefined) return { code: 'deselected', detail: left.slice(1) };
  if (check.targets.some((target) => EVERYTHING.test(target))) return null;
  if (check.targets.length > 0)
    return check.targets.some((target) => files.some((file) => relates(target, file)))
      ? null
      : { code: 'another-target', detail: check.targets.join(' ') };
  // An option such as `--lib` names a sort of tests, not a file.
  const only = check.selectors.filter((selector) => !/^[!-]/.test(selector) && !isEmptyName(selector));
  // Behind an option that nobody knows well a path may stand, too.
  const picks = (selector: string, file: string): boolean =>
    selects(selector, file) || (selector.includes('/') && relates(selector, file));
  return only.length === 0 || only.some((selector) => files.some((file) => picks(selector, file)))
    ? null
    : { code: 'another-target', detail: only.join(' ') };
}

/** A session may work in a different tree from the one where it began, but not in a temporary folder. */
function worksElsewhere({ changed }: Scope): boolean {
  const away = changed.filter((file) => /^(?:\/|[A-Za-z]:)/.test(file));
  const kept = away.filter((file) => !/^\/(?:private\/)?(?:tmp|var\/(?:tmp|folders))\//.test(file));
  return away.length > 0 && (away.length === changed.length || 2 * kept.length > changed.length);
}

const EVERYTHING = /^(?:all|everything|\*|:all|\.\.\.|\/\/\.\.\.)$/;

/** A build directory stands for the directory that it was built from. */
function sourceOf(directory: string): string {
  let place = directory.replace(/\/+$/, '');
  while (place !== '' && isGenerated(`${place}/x`))
    place = place.slice(0, Math.max(0, place.lastIndexOf('/')));
  return place;
}

/** `@acme/tokens...`, `tokens`, `...^tokens`: a package by its name, which is that of its folder. */
function packageName(target: string): string | null {
  const name = /^(?:\.\.\.\^?)?(?:@[\w.-]{1,64}\/)?([\w-]{3,64})\^?(?:\.\.\.)?$/.exec(target)?.[1];
  return name === undefined || isEmptyName(name) ? null : name;
}

/** Packages of a workspace have its name before that of their folder: `tern-lint` in `crates/lint`. */
function isFolderOf(pack: string, folder: string): boolean {
  if (folder === pack) return true;
  return (
    folder.length > 2 &&
    !isEmptyName(folder) &&
    /[-_]/.test(pack.charAt(pack.length - folder.length - 1)) &&
    pack.endsWith(folder)
  );
}

/** A project's file stands for all that lies beside it and below. */
const PROJECT_FILE =
  /(?:^|\/)(?:[\w.-]+\.(?:csproj|fsproj|vbproj|sln|slnx|xcodeproj|xcworkspace|vcxproj|gemspec|cabal)|package\.json|tsconfig[\w.-]*\.json|pom\.xml|build\.gradle(?:\.kts)?|Cargo\.toml|go\.mod|pyproject\.toml|setup\.(?:py|cfg)|CMakeLists\.txt|Makefile|Dockerfile[\w.-]*|docker-compose[\w.-]*\.ya?ml|compose\.ya?ml|mix\.exs|composer\.json|pubspec\.yaml|Package\.swift|dbt_project\.yml|Chart\.yaml)$/;

function relates(named: string, file: string): boolean {
  const project = PROJECT_FILE.test(named) ? named.slice(0, Math.max(0, named.lastIndexOf('/'))) : null;
  if (project === '') return true;
  const target = project ?? named;
  const pack = packageName(target);
  if (
    pack !== null &&
    segments(file)
      .slice(0, -1)
      .some((folder) => isFolderOf(pack, folder))
  )
    return true;
  // A pattern is as wide as the folder before its first wildcard.
  const glob = target.search(/[*?[{]/);
  const plain = glob < 0 ? target : target.slice(0, target.lastIndexOf('/', glob) + 1);
  return samePath(plain, file) || holds(plain, file) || holds(file, plain) || belongsTo(plain, file);
}
