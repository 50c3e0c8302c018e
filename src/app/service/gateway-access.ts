// The independent gateway that model calls of this ledger go through, from the ledger's settings. Never from a file of the
// project: whoever may write there could have the client's key sent anywhere. It is looked up for each call, so that a
// change counts at once; and what can't be used is an error, never a reason to go straight to the provider.
import { readFileSync, statSync } from 'node:fs';
import { ParseError } from '../../core/index.ts';
import { type KnownGateway, readSettings } from '../../ledger/index.ts';
import { type GatewayAccess, GatewayUnusable, parseGatewayAddress } from '../../service/index.ts';

const LARGEST = 1 << 20;
const TOKEN = /^[A-Za-z0-9_-]{32,128}$/;

/** `asked` is what the session asks for; null where it leaves that to the settings. Throws GatewayUnusable. */
export function gatewayAccess(directory: string, asked: string | null): GatewayAccess | null {
  try {
    const { gateways = [], through } = readSettings(directory);
    const url = asked ?? through;
    if (url === undefined) return null;
    const known = gateways.find((each) => each.url === url);
    if (known === undefined)
      throw new GatewayUnusable(
        `The independent gateway ${url} isn't set up here, so nothing was sent. See docs/gateway.md.`,
      );
    return openAccess(known);
  } catch (error) {
    if (error instanceof GatewayUnusable) throw error;
    // Its message may name a file of the user's, which is no matter of the client's.
    throw new GatewayUnusable(
      "The settings of the independent gateway can't be read. Run `foil gateway show`.",
      { cause: error },
    );
  }
}

/** Throws ParseError, or the system's error. */
export function openAccess({ url, tokenFile, caFile }: KnownGateway): GatewayAccess {
  const token = readPrivate(tokenFile).trim();
  if (!TOKEN.test(token)) throw new ParseError('MALFORMED', 'must hold exactly one token', tokenFile);
  return {
    ...parseGatewayAddress(url),
    token,
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }),
  };
}

/** A file that nobody else can read. Throws ParseError where others can. */
export function readPrivate(path: string): string {
  const { mode, size } = statSync(path);
  if ((mode & 0o077) !== 0)
    throw new ParseError(
      'MALFORMED',
      `others can read it. Run \`chmod 600 ${path}\`, and make a new one`,
      path,
    );
  if (size > LARGEST) throw new ParseError('TOO_LONG', `more than ${LARGEST} bytes`, path);
  return readFileSync(path, 'utf8');
}
