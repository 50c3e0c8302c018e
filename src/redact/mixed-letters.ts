// Letters of both cases without a digit: made by a machine, or the name of something in code? Names in camel case are
// made of words and of abbreviations that everybody knows; a random word falls into pieces that are neither.

const SHORTEST = 12;
const PIECES = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** Abbreviations and short words of names in code: those that have no vowel, or fewer than three letters. */
const SHORT =
  /^(?:a|i|x|y|z|an|as|at|be|by|cb|db|do|el|en|fn|fs|gh|go|he|hs|id|ids|if|in|io|ip|is|it|js|kv|me|mq|my|no|of|ok|on|or|os|pg|pk|pw|qr|rx|sk|so|to|ts|tx|ui|up|us|vm|vs|we|ws|args|btn|cfg|cmd|ctrl|ctx|dlg|dns|dst|err|ftp|gcp|gpg|grpc|hmac|html|http|https|jdbc|jks|json|jvm|jwk|jwt|kms|lbl|ldap|mgr|msg|mtls|mysql|nth|npm|num|params|pgp|pkcs|png|psk|ptr|pwd|px|rgb|rpc|rss|sdk|smtp|sql|src|srv|ssh|ssl|std|str|svc|svg|sync|tcp|tls|tmp|txt|usr|val|vpc|vpn|xhr|xml|xss)$/i;
/** Abbreviations with a vowel, which code writes in capitals. */
const CAPITALS =
  /^(?:ACL|AES|API|APIS|ARN|ASCII|AUTH|AWS|AZURE|CA|CPU|CSRF|EC|ENV|EOF|GUID|HEX|IAM|IOS|KEY|MAC|MFA|NULL|OIDC|OTP|PEM|PIN|RAM|REST|RSA|SAML|SHA|SSO|TOTP|TTL|UDP|UID|URI|URIS|URL|URLS|USB|UTF|UUID|YAML)$/;

/** Is the value letters of both cases that no name in code has in that order? */
export function isMixedLetters(value: string): boolean {
  if (value.length < SHORTEST || value.length > 256 || !/^[A-Za-z]+$/.test(value)) return false;
  let odd = 0;
  let letters = 0;
  const pieces = value.match(PIECES) ?? [];
  if (pieces.length < 3) return false;
  for (const piece of pieces)
    if (!isWord(piece)) {
      odd++;
      letters += piece.length;
    }
  if (odd > 2 && letters >= value.length * 0.3) return true;
  return odd > 1 && letters >= value.length * 0.4;
}

function isWord(piece: string): boolean {
  if (SHORT.test(piece)) return true;
  if (/^[A-Z]+$/.test(piece)) return CAPITALS.test(piece);
  return piece.length > 2 && /[aeiouy]/i.test(piece) && !/[^aeiouy]{5}|q[^u]/i.test(piece);
}
