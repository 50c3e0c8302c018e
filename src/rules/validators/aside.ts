// What a look at files and an install are good for. A look that ended with 0 backs a claim that speaks of what was looked
// at, and of what such an end shows; an install backs that dependencies resolve, and settles the work where nothing but
// manifests changed. Neither shows that anything works, and nothing was shipped by them.

import { isManifest, segments } from '../../ecosystems/index.ts';
import type { Check, Claim } from '../../format/index.ts';
import { isInstall, isLook } from '../../shell/index.ts';
import type { ValidatorContext } from './validator.ts';

const SAME =
  /\b(?:diff|diffs|differ|differs|difference|differences|identical|same|unchanged|equal|match|matches|empty|clean|byte)\b/i;
const THERE = /\b(?:contains?|has|holds|present|there|finds?|found|valid|parses|match|matches)\b/i;
const INTACT = /\b(?:checksums?|hash|hashes|sums?|intact|match|matches|verif\w{1,5})\b/i;
/** What grep and jq find is there: that it is not is shown by another end. */
const NOT = /\b(?:no|not|none|nothing|zero|without|longer|gone|removed|never|any)\b|n't\b/i;

const SHOWS: readonly (readonly [runner: RegExp, shown: RegExp])[] = [
  [/^git diff --check$/, /\bwhitespace\b|--check\b/i],
  [/^(?:git diff|diff|cmp)$/, SAME],
  [/sum$/, INTACT],
  [/./, THERE],
];

const RESOLVED =
  /\b(?:install|installs|installed|installation|resolve|resolves|resolved|lock|lockfile|locked|dependenc(?:y|ies)|packages?)\b/i;

/** What a hook of git checks has passed if the commit or the push went through. */
export const GIT_HOOKS = /\bpre-?(?:commit|push)\b|\b(?:commit|push|git) hooks?\b/i;
/** A type checker compiles, though it builds nothing. */
export const COMPILES = /\bcompil\w{1,5}/i;
/** "Working tree is clean": git says so, and no check of code does. */
export const OF_TREE =
  /\b(?:work(?:ing)?[ -]?(?:tree|directory|copy)|git status|tree|status)\b.{0,20}\bclean\b|\bclean (?:working|git|tree)\b|\bnothing (?:left )?to commit\b/i;
export const OF_SYNTAX = /\bsyntax\b|\bparses\b/i;

/** Of a claim's words those by which it is told what was looked at, each once. */
export function aboutWords(quote: string): string {
  const all = [
    SAME,
    THERE,
    INTACT,
    RESOLVED,
    GIT_HOOKS,
    COMPILES,
    OF_SYNTAX,
    OF_TREE,
    /\bwhitespace\b|--check\b/i,
  ];
  const found = all.flatMap((words) => words.exec(quote)?.[0].toLowerCase() ?? []);
  return [...new Set(found)].join(' ');
}

/** True of every check but these, where the claim is about another thing. */
export function isAbout(check: Check, { claim, scope }: ValidatorContext): boolean {
  const { runner, command } = check;
  if (isLook(runner)) return claim.type === 'checked' && claim.about === null && isSeen(check, claim);
  if (!isInstall(runner)) return true;
  if (claim.type === 'done') return scope.changed.length > 0 && scope.changed.every(isManifest);
  return claim.type === 'checked' && (claim.quote.includes(`\`${command}\``) || RESOLVED.test(claim.quote));
}

function isSeen({ runner, command, targets, directory }: Check, { quote }: Claim): boolean {
  if (directory === null) return false;
  if (quote.includes(`\`${command}\``)) return true;
  const shown = SHOWS.find(([pattern]) => pattern.test(runner))?.[1];
  if (shown?.test(quote) !== true || (shown === THERE && NOT.test(quote))) return false;
  const names = targets.map((target) => segments(target).at(-1) ?? '').filter((name) => name.length > 3);
  // Two versions of everything, or a list of sums, have no file to name.
  const whole = names.length === 0 ? runner.startsWith('git diff') : shown === INTACT;
  return whole || names.some((name) => quote.includes(name));
}

/** Parsed without running it. */
export const PARSES =
  /^(?:(?:ba|z|k|da)?sh -n|node (?:-c|--check)|python3? -m (?:py_compile|compileall)|(?:php|luac) -[lp]|(?:ruby|perl) -w?c)\b/;

/** A program, perhaps an area of it, and a word that asks: `gh pr checks 12`, `kubectl get pods`, `entire status`. */
export const ASKS =
  /^[\w./-]+(?: [\w-]+){0,2} (?:status|info|list|ls|show|diff|history|current|logs?|get|describe|view|checks|ps)\b/;
