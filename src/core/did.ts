// did:key of Ed25519 keys (w3c-ccg.github.io/did-key-spec): `did:key:z` and base58btc of ed 01 and the public key. The
// identity is the key, so nobody has to be asked for it. One form only: what does not encode back to itself is refused.
import { isAcceptablePoint } from './ed25519-points.ts';
import { ParseError } from './errors.ts';

const PREFIX = 'did:key:z';
const ED25519 = [0xed, 0x01];
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** More than 34 bytes ever take; a longer text is not worth the work. */
const LONGEST = 64;

/** Throws RangeError for what is no Ed25519 public key. */
export function encodeDidKey(publicKey: Uint8Array): string {
  if (!isAcceptablePoint(publicKey)) throw new RangeError('not an Ed25519 public key');
  return `${PREFIX}${encodeBase58(Uint8Array.from([...ED25519, ...publicKey]))}`;
}

export function isDidKey(did: string): boolean {
  return did.startsWith('did:key:');
}

/** The public key. Throws ParseError. */
export function parseDidKey(did: string): Uint8Array {
  const text = did.slice(PREFIX.length);
  if (!did.startsWith(PREFIX) || text.length > LONGEST || /[^1-9A-HJ-NP-Za-km-z]/.test(text))
    throw new ParseError('MALFORMED', 'not a did:key in base58btc');
  const bytes = decodeBase58(text);
  const key = bytes.subarray(ED25519.length);
  if (ED25519.some((byte, i) => bytes[i] !== byte) || !isAcceptablePoint(key))
    throw new ParseError('MALFORMED', 'not the did:key of an Ed25519 key');
  return key;
}

/** The first byte is never zero here, so that there are no leading digits to keep. */
function encodeBase58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; number > 0n; number /= 58n) text = `${ALPHABET[Number(number % 58n)]}${text}`;
  return text;
}

/** A leading 1 stands for a zero byte, and is kept as one: so each key has one text alone. */
function decodeBase58(text: string): Uint8Array {
  let number = 0n;
  for (const digit of text) number = number * 58n + BigInt(ALPHABET.indexOf(digit));
  const bytes: number[] = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes]);
}
