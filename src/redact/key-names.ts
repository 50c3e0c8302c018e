// Which member and variable names promise a secret. A name is cut into words (`apiKey`, `x-api-key`, `DB_PASSWORD`)
// and judged by words, never by pieces of words: `author`, `keyboard`, `monkey` and `tokenizer` mean nothing here.
// A word behind the noun may take the promise back: `token_count`, `password_policy`, `access_key_id`.

/** How far a name is believed. */
export const NONE = 0;
/** Only a value that looks random is a secret: `key`. */
export const WEAK = 1;
/** Only a value that looks like a secret is one: `pwd`, `pass`, `auth`, `tokens`. */
export const HINT = 2;
/** In data every string is a secret, in source text one that looks like it: `token`, `cookie`. */
export const MEDIUM = 3;
/** Every string is a secret: `password`, `client_secret`, `api_key`. */
export const STRONG = 4;
/** Numbers too: the names of the baseline list, and the user's own. */
export const EXACT = 5;

export interface NameSense {
  readonly level: number;
  /** The rule that speaks: `password`, `secret`, `token`, `key`, `auth`, `credential`, `cookie`, `session`, `named`. */
  readonly id: string;
}

/** What the name text[start, end) promises. */
export type SenseOf = (text: string, start: number, end: number) => NameSense;

export const NAME_RULES = ['password', 'secret', 'token', 'key', 'auth', 'credential', 'cookie', 'session'];
export const NAMED = 'named';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The baseline list, and close kin, each with the rule it counts for. */
const EXACT_NAMES =
  'token:token apikey:key api_key:key password:password secret:secret authorization:auth cookie:cookie session:session ' +
  'jwt:token bearer:auth api_secret:secret refresh_token:token private_key:key access_token:token id_token:token ' +
  'client_secret:secret signing_key:key webhook_secret:secret passphrase:password passwd:password ' +
  'proxy_authorization:auth set_cookie:cookie auth_token:token secret_key:key';

const PASSWORD =
  'password passwd passphrase passcode pwd passwort kennwort contrasena contraseña senha motdepasse';
const TAKEN_BACK =
  'count counts counter length len size limit limits type types name names url uri endpoint host port id ids file path ' +
  'dir directory folder policy field fields label expires expired expiry expiration ttl age at in index offset usage ' +
  'used budget environment max min per rate cost price enabled disabled required exists exist valid invalid reset manager provider ' +
  'store storage prefix suffix format regex pattern rule rules schema class input prompt hint help text title ' +
  'placeholder message error errors status strength version algorithm alg issuer kind method mode scheme stdin prompted ' +
  'position start end line column ref reference arn selector validator service handler controller form page route ' +
  'module plugin config settings options bytes bits ratio window estimate estimator hash fingerprint checksum digest ' +
  'set changed updated created rotation state source env var variable metadata scope scopes permission permissions flow ' +
  'user username users level group role context ring chain board press up down code codes board pair event events';
const VERBS =
  'no has is forgot forgotten reset show hide change require requires use with without need needs can should allow ' +
  'enable disable skip on handle get set validate verify check hash encrypt decrypt parse generate create update delete ' +
  'toggle max min num total count remaining';
const KEYS_THAT_OPEN =
  'api access secret private signing sign encryption encrypt decryption master auth account shared storage service ' +
  'webhook deploy session hmac jwt crypto consumer admin root subscription license ssh tls ssl rsa aes app application ' +
  'client server integration functions function write ingest cipher symmetric preshared psk gpg pgp backup vapid ' +
  'cookie csrf token wallet';
const PAGING =
  'page next continuation pagination cursor sync cancellation cancel eos bos pad unk mask special stop prompt ' +
  'completion input output csrf xsrf syntax previous prev last first current progress';
const PASS_OF =
  'db database smtp imap mysql pg postgres redis mongo user admin root ftp email mail ssh http proxy ldap login my ' +
  'keystore truststore jdbc sudo store key srcstore deststore ks require mq rabbitmq amqp vnc sftp wifi wpa vault become ' +
  'ansible bind basic auth sasl';
/** Keys that say `key` but are a place, not a secret. Behind any other word, a variable's hexadecimal value is taken. */
const KEYS_THAT_NAME =
  'cache sort primary foreign partition public publishable host idempotency dedup dedupe routing map object bucket hash ' +
  'lookup registry group row col column index search query unique composite natural hot short modifier arrow answer ' +
  'config feature event metric label tag i18n translation locale lock item data field product range session state ' +
  's3 storage file path image asset version';

