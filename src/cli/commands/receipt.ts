// foil receipt verify: does a receipt of the gateway hold? One of this ledger by its id, or one that somebody shows in a
// file, with the key that signed it. What is trusted is the ledger's key: this ledger's own, --key, or the trust file.

import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findReceipt, readFile, reading } from '../../app/index.ts';
import { readTrust, userTrustFile } from '../../config/index.ts';
import {
  derivedKey,
  isObject,
  type Json,
  type JsonObject,
  ParseError,
  parseHex,
  parseVerifierKey,
  StoreError,
  UsageError,
  type VerifierKey,
} from '../../core/index.ts';
import {
  type Entry,
  parseEntry,
  parseReceipt,
  parseReceiptId,
  parseSalt,
  parseValidatorKey,
  type SignedReceipt,
  saltPath,
} from '../../format/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import { receiptPurpose } from '../../record/index.ts';
import { harmless } from '../../report/index.ts';
import { isCertified, isSigned, misbound, mismatch } from '../../verify/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';

const MAX_DOCUMENT = 262_144;
const MAX_WIRE = 512 * 1024 * 1024;

export const receipt: Command = {
  name: 'receipt',
  summary: 'check a receipt from the gateway, and the bytes it commits to',
  usage: 'verify ID | verify FILE [options]',
  arguments: [2, 2],
  options: {
    key: { type: 'string', value: 'VKEY', help: "the ledger's key, for a receipt from another ledger" },
    request: {
      type: 'string',
      value: 'FILE',
      help: 'check that this is the body of the request that was sent',
    },
    response: {
      type: 'string',
      value: 'FILE',
      help: 'check that this is the body of the answer that was given',
    },
  },
  examples: [
    'foil receipt verify 42-0f3c…',
    'foil receipt verify receipt.json --key counterfoil/9d5e…+1f2e3d4c+AV64…',
    'foil receipt verify 42-0f3c… --request request.json --response answer.txt',
  ],
  run,
};

/** One thing that was looked at. Null: it can't be told from what is here. */
interface Check {
  readonly name: string;
  readonly holds: boolean | null;
  readonly why: string;
}

interface Shown {
  readonly origin: string;
  readonly gatewayKey: JsonObject;
  readonly payload: JsonObject;
}

async function run(context: Context): Promise<Outcome> {
  const [action = '', given = ''] = context.arguments;
  if (action !== 'verify')
    throw new UsageError(`Unknown subcommand "${action}". Use \`foil receipt verify\`.`);
  const located = place(context);
  const path = resolve(context.cwd, given);
  const isId = idOf(given) !== undefined && !existsSync(path);
  const shown = isId ? await ofLedger(located, given) : parseShown(readFile(path, MAX_DOCUMENT, 'receipt'));
  const signed = parsed(() => parseReceipt(shown.payload));
  const checks: Check[] = [];
  await withHere(located, shown.origin, async (ledger) => {
    checks.push(await signature(context, shown, ledger), await binding(signed, ledger));
    for (const side of ['request', 'response'] as const) {
      const file = context.values.text(side);
      if (file !== undefined)
        checks.push(
          wire(
            side,
            signed,
            readFile(resolve(context.cwd, file), MAX_WIRE, `--${side}`),
            ledger === null ? null : located,
          ),
        );
    }
  });
  const failed = checks.some(({ holds }) => holds === false);
  const { id, run: session, model, modelAnswered, provider, result, issued } = signed;
  const lines = [
    `${failed ? 'NOT GOOD' : checks.every(({ holds }) => holds) ? 'GOOD' : 'NOT KNOWN'}: receipt ${id} of ${provider}, ${modelAnswered ?? model ?? 'no model'}, ${result}, ${issued}`,
    `run        ${session}`,
    ...checks.map(({ name, holds, why }) => `${name.padEnd(10)} ${word(holds)}  ${why}`),
  ];
  return {
    exit: failed ? EXIT.VIOLATION : checks.every(({ holds }) => holds) ? EXIT.FINE : EXIT.FAILED,
    json: { id, valid: !failed && checks.every(({ holds }) => holds), checks, receipt: shown.payload },
    text: `${lines.map(harmless).join('\n')}\n`,
  };
}

function word(holds: boolean | null): string {
  return (holds === null ? 'unknown' : holds ? 'pass' : 'fail').padEnd(7);
}

function idOf(text: string): number | undefined {
  try {
    return parseReceiptId(text);
  } catch {
    return undefined;
  }
}

async function ofLedger(located: Located, id: string): Promise<Shown> {
  const found = await reading(located, (ledger) => findReceipt(ledger, id));
  if (found === undefined) throw new StoreError('NOT_FOUND', `this ledger has no receipt ${id}.`);
  return shownOf(found);
}

