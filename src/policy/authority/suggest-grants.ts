// The narrowest grants that allow all of these needs. Files stay by their names; only where a call, or several together,
// used much of one folder of the work tree does the folder stand for them. Needs may come from a hostile line: what has
// no plain form as a grant is handed back, and never widened.
import { ParseError } from '../../core/index.ts';
import { type Capability, encodeCapability, parseCapability } from './capability.ts';
import { Grants } from './match-grants.ts';
import { ALL_BELOW, encodeNeed, type Need, PROGRAM_PATH, pathSegments } from './need.ts';
import { proposalFlaw } from './proposed-grants.ts';

export interface SuggestedGrants {
  readonly allow: readonly string[];
  /** Needs that no grant can be written for, or that nobody should grant: as they are on record. */
  readonly left: readonly string[];
}

/** As many files of one folder, and `*` says it better. */
const MANY = 5;

/** `refused` are needs of calls that were refused: no folder stands for files where it would allow one of those, too. */
export function suggestGrants(
  needs: readonly Need[],
  root: string,
  refused: readonly Need[] = [],
): SuggestedGrants {
  const all = new Map(needs.map((need) => [encodeNeed(need), need]));
  const [allow, left]: [Capability[], string[]] = [[], []];
  const wanted = new Map<string, Need>();
  for (const [text, need] of all) {
    const capability = grantFor(need, root);
    if (capability === null) left.push(text);
    else wanted.set(encodeCapability(capability), need);
  }
  const wide = [...wanted].filter(([, { segments }]) => segments.at(-1) === ALL_BELOW);
  const named = [...wanted].filter(([, { segments }]) => segments.at(-1) !== ALL_BELOW);
  const allows = (need: Need): boolean => new Grants(allow, [], root).decide(need).allowed;
  for (const [text, need] of wide) if (!allows(need)) allow.push(parseCapability(text));
  for (const folder of fullFolders(named, root)) {
    const grant = parseCapability(`${folder}/*`);
    const alone = new Grants([grant], [], root);
    if (!refused.some((need) => alone.decide(need).allowed)) allow.push(grant);
  }
  const covered = new Grants(allow, [], root);
  for (const [text, need] of named) if (!covered.decide(need).allowed) allow.push(parseCapability(text));
  const open = left.filter((text) => !covered.decide(all.get(text) as Need).allowed);
  return { allow: allow.map(encodeCapability).sort(), left: open };
}

/** Null where none can be written, or it would be leave for everything. */
function grantFor({ domain, action, segments }: Need, root: string): Capability | null {
  const names = segments.filter((segment) => segment !== ALL_BELOW);
  // In a grant it would stand for other names, too.
  if (names.some((name) => name.includes('*')) || names.length === 0) return null;
  const isPath = domain === 'fs' || names[0] === PROGRAM_PATH;
  const path = names[0] === PROGRAM_PATH ? names.slice(1) : names;
  const words = isPath ? fromRoot(path, root) : path;
  const tail = names.length < segments.length ? ['**'] : [];
  const scope = [...words, ...tail].join(domain === 'network' && !names[0]?.startsWith('[') ? '.' : '/');
  const isLocalProgram = domain === 'process' && isPath && !scope.includes('/');
  try {
    const grant = parseCapability(`${domain}:${action}:${isLocalProgram ? './' : ''}${scope}`);
    return proposalFlaw(grant) === null ? grant : null;
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

/** Relative within the work tree; absolute outside of it, and for the work tree itself. */
function fromRoot(path: readonly string[], root: string): readonly string[] {
  const top = pathSegments(root);
  const isInside = path.length > top.length && top.every((name, i) => path[i] === name);
  return isInside ? path.slice(top.length) : ['', ...path];
}

/** `fs:read:src`, of which many files are named. Never the work tree's own root, and never outside of it. */
function fullFolders(named: readonly (readonly [string, Need])[], root: string): string[] {
  const counts = new Map<string, number>();
  for (const [text, { domain, segments }] of named) {
    const isInside = domain === 'fs' && segments.length > pathSegments(root).length + 1;
    const [, folder] = /^(fs:[a-z]+:[^/].*)\/([^./][^/]*)$/s.exec(text) ?? [];
    if (isInside && folder !== undefined) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= MANY).map(([folder]) => folder);
}
