// A capability, `domain:action:scope`, as spec/capability.md defines it. A grant is a pattern: `*` stands for anything
// within one segment, `**` for any number of segments. Whoever writes grants may be hostile, and whoever reads them is a
// person: so a scope that climbs, that hides a character or that looks like another one is refused.
import { ParseError } from '../../core/index.ts';
import { LONGEST_CAPABILITY } from '../../format/index.ts';
import { canonicalHost } from './host.ts';

export interface Capability {
  readonly domain: string;
  readonly action: string;
  /** As it is written. */
  readonly scope: string;
}

/** More would let a hostile grant take long to match. */
const MOST_DEEP = 2;
const MOST_STARS = 4;

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
/** Control and format characters, unpaired surrogates, private and unassigned ones, and every space but the plain one. */
export const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
/** Fraction slash, division slash, ratio, asterisk operator and their kin: NFKC leaves these as they are. */
const LOOK_ALIKE =
  /[\u02D0\u02F8\u0589\u05C3\u066D\u2044\u204E\u2215\u2216\u2217\u2236\u2571\u29F5\u29F8\uA789]/;
export const OTHER_WILDCARD = /[?[\]{}\\]/;
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9*_-]+(?:\.[a-z0-9*_-]+)*)(?::(?:[0-9]{1,5}|\*))?$/;

const HOST_FORM = 'the scope must be a host in lower-case letters, such as *.example.org';

function hostAdvice(scope: string): string {
  const host = canonicalHost(scope);
  return host !== null && HOST.test(host) ? `. Write ${host}` : '';
}

/** Throws ParseError. `path` says where it stands. */
export function parseCapability(text: string, path = 'capability'): Capability {
  const refuse = (why: string): never => {
    throw new ParseError('BAD_MEMBER', why, path);
  };
  if (text.length > LONGEST_CAPABILITY) refuse(`longer than ${LONGEST_CAPABILITY} characters`);
  const [domain = '', action = '', ...rest] = text.split(':');
  if (rest.length === 0) refuse('not of the form domain:action:scope');
  const scope = rest.join(':');
  if (!NAME.test(domain)) refuse('the domain must be a word of lower-case letters, such as fs');
  if (action !== '*' && !NAME.test(action)) refuse('the action must be a word of lower-case letters, or *');
  const misleading = misleadingIn(scope);
  if (misleading !== null) refuse(`the scope has ${misleading}`);
  if (domain === 'network') {
    if (scope !== '**' && !HOST.test(scope)) refuse(`${HOST_FORM}${hostAdvice(scope)}`);
  } else if (OTHER_WILDCARD.test(scope)) refuse('the only wildcards are * and **');
  const segments = segmentsOf(domain, scope);
  for (const segment of segments) {
    if (segment === '') refuse('the scope has an empty segment');
    if (segment === '.' || segment === '..') refuse('the scope must not have . or .. in it');
    if (segment !== '**' && segment.includes('**')) refuse('** must be a whole segment');
    if (segment.split('*').length > MOST_STARS + 1) refuse(`a segment has more than ${MOST_STARS} wildcards`);
  }
  if (segments.filter((segment) => segment === '**').length > MOST_DEEP)
    refuse(`the scope has ** more than ${MOST_DEEP} times`);
  return { domain, action, scope };
}

/** What a reader would not see, or take for something else; null if there is nothing like that. */
export function misleadingIn(text: string): string | null {
  if (HIDDEN.test(text)) return 'a character that can not be seen';
  const isOther = text !== text.normalize('NFKC') || LOOK_ALIKE.test(text) || mixesScripts(text);
  return isOther ? 'a character that looks like another one' : null;
}

/** Letters of two scripts in one word: `sсript` with a Cyrillic letter. */
function mixesScripts(scope: string): boolean {
  return scope
    .split(/[^\p{L}\p{M}]+/u)
    .some(
      (word) =>
        [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u].filter((one) => one.test(word))
          .length > 1,
    );
}

export function encodeCapability({ domain, action, scope }: Capability): string {
  return `${domain}:${action}:${scope}`;
}

/** What `*` does not cross: the labels of a host, the parts of anything else. */
export function segmentsOf(domain: string, scope: string): string[] {
  if (domain === 'network') return scope.startsWith('[') ? [scope] : scope.split('.');
  const path = domain === 'process' ? scope.replace(/^\.\//, '') : scope;
  return (path.startsWith('/') ? path.slice(1) : path).split('/');
}
