// What a value's own look says about it: a reference to a secret kept elsewhere is none, a digest is none, and a name
// that only might hold a secret is believed when its value looks made by a machine. Every test here is bounded.
import { hasMarker } from './marker.ts';
import { isMixedLetters } from './mixed-letters.ts';
import { isPhrase } from './phrases.ts';

/** Longest piece of a value that is judged; a longer one is judged by its beginning. */
export const JUDGED = 256;

const REFERENCE =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$\{[^{}]*\}|\$?\{\{[^{}]*\}\}|\$\([^()]*\)|<[^<>]*>|%[A-Z_][A-Z0-9_]*%|[*\u2022.]+|\u2026)$/;
/** In commands and source text: also `$name`, `{name}`, `@file`-less reads of the environment. */
const LOOSE_REFERENCE =
  /^(?:\$\w+[,.;:)\]}]*|\{[\w.]*\}|%(?:\(\w+\))?[sd]|\$[{(].*|[^A-Za-z0-9]{1,5}|(?:your|insert|replace|enter)[-_][\w-]{2,}|(?:process\.env|os\.environ|import\.meta\.env|secrets|vars|env)[.[(].*)$/;
const HEX_DIGEST =
  /^(?:0x)?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i;
const LABELLED_DIGEST = /^(?:sha\d{1,3}|md5|h1|blake\d?\w?|git)[-:]/i;
/** A package and its version: `cookie@0.7.2`. */
const PACKAGE = /^@?[a-z][\w./-]*@[\^~]?\d/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PLAIN = /^[\w.~+/=:@-]+$/;

/** Does the value only name a secret? `$TOKEN`, `${{ secrets.X }}`, `<your token>`, `****`. */
export function isReference(value: string): boolean {
  return value.length <= JUDGED && REFERENCE.test(value);
}

export function isLooseReference(value: string): boolean {
  return value.length <= JUDGED && (REFERENCE.test(value) || LOOSE_REFERENCE.test(value));
}

export function isDigest(value: string): boolean {
  return HEX_DIGEST.test(value) || UUID.test(value) || LABELLED_DIGEST.test(value);
}

export interface Mix {
  readonly upper: number;
  readonly lower: number;
  readonly digits: number;
  /** Places where the kind of character changes: many in random text, few in words and paths. */
  readonly changes: number;
}

export function mixOf(text: string, from: number, to: number): Mix {
  let upper = 0;
  let lower = 0;
  let digits = 0;
  let changes = 0;
  let before = -1;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    let kind = 3;
    if (c >= 97 && c <= 122) {
      kind = 0;
      lower++;
    } else if (c >= 65 && c <= 90) {
      kind = 1;
      upper++;
    } else if (c >= 48 && c <= 57) {
      kind = 2;
      digits++;
    }
    if (kind !== before && before !== -1) changes++;
    before = kind;
  }
  return { upper, lower, digits, changes };
}

/** For names such as `token` in text: at least six characters of one word, letters and digits together, no digest. */
export function looksSecret(value: string): boolean {
  const judged = value.slice(0, JUDGED);
  if (judged.length < 6 || isDigest(judged) || hasMarker(judged) || PACKAGE.test(judged)) return false;
  if (!PLAIN.test(judged)) return looksThoughtUp(judged);
  if (looksLikePlace(judged)) return false;
  const { upper, lower, digits } = mixOf(judged, 0, judged.length);
  if (digits > 0 && upper + lower > 0) return !/^v?\d+(?:\.\d+)+(?:[-+.]\w+)*$/.test(judged);
  if (digits >= 12 || (judged.length >= 20 && !/[_.\-/:]/.test(judged))) return true;
  return upper > 1 && lower > 1 && isMixedLetters(judged);
}

/** With the signs that people put into passwords, and none that code needs: `Tr0ub4dor!`, not `f(x)` or `$HOME/a`. */
const WITH_SIGNS = /^[\w.~+:@!#%^&*?,;$-]{8,64}$/;

function looksThoughtUp(value: string): boolean {
  if (!WITH_SIGNS.test(value) || !/[!#%^&*?]/.test(value) || value.startsWith('$')) return false;
  const { upper, lower, digits } = mixOf(value, 0, value.length);
  if (digits > 0 && upper > 0 && lower > 0) return true;
  // Of one case only, a second sign must bear it out: `p@ss!7w`.
  return digits > 0 && upper + lower > 1 && (value.match(/[!#%^&*?@$]/g)?.length ?? 0) > 1;
}

/** What names a way to keep or send a secret, and holds none: `sha256-hashed`, `argon2id`, `base64`, `OAuth2`. */
const MECHANISM_WORD =
  /^(?:base-?\d+\w*|utf-?\d+|sha-?\d+|md\d|argon2\w{0,2}|b?crypt|pbkdf2|scrypt|aes-?\d*|[rehp]s\d{3}|rsa-?\d*|ed25519|x?chacha\d*|o?auth\d?|oidc|saml\d?|mfa|2fa|u2f|fido2?|webauthn|pkcs\d+|x509|tls\d?|ssl\d?|http\d?|ipv\d|v?\d+(?:\.\d+)*\w?)(?:[-_/.].*)?$/i;

/** Words that say something about a secret where the secret itself could stand. */
const ABOUT =
  /^(?:true|false|null|none|nil|undefined|string|str|number|integer|boolean|bool|object|text|varchar|yes|no|y|n|x|n\/a|tbd|todo|any|all|required|optional|mandatory|missing|empty|blank|unset|invalid|valid|wrong|incorrect|correct|expired|hidden|masked|redacted|hashed|salted|encrypted|plain|plaintext|cleartext|stored|shown|secret|password|passwd|passphrase|passwort|token|key|apikey|pass|pwd|username|user|admin_password|changeme|default|example|placeholder|same|above|below|here|this|that|it|the|unknown|never|always|random|generated|auto|manual|enabled|disabled|supported|unsupported|bearer|basic|digest|include|omit|same-origin|input|output|label|hint|error|errors|field|confirm|new|old|current|strong|weak|file|env|environment|vault|stdin|prompt)$/i;

/** Could the word stand for itself where a sentence, a table or a call says a secret stands? */
export function isAbout(value: string): boolean {
  return ABOUT.test(value.replace(/[.,;:!?]+$/, '')) || MECHANISM_WORD.test(value);
}

/** The name of a variable or a constant, not its value. */
export function isConstantName(value: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value);
}

/** What somebody thought up or a machine made, as a whole word: letters with digits, or with signs. */
export function looksLikePassword(value: string): boolean {
  if (isAbout(value) || isConstantName(value)) return false;
  return looksSecret(value);
}

/** For names such as `key`: sixteen characters or more, and as mixed as only random text is. */
export function looksRandom(value: string): boolean {
  const judged = value.slice(0, JUDGED);
  if (judged.length < 16 || mixOf(judged, 0, Math.min(judged.length, 64)).digits === 0) return false;
  if (!PLAIN.test(judged) || !looksSecret(judged)) return false;
  const { upper, lower, digits, changes } = mixOf(judged, 0, judged.length);
  const mixed = digits >= 2 && upper + lower >= 4;
  return mixed && changes >= judged.length * (upper > 0 && lower > 0 ? 0.3 : 0.38);
}

/** A path, an address or a host, not a secret. */
function looksLikePlace(value: string): boolean {
  return (
    /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*:\/\/)/.test(value) ||
    /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|local|internal|json|ya?ml|pem|txt|ts|js|py|go|rs)(?::\d+)?$/i.test(
      value,
    )
  );
}

const MECHANISM =
  /^(?:o?auth|basic|bearer|digest|ntlm|negotiate|scram|sha|md5|hmac|aws|iam|saml|oidc|openid|jwt|pam|ldap|m?tls|x509|krb)/i;

/** For `pwd`, `auth` and `tokens`: does the value bear out what the name only hints at? `auth: oauth2` names a mechanism. */
export function hintHolds(id: string, value: string): boolean {
  if (id === 'auth') {
    if (isUserAndPassword(value)) return true;
    return (
      looksSecret(value) && !MECHANISM.test(value) && !/^[A-Za-z]+(?:[-_.][A-Za-z0-9]+)*\d{0,3}$/.test(value)
    );
  }
  if (id === 'secret' && isPhrase(value)) return true;
  return looksSecret(value) && (id !== 'token' || value.length >= 12);
}

/** The id of a session, where it is random in a way that ids for logs are not: no prefix, no separators, both cases. */
export function isSessionId(value: string): boolean {
  // Express signs its ids: `s:`, then the id.
  const id = value.replace(/^s(?:%3A|:)/, '');
  if (!/^[A-Za-z0-9+/=%.]{20,}$/.test(id) || !looksRandom(id.replace(/[%].*$/, ''))) return false;
  const { upper, lower } = mixOf(id, 0, Math.min(id.length, JUDGED));
  return upper > 1 && lower > 1;
}

/** Does a value bear out a name that is believed only a little? */
export function weakHolds(id: string, value: string): boolean {
  return id === 'session' ? isSessionId(value) : looksRandom(value);
}

/** Base64 of `user:password`, as in HTTP's Basic scheme and Docker's settings. */
export function isUserAndPassword(value: string): boolean {
  if (value.length < 8 || value.length > JUDGED || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  return /^[\x21-\x7e]{1,128}:[\x20-\x7e]{1,128}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