interface Vocabulary {
  readonly exact: ReadonlyMap<string, string>;
  readonly password: ReadonlySet<string>;
  readonly takenBack: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
  readonly opening: ReadonlySet<string>;
  readonly paging: ReadonlySet<string>;
  readonly passOf: ReadonlySet<string>;
  readonly naming: ReadonlySet<string>;
}

let vocabulary: Vocabulary | undefined;

function loadVocabulary(): Vocabulary {
  vocabulary ??= {
    exact: new Map(
      words(EXACT_NAMES).map((pair): [string, string] => {
        const [name = '', id = ''] = pair.split(':');
        return [normalizeName(name), id];
      }),
    ),
    password: new Set(words(PASSWORD)),
    takenBack: new Set(words(TAKEN_BACK)),
    verbs: new Set(words(VERBS)),
    opening: new Set(words(KEYS_THAT_OPEN)),
    paging: new Set(words(PAGING)),
    passOf: new Set(words(PASS_OF)),
    naming: new Set(words(KEYS_THAT_NAME)),
  };
  return vocabulary;
}

/** Longest name that is read; of a longer one, the end. */
const LONGEST = 128;

export function splitName(name: string): string[] {
  const read = name.length > LONGEST ? name.slice(-LONGEST) : name;
  const found = read.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return found.map((word) => word.toLowerCase());
}

/** `apiKey`, `API_KEY` and `api-key` are one name: `api key`. */
export function normalizeName(name: string): string {
  return splitName(name).join(' ');
}

export const NOTHING: NameSense = { level: NONE, id: '' };

/** A name without any of these is not worth cutting up. Searched for one by one at first: in a hook, compiling costs more. */
const STEMS =
  'pass pw psk psw pssw pasw seed secret token jwt key auth cred cookie sess bearer kennwort contrasena senha mnemonic phrase recovery backup unlock'.split(
    ' ',
  );
/** Short words that many others end in: only on their own, or behind a separator. */
const SHORT_STEM = /(?:^|[^a-zA-Z])(?:pats?|sid)$/i;

/** So many names are searched stem by stem before the stems are compiled into one pattern. */
const FEW = 64;
let searched = 0;
let stems: RegExp | undefined;

function hasStem(name: string): boolean {
  if (searched < FEW) {
    searched++;
    const lower = name.toLowerCase();
    return STEMS.some((stem) => lower.includes(stem)) || SHORT_STEM.test(lower);
  }
  stems ??= new RegExp(`${STEMS.join('|')}|${SHORT_STEM.source}`, 'i');
  return stems.test(name);
}

/** What the built-in rules make of a name. */
export function senseOfName(name: string): NameSense {
  if (!hasStem(name)) return NOTHING;
  const { exact, verbs, takenBack } = loadVocabulary();
  // `config.password` is about a password, `token.ts` about a file.
  const list = splitName(lastPart(name));
  const exactId = name === '_auth' ? 'auth' : exact.get(list.join(' ')); // `_auth` is .npmrc's user and password
  if (exactId !== undefined) return { level: EXACT, id: exactId };
  if (list.length > 1 && verbs.has(list[0] ?? '')) return ofRouter(list);
  if (list.join(' ') === 'bw session') return { level: STRONG, id: 'token' }; // Bitwarden's, which opens the vault
  if (/(?:^|\b(?:connect|session) )(?:session id|sid)$/.test(list.join(' ')) && list.length < 3)
    return SESSION_ID;
  for (let at = list.length - 1; at >= 0; at--) {
    const sense = senseOfWord(list, at);
    if (sense.level !== NONE) return sense;
    if (takenBack.has(list[at] ?? '')) return passwordHash(list, at);
  }
  return NOTHING;
}

/** Behind the last dot; `fs.s3a.secret.key` needs the part before it too. */
function lastPart(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 && /^key$/i.test(name.slice(dot + 1))
    ? name.slice(name.lastIndexOf('.', dot - 1) + 1)
    : name.slice(dot + 1);
}

/** The id of a session opens it as a cookie would, and is as often a name for a log: only a random one is a secret. */
const SESSION_ID: NameSense = { level: WEAK, id: 'session' };

/** A router's `enable secret`, as settings and scripts name it. */
function ofRouter(list: readonly string[]): NameSense {
  return /^enable (?:secret|password)$/.test(list.join(' ')) ? { level: HINT, id: 'password' } : NOTHING;
}

/** The hash of a password can be guessed; that of a token can't. */
function passwordHash(list: readonly string[], at: number): NameSense {
  const { password } = loadVocabulary();
  if (list[at] !== 'hash' || !password.has(list[at - 1] ?? '')) return NOTHING;
  return { level: STRONG, id: 'password' };
}

