// Where an independent gateway is, and how it is reached. Apart from what goes there, because commands that write settings
// need no more than this.
import { isLoopback, ParseError } from '../../core/index.ts';

/** Where an independent gateway listens. */
export interface GatewayAddress {
  /** As it is on record. */
  readonly url: string;
  readonly base: URL;
  /** Of one that listens on a Unix socket. */
  readonly socketPath?: string;
}

/** How one is reached. */
export interface GatewayAccess extends GatewayAddress {
  readonly token: string;
  /** Certificates in PEM that are trusted for it instead of the system's. */
  readonly ca?: string;
}

/** A session asks for a gateway that can't be used. Nothing was sent. The message says what to do. */
export class GatewayUnusable extends Error {
  override readonly name = 'GatewayUnusable';
  readonly code = 'GATEWAY_UNUSABLE';
}

/** Throws ParseError. Without TLS only on this machine: the client's own credential goes this way. */
export function parseGatewayAddress(text: string): GatewayAddress {
  if (text.startsWith('unix:/'))
    return { url: text, base: new URL('http://localhost'), socketPath: text.slice('unix:'.length) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && text.replace(/\/$/, '') === url.origin;
  if (url === undefined || !isBare || !['http:', 'https:'].includes(url.protocol))
    throw new ParseError('MALFORMED', 'not https://HOST:PORT or unix:/PATH', text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new ParseError('MALFORMED', 'plain http works only on this machine. Use https', text);
  return { url: url.origin, base: url };
}
