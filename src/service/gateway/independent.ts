// What an independent gateway asks of whoever calls it: a token, and what a receipt is bound to. The token comes in
// Proxy-Authorization, because Authorization holds the client's own credential for the upstream. None of these headers goes on.
import type { IncomingHttpHeaders } from 'node:http';
import { sha256Hex } from '#platform';
import { isHash, ParseError, parseHex } from '../../core/index.ts';
import { type ClientRun, isNonce } from '../../format/index.ts';

export const NONCE_HEADER = 'x-counterfoil-nonce';
export const RUN_HEADER = 'x-counterfoil-run';
export const PACK_HEADER = 'x-counterfoil-pack';
/** The key of the commitments. It is the client's, so that its own receipt and the gateway's have the same. */
export const COMMITMENT_HEADER = 'x-counterfoil-commitment-key';
/** `entry_hash` of the end of a run that is to be closed. */
export const END_HEADER = 'x-counterfoil-end';
/** Why a gateway refuses or fails, on answers that are its own and not the upstream's. */
export const ERROR_HEADER = 'x-counterfoil-error';

/** A request that an independent gateway takes. */
export interface Asked {
  /** Under which the gateway keeps the calls of this run: other callers can't come into it. */
  readonly session: string;
  readonly nonce: string;
  readonly client: ClientRun;
  readonly key: Uint8Array;
}

/** A run that an independent gateway is to close. */
export interface ToClose {
  readonly session: string;
  readonly client: ClientRun;
  readonly end: string;
}

export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

const TOKEN = /^[A-Za-z0-9_-]{32,128}$/;
const MOST_TOKENS = 1024;

/** Tokens by their hashes: how long a comparison takes says nothing of a token then. */
export class Tokens {
  readonly #hashes: ReadonlySet<string>;

  private constructor(tokens: readonly string[]) {
    this.#hashes = new Set(tokens.map((token) => sha256Hex(token)));
  }

  /** One in a line; a line that begins with `#` is for people. Throws ParseError. */
  static parse(text: string, path: string): Tokens {
    const lines = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
    const bad = lines.findIndex((line) => !TOKEN.test(line));
    if (bad >= 0)
      throw new ParseError(
        'MALFORMED',
        'a token has 32 to 128 letters, digits, _ or -; write one token per line',
        path,
      );
    if (lines.length === 0 || lines.length > MOST_TOKENS)
      throw new ParseError('MALFORMED', `has no token, or more than ${MOST_TOKENS}`, path);
    return new Tokens(lines);
  }

  /** The one that a request shows, in short; undefined where it shows none of these. */
  shown(headers: IncomingHttpHeaders): string | undefined {
    const [, token = ''] = /^Bearer ([\w-]{1,128})$/i.exec(headers['proxy-authorization'] ?? '') ?? [];
    const hash = sha256Hex(token);
    return this.#hashes.has(hash) ? hash.slice(0, 16) : undefined;
  }
}

export const NO_TOKEN: Refused = { status: 407, code: 'WRONG_TOKEN', error: 'the token is missing or wrong' };

/** What the request is bound to, of one whose token is good. */
export function readAsked(headers: IncomingHttpHeaders, token: string): Asked | Refused {
  const [nonce, run, pack, key] = [NONCE_HEADER, RUN_HEADER, PACK_HEADER, COMMITMENT_HEADER].map((name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  });
  if (!nonce || !isNonce(nonce)) return refused('BAD_NONCE', NONCE_HEADER);
  if (!isHash(run)) return refused('BAD_RUN', RUN_HEADER);
  if (pack !== null && !isHash(pack)) return refused('BAD_PACK', PACK_HEADER);
  if (!isHash(key)) return refused('BAD_COMMITMENT_KEY', COMMITMENT_HEADER);
  return {
    session: sessionOf(token, run),
    nonce,
    client: { run, pack: pack ?? null },
    key: parseHex(key, 32),
  };
}

const CLOSING = /^\/runs\/([0-9a-f]{64})\/closing$/;

export function closingTarget(run: string): string {
  return `/runs/${run}/closing`;
}

/** The run whose closing a request is for; undefined for every other request. */
export function closedRun(url: string): string | undefined {
  return CLOSING.exec(url)?.[1];
}

/** What is to be closed, of a request whose token is good. */
export function readToClose(headers: IncomingHttpHeaders, token: string, run: string): ToClose | Refused {
  const [pack = null, end] = [headers[PACK_HEADER], headers[END_HEADER]];
  if (pack !== null && !isHash(pack)) return refused('BAD_PACK', PACK_HEADER);
  if (!isHash(end)) return refused('BAD_END', END_HEADER);
  return { session: sessionOf(token, run), client: { run, pack }, end };
}

function sessionOf(token: string, run: string): string {
  return `${token} ${run}`;
}

export function isRefused(asked: Asked | ToClose | Refused): asked is Refused {
  return 'status' in asked;
}

function refused(code: string, header: string): Refused {
  return { status: 400, code, error: `${header} is missing or malformed` };
}
