// Holds an argument to the contract: it must be one of the things that the prompt names, exactly or by whole segments
// or words. Where the prompt names nothing of that sort, it must be something that changed in the session. Keywords
// never bind.

import { belongsTo, holds, isFileOf, samePath } from '../../ecosystems/index.ts';
import { isNamedBy, sameUrl } from '../command-match.ts';
import type { Evidence } from '../evidence.ts';
import { isLocal } from './shown-work.ts';
import { type Refused, refused, type ValidatorContext } from './validator.ts';

/** Null where the path is bound. A test is bound to the source that it belongs to. */
export function pathRefusal(
  path: string,
  { contract, scope, evidence }: ValidatorContext,
  tokens: boolean,
  /** By a version to which the end of a path was enough. */
  byEnd = false,
): Refused | null {
  const named = tokens
    ? [...contract.fields.paths, ...contract.fields.backtick_tokens.filter((token) => !/\s/.test(token))]
    : contract.fields.paths;
  const { root } = evidence;
  if (
    !byEnd &&
    path.startsWith('/') &&
    typeof root === 'string' &&
    !`${path}/`.startsWith(`${root.replace(/\/$/, '')}/`)
  )
    return refused('not-bound', `"${path}" is not in the workspace.`);
  const known = [...named, ...evidence.changes.map((change) => change.path)];
  if (tokens && !byEnd && isMissing(path, known, evidence))
    return refused('not-bound', `There is no "${path}" in the workspace.`);
  const isSame = (file: string): boolean =>
    byEnd || tokens ? samePath(path, file) : isFileOf(file, path, root);
  const relates = (file: string) =>
    isSame(file) || (tokens && (holds(path, file) || holds(file, path) || belongsTo(path, file)));
  if (named.length > 0)
    return named.some(relates)
      ? null
      : refused('not-bound', `The prompt doesn't name "${path}". It names: ${namesOf(named)}.`);
  const changed = tokens ? scope.changed : evidence.changes.map((change) => change.path);
  return changed.some(relates)
    ? null
    : refused('not-bound', `The prompt names no path, and "${path}" did not change in this session.`);
}

/** It is written as a path and leads nowhere, nor is it short for one that is known. Packages and patterns are no paths. */
function isMissing(path: string, known: readonly string[], { root, isThere }: Evidence): boolean {
  const bare = path.replace(/::.*$|\/\.\.\.$/s, '');
  const isPath = /^[\w./-]+$/.test(bare) && /\/|\.\w{1,5}$/.test(bare);
  return isPath && isThere?.(bare) === false && !known.some((file) => isFileOf(bare, file, root));
}

/** What a prompt has in backticks may be a path, too. */
function namesOf(named: readonly string[]): string {
  return [...new Set(named)].slice(0, 8).join(', ');
}

const SHIPS =
  /\b(?:commit|push|merge|rebase|tag|release|publish|deploy|apply|upload|migrate|submit|create)\b/;
/** The first version to which a command that ships is another sort of thing than the files of the prompt. */
const SHIPS_SINCE = 7;

export function commandRefusal(
  command: string,
  { contract, claim, version = SHIPS_SINCE }: ValidatorContext,
): Refused | null {
  const { command_hints: hints, backtick_tokens: tokens, paths } = contract.fields;
  if (hints.length + tokens.length + paths.length === 0) return null;
  // "Fix `total`, then push": what ships is run on none of what is named.
  const isOfShipping = claim.type === 'shipped' && version >= SHIPS_SINCE && SHIPS.test(command);
  if (isOfShipping && ![...hints, ...tokens].some((named) => SHIPS.test(named))) return null;
  if ([...hints, ...tokens].some((named) => isNamedBy(command, named))) return null;
  const words = command.split(' ').slice(1);
  if (words.some((word) => paths.some((path) => samePath(word, path) || belongsTo(word, path)))) return null;
  return refused(
    'not-bound',
    `"${command}" is not what the prompt names, and doesn't run on any of it: ${namesOf([...hints, ...paths, ...tokens])}.`,
  );
}

export function urlRefusal(url: string, { contract }: ValidatorContext): Refused | null {
  if (!/^(?:https?:\/\/)?[\w[][\w.:\]-]*(?:\/|$)/i.test(url) || !/[.:]|localhost/i.test(url))
    return refused('weak-arguments', `"${url}" is not a URL.`);
  const named = [...contract.fields.urls, ...contract.fields.backtick_tokens];
  if (named.some((each) => sameUrl(url, each))) return null;
  if (contract.fields.urls.length === 0 && isLocal(url)) return null;
  return refused(
    'not-bound',
    contract.fields.urls.length === 0
      ? `The prompt names no URL, and "${url}" is not on this machine.`
      : `The prompt doesn't name the URL "${url}". It names: ${contract.fields.urls.slice(0, 8).join(', ')}.`,
  );
}
