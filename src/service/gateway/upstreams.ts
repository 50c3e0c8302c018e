// Where requests go: three providers that everybody knows, and those that the owner of the ledger named. Never from a
// file of the project: who may write there could have the client's key sent anywhere.
import { ParseError } from '../../core/index.ts';

export interface Upstream {
  /** As entries name it. */
  readonly provider: string;
  readonly base: URL;
}

/** Where a request goes, from its path. */
export interface Route extends Upstream {
  /** Of the session that it is to join, where the path says so. */
  readonly session: string | null;
  /** What is asked of the upstream, query included, as the client wrote it. */
  readonly target: string;
  /** The same with the name of the upstream, as another gateway is asked for it. */
  readonly named: string;
}

const BUILT_IN: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
};
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export type Upstreams = ReadonlyMap<string, Upstream>;

/** `NAME=URL` each; a later one replaces an earlier one and a built-in one. Throws ParseError. */
export function parseUpstreams(given: readonly string[]): Upstreams {
  const all = new Map<string, Upstream>();
  for (const [provider, url] of Object.entries(BUILT_IN)) all.set(provider, { provider, base: new URL(url) });
  for (const text of given) {
    const at = text.indexOf('=');
    const provider = text.slice(0, Math.max(0, at));
    if (!NAME.test(provider))
      throw new ParseError('MALFORMED', 'an upstream is NAME=URL, the name in lower case', text);
    all.set(provider, { provider, base: parseBase(text.slice(at + 1), text) });
  }
  return all;
}

/**
 * Those that an independent gateway goes to, and no other: `URL` of one that everybody knows, or `NAME=URL`. `plain` allows
 * http. Throws ParseError.
 */
export function parseFixedUpstreams(given: readonly string[], plain: boolean): Upstreams {
  const all = new Map<string, Upstream>();
  for (const text of given) {
    const known = Object.keys(BUILT_IN).find((name) => BUILT_IN[name] === text.replace(/\/$/, ''));
    const isNamed = text.includes('=');
    if (!isNamed && known === undefined)
      throw new ParseError('MALFORMED', "foil doesn't know a provider with this URL. Write NAME=URL", text);
    const name = isNamed ? text.slice(0, text.indexOf('=')) : (known ?? '');
    const found = parseUpstreams([isNamed ? text : `${name}=${text}`]).get(name);
    if (found === undefined) throw new ParseError('MALFORMED', 'an upstream is NAME=URL', text);
    if (found.base.protocol !== 'https:' && !plain)
      throw new ParseError('MALFORMED', 'not https. For a test, allow it with --plain-upstreams', text);
    if (all.has(name)) throw new ParseError('MALFORMED', 'there are two upstreams with this name', text);
    all.set(name, found);
  }
  if (all.size === 0) throw new ParseError('MALFORMED', 'name at least one upstream', '--upstream');
  return all;
}

function parseBase(text: string, path: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new ParseError('MALFORMED', 'not an http or https URL', path);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new ParseError('MALFORMED', 'an upstream has no user, query or fragment', path);
  return url;
}

const SESSION = /^\/session\/([0-9a-f]{64})(?=\/)/;
const PROVIDER = /^\/(anthropic|openai|gemini|proxy\/([a-z0-9_-]{1,32}))(?=[/?]|$)/;

/** Is it for the gateway at all? */
export function isGatewayPath(url: string): boolean {
  return PROVIDER.test(url.replace(SESSION, ''));
}

/** A segment that climbs, in any spelling that some server takes for one: it would leave the path that the owner gave. */
const CLIMBS = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?=[/\\;?#]|%2f|%5c|%3b|$)/i;

/** Undefined where there is no such upstream, or the path would leave it. */
export function routeOf(url: string, upstreams: Upstreams): Route | undefined {
  const [prefix = '', session = null] = SESSION.exec(url) ?? [];
  const rest = url.slice(prefix.length);
  const [place = '', first = '', named] = PROVIDER.exec(rest) ?? [];
  const upstream = upstreams.get(named ?? first);
  if (upstream === undefined) return undefined;
  const path = rest.slice(place.length);
  const query = path.indexOf('?');
  if (CLIMBS.test(query < 0 ? path : path.slice(0, query))) return undefined;
  const { pathname } = upstream.base;
  return {
    ...upstream,
    session,
    named: rest,
    target: `${pathname === '/' ? '' : pathname.replace(/\/$/, '')}${path.startsWith('/') ? path : `/${path}`}`,
  };
}
