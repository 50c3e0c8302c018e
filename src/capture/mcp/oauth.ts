// OAuth as MCP clients discover it, seen through a proxy. A client takes the proxy for the resource, so what the server
// says of itself is told with the proxy's address; and what the client asks an authorization server for is put back, so
// that the token is good for the server. Tokens pass and are never looked at but for the subject that a JWT names.
import type { Json } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';

export interface Addresses {
  /** The server's. */
  readonly upstream: URL;
  /** The proxy's, with the same path. */
  readonly own: URL;
}

const AS_PATH = '/.counterfoil/as/';
const MOST_SERVERS = 16;

export const RESOURCE_METADATA = /^\/\.well-known\/oauth-protected-resource(?:\/|$)/;

/** Where an authorization server that was announced is really. */
export class AuthorizationServers {
  readonly #issuers: string[] = [];
  readonly #endpoints = new Map<string, string>();

  /** The address that the client is told instead. */
  announce(issuer: string, { own }: Addresses): string {
    let at = this.#issuers.indexOf(issuer);
    if (at < 0 && this.#issuers.length < MOST_SERVERS) at = this.#issuers.push(issuer) - 1;
    return at < 0 ? issuer : `${own.origin}${AS_PATH}${at}`;
  }

  /** Where the metadata that a client asks for is; undefined where it asks for none. */
  metadata(path: string): { readonly url: URL; readonly at: number } | undefined {
    const found =
      /^(\/\.well-known\/(?:oauth-authorization-server|openid-configuration))\/\.counterfoil\/as\/(\d{1,2})$/.exec(
        path,
      ) ?? /^()\/\.counterfoil\/as\/(\d{1,2})\/\.well-known\/openid-configuration$/.exec(path);
    const issuer = this.#issuers[Number(found?.[2])];
    if (found === null || issuer === undefined) return undefined;
    const url = new URL(issuer);
    const inner = url.pathname === '/' ? '' : url.pathname;
    url.pathname = found[1] === '' ? `${inner}/.well-known/openid-configuration` : `${found[1]}${inner}`;
    return { url, at: Number(found[2]) };
  }

  /** Where `/authorize` and `/token` of it are. */
  endpoint(path: string): { readonly url: string; readonly name: string } | undefined {
    const url = this.#endpoints.get(path);
    return url === undefined ? undefined : { url, name: path.slice(path.lastIndexOf('/') + 1) };
  }

  /** The metadata as the client is told it. */
  rewrite(at: number, value: Json, { own }: Addresses): Json {
    if (!isObject(value)) return value;
    const base = `${AS_PATH}${at}`;
    const told: { [name: string]: Json } = { ...value, issuer: `${own.origin}${base}` };
    for (const [member, name] of [
      ['authorization_endpoint', 'authorize'],
      ['token_endpoint', 'token'],
    ] as const) {
      const endpoint = value[member];
      if (typeof endpoint !== 'string') continue;
      this.#endpoints.set(`${base}/${name}`, endpoint);
      told[member] = `${own.origin}${base}/${name}`;
    }
    return told;
  }
}

/** What a server says of itself, told of the proxy. */
export function rewriteResource(value: Json, addresses: Addresses, servers: AuthorizationServers): Json {
  if (!isObject(value)) return value;
  const { resource, authorization_servers: issuers } = value;
  return {
    ...value,
    ...(typeof resource === 'string' ? { resource: toOwn(resource, addresses) } : {}),
    ...(Array.isArray(issuers)
      ? {
          authorization_servers: issuers.map((issuer: Json) =>
            typeof issuer === 'string' ? servers.announce(issuer, addresses) : issuer,
          ),
        }
      : {}),
  };
}

/** In `WWW-Authenticate` the server says where its metadata is: here, for who asks us. */
export function rewriteChallenge(challenge: string, addresses: Addresses): string {
  return challenge.replaceAll(
    /(resource_metadata\s*=\s*)"([^"]*)"/gi,
    (_, name: string, url: string) => `${name}"${toOwn(url, addresses)}"`,
  );
}

/** The resource that the client names, which is the proxy, is the server. */
export function restoreResource(parameters: URLSearchParams, addresses: Addresses): URLSearchParams {
  const restored = new URLSearchParams(parameters);
  const named = restored.getAll('resource');
  if (named.length === 0) return restored;
  restored.delete('resource');
  for (const resource of named) restored.append('resource', toUpstream(resource, addresses));
  return restored;
}

/** Who a bearer token is for, as far as it says so itself; it is not verified here, the server does that. */
export function subjectOf(authorization: string | undefined): string | undefined {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]*)$/i.exec((authorization ?? '').slice(0, 16_384).trim())?.[1];
  if (token === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { iss, sub } = claims as { iss?: unknown; sub?: unknown };
    return typeof sub === 'string' && sub !== '' ? `${typeof iss === 'string' ? iss : ''} ${sub}` : undefined;
  } catch {
    return undefined;
  }
}

function toOwn(url: string, { upstream, own }: Addresses): string {
  return url.startsWith(upstream.origin) ? `${own.origin}${url.slice(upstream.origin.length)}` : url;
}

function toUpstream(url: string, { upstream, own }: Addresses): string {
  return url.startsWith(own.origin) ? `${upstream.origin}${url.slice(own.origin.length)}` : url;
}