function senseOfWord(list: readonly string[], at: number): NameSense {
  const { password, opening, paging, passOf } = loadVocabulary();
  const word = list[at] ?? '';
  const before = list[at - 1] ?? '';
  switch (word) {
    case 'pwd':
      if (before === 'old') return NOTHING;
      return { level: before === '' ? HINT : STRONG, id: 'password' };
    case 'pass':
      if (before === '' && list.length > 1) return NOTHING;
      return { level: passOf.has(before) ? STRONG : HINT, id: 'password' };
    case 'pw':
      return { level: passOf.has(before) ? STRONG : HINT, id: 'password' };
    case 'psk':
      return { level: before === '' ? HINT : STRONG, id: 'password' };
    case 'seed':
      return /^(?:t?otp|hotp|mfa|wallet|master|hd)$/.test(before) ? { level: STRONG, id: 'secret' } : NOTHING;
    case 'mnemonic':
    case 'seedphrase':
      return { level: HINT, id: 'secret' };
    case 'pat':
    case 'pats':
      return { level: before === '' ? WEAK : MEDIUM, id: 'token' };
    case 'phrase':
    case 'code':
    case 'codes':
    case 'keys':
    case 'key':
      if (/^(?:seed|recovery|backup|unseal|unlock)$/.test(before))
        return { level: word === 'phrase' ? STRONG : HINT, id: 'secret' };
      if (word === 'phrase' || word.startsWith('code')) return NOTHING;
      if (before === 'public' || before === 'publishable') return NOTHING;
      return { level: opening.has(before) ? STRONG : WEAK, id: 'key' };
    case 'secret':
    case 'secrets':
      // In charts, the name of a secret that is there already.
      if (before === 'existing') return NOTHING;
      return { level: STRONG, id: 'secret' };
    case 'credential':
    case 'credentials':
    case 'creds':
      return { level: STRONG, id: 'credential' };
    case 'token':
    case 'jwt':
      return { level: paging.has(before) ? WEAK : MEDIUM, id: 'token' };
    case 'tokens':
      if (paging.has(before)) return { level: WEAK, id: 'token' };
      return { level: opening.has(before) || TOKENS_OF.test(before) ? MEDIUM : HINT, id: 'token' };
    case 'phpsessid':
    case 'jsessionid':
      return { level: MEDIUM, id: 'session' };
    case 'cookie':
    case 'cookies':
      return { level: MEDIUM, id: 'cookie' };
    case 'bearer':
    case 'authorization':
      return { level: MEDIUM, id: 'auth' };
    case 'auth':
    case 'auths':
      return { level: HINT, id: 'auth' };
    default:
      // With the misspellings that people give their variables: `pswd`, `pasword`.
      if (password.has(word) || /(?:password|passwd|passphrase)s?$|^(?:pa?ss?w(?:or?|r)?d|pswd)$/.test(word))
        return { level: STRONG, id: 'password' };
      if (word === 'word' && before === 'pass') return { level: STRONG, id: 'password' };
      if (/secret$/.test(word)) return { level: STRONG, id: 'secret' };
      return senseOfJoined(word);
  }
}

const TOKENS_OF = /^(?:refresh|bearer|bot|user|personal|github|gitlab|slack|oauth|id|device|npm)$/;
/** `signingkey` is git's name for the id of a key. */
const JOINED_KEY =
  /(?:api|access|secret|private|account|ssh|encryption|master|auth|license|deploy|consumer|subscription|preshared|storage|gpg)keys?$/;

/** Words written together: `sshkey`, `dbpass`, `authtokens`. */
function senseOfJoined(word: string): NameSense {
  if (JOINED_KEY.test(word)) return { level: STRONG, id: 'key' };
  if (/.tokens?$/.test(word)) return { level: MEDIUM, id: 'token' };
  const { passOf } = loadVocabulary();
  if (word.endsWith('pass') && passOf.has(word.slice(0, -4))) return { level: STRONG, id: 'password' };
  if (word.endsWith('pw') && passOf.has(word.slice(0, -2))) return { level: STRONG, id: 'password' };
  if (word.endsWith('pwd') && passOf.has(word.slice(0, -3))) return { level: STRONG, id: 'password' };
  if (word.endsWith('psk')) return { level: STRONG, id: 'password' };
  if (word.endsWith('credentials')) return { level: STRONG, id: 'credential' };
  return NOTHING;
}

/** May the variable's value be in hexadecimal? `STRIPE_KEY=9f86…` is a secret, `CACHE_KEY=9f86…` is not. */
export function mayBeHexKey(name: string): boolean {
  const list = splitName(name);
  const { naming } = loadVocabulary();
  return list.length > 1 && list.at(-1) === 'key' && !naming.has(list.at(-2) ?? '');
}