function parseShown(bytes: Uint8Array): Shown {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON. Give the answer of GET /receipts/ID', 'receipt');
  }
  return shownOf(value);
}

function shownOf(value: Json): Shown {
  const { v, origin, gateway_key: gatewayKey, receipt: payload } = (value ?? {}) as JsonObject;
  if (v !== 1 || typeof origin !== 'string' || !isObject(gatewayKey) || !isObject(payload))
    throw new ParseError('MALFORMED', 'not an answer of GET /receipts/ID', 'receipt');
  return { origin, gatewayKey, payload };
}

function parsed<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(error.code, error.message, 'receipt');
  }
}

/** Null where the ledger that is here, if any, is another. */
async function withHere(
  located: Located,
  origin: string,
  work: (ledger: Ledger | null) => Promise<void>,
): Promise<void> {
  if (!existsSync(located.directory) || !statSync(located.directory).isDirectory()) return work(null);
  await reading(located, async (ledger) => {
    const { origin: own } = await ledger.identity();
    await work(own === origin ? ledger : null);
  });
}

async function signature(context: Context, shown: Shown, ledger: Ledger | null): Promise<Check> {
  const { origin, gatewayKey, payload } = shown;
  const name = 'signature';
  const { version, publicKey } = parsed(() => parseValidatorKey(gatewayKey));
  if (parseReceipt(payload).keyVersion !== version || !isSigned(origin, parseHex(publicKey, 32), payload))
    return { name, holds: false, why: "the gateway's key did not sign this" };
  const trusted = await trustedKeys(context, origin, ledger);
  if (trusted.length === 0)
    return { name, holds: null, why: `no key of ${origin} is trusted here; give one with --key` };
  if (!trusted.some((key) => isCertified(origin, key.publicKey, gatewayKey)))
    return { name, holds: false, why: "no key of the ledger certifies the gateway's key" };
  return { name, holds: true, why: `version ${version} of the gateway's key of ${origin}` };
}

async function trustedKeys(
  { values, env }: Context,
  origin: string,
  ledger: Ledger | null,
): Promise<readonly VerifierKey[]> {
  const given = values.text('key');
  if (given !== undefined) return [parseVerifierKey(given)].filter(({ name }) => name === origin);
  const pinned = (await readTrust(userTrustFile(env)))?.ledgers.map(({ key }) => key) ?? [];
  const own = ledger === null ? [] : (await ledger.epochs()).map(({ key }) => key);
  return [...pinned.filter(({ name }) => name === origin), ...own];
}

async function binding(signed: SignedReceipt, ledger: Ledger | null): Promise<Check> {
  const name = 'binding';
  if (ledger === null) return { name, holds: null, why: "its ledger isn't here" };
  const call = await entryAt(ledger, signed.call.seq);
  const event = await entryAt(ledger, signed.event.seq);
  const wrong = parsed(() => misbound(signed, call, event));
  if (wrong !== undefined || call === undefined || event === undefined)
    return { name, holds: false, why: wrong ?? "its entries aren't here" };
  const otherwise = mismatch(signed, call, event);
  if (otherwise !== undefined) return { name, holds: false, why: otherwise };
  return { name, holds: true, why: `entries ${call.seq} and ${event.seq} of its run, as they are on record` };
}

async function entryAt({ store }: Ledger, seq: number): Promise<Entry | undefined> {
  for await (const piece of store.read(seq, seq)) return parseEntry(piece.subarray(0, piece.length - 1));
  return undefined;
}

/** The key of the commitments follows from the session's salt, and is gone with it. */
function wire(
  side: 'request' | 'response',
  signed: SignedReceipt,
  bytes: Uint8Array,
  located: Located | null,
): Check {
  if (signed.client !== undefined)
    return {
      name: side,
      holds: null,
      why: 'only the client has the key of its commitments; check it where the run is',
    };
  const path = located === null ? undefined : join(located.directory, saltPath(signed.run));
  if (path === undefined || !existsSync(path))
    return {
      name: side,
      holds: null,
      why: "the session's salt isn't here; it was erased, or it is on another machine",
    };
  const key = derivedKey(parseSalt(readFileSync(path)), receiptPurpose(signed.id));
  const commitment = createHmac('sha256', key).update(`${side}\n`).update(bytes).digest('hex');
  const holds = commitment === signed[side].commitment && bytes.length === signed[side].bytes;
  return {
    name: side,
    holds,
    why: holds ? `the same ${bytes.length} bytes as on the wire` : 'different bytes went over the wire',
  };
}
