// Secrets by their place among a command's words: `rabbitmqctl add_user bob …`, `net user bob …`, `vault login …`. Each
// row is a command as somebody types it. `^` ends its trigger, a rare pair of letters; `_` is any argument, `..` any
// flags, `…` anything up to the next word, `~` a space within a pattern; all other words are patterns, each
// bounded. The secret stands at the end, or where `*` is.
import { hasMarker } from './marker.ts';
import { askAtPair, codeAt, type Dispatch, isAlnum, takeAhead } from './scan.ts';
import { isAbout, looksLikePassword } from './secret-shape.ts';
import { commandBefore, isLiteralWord, readWord } from './shell-words.ts';

const ID = 'command-password';

interface Place {
  /** What must stand before the trigger in the same command. */
  readonly within?: RegExp;
  /** The word ends here: `user/password@host`. */
  readonly until?: string;
  /** Only a word that looks like a password is one. */
  readonly looks?: boolean;
}

const AT = { until: '@' };
const LOOKS = { looks: true };

const ROWS: readonly (readonly [row: string, place?: Place])[] = [
  // Tokens and passwords that a login takes
  ['ngrok^ (?:config~add-|http~--)?authtoken[=~]'],
  ['cargo^ login .. (?:--~)?'],
  ['vault^ (?:login|unseal|operator~unseal) .. (?:token=)?(?!Bearer |Basic )(?![-\\w]{1,40}=)'],
  ['wandb^ login ..'],
  ['snyk^ auth *'],
  ['bw ^(?:unlock|login~_) *'],
  ['nug^et setapikey *'],
  ['b2 ^(?:authorize-account|account~authorize) _ *'],
  ['mc ^(?:alias~set|config~host~add) _ _ _ *'],
  ['-oauth.^[\\w.-]{3,80} ..'],
  ['http-b^asic\\._ _ *'],
  ['bundl^e config (?:set~)?(?:--\\w{1,20}~){0,3}[\\w.-]{3,80} [\\w.-]{1,64}:'],
  ['lft^p (?:[^-\\s]\\S{0,100}~)?-u ["\']?[\\w.@-]{1,64},'],
  ['-cr^eds[=~][^\\s:]{1,64}:'],
  // Databases
  ['redis-c^li (?:-[a-z]~_~){0,3}(?:AUTH|auth) (?:\\w{1,40}~(?=\\S))?'],
  ['requirep^ass *'],
  ['masterau^th *'],
  ['mysq^ladmin … password *'],
  ['sqlp^lus .. ["\']?[\\w$.-]{1,64}/(?![\\s@/])', AT],
  ['oracle:t^hin:[\\w$.-]{1,64}/(?![\\s@/])', AT],
  ['impd^p .. ["\']?[\\w$.-]{1,64}/(?![\\s@/])', AT],
  ['expd^p .. ["\']?[\\w$.-]{1,64}/(?![\\s@/])', AT],
  ['sqlld^r … ["\']?[\\w$.-]{1,64}/(?![\\s@/])', AT],
  ['exp ^["\']?[\\w$.-]{1,64}/(?=[^\\s/]{1,64}(?:@|~\\w{2,12}=))', AT],
  ['imp ^["\']?[\\w$.-]{1,64}/(?=[^\\s/]{1,64}(?:@|~\\w{2,12}=))', AT],
  ['userid=^["\']?[\\w$.-]{1,64}/(?![\\s@/])', AT],
  ['isql^ .. (?![-<>])_ (?![-<>])_ *', LOOKS],
  ['db2 ^connect to _ user _ using *'],
  ['rabbitmqc^tl .. (?:add_user|change_password|authenticate_user) _ *'],
  ['etcdctl^ .. user (?:add|passwd) [\\w.-]{1,64}:'],
  ['sp_addl^ogin _,? *'],
  ['sp_passw^ord _,? _,? *'],
  // Machines and networks
  ['htpasswd^ -(?=[a-zA-Z]{0,6}b)(?=[a-zA-Z]{0,6}n)[a-zA-Z]{2,6} (?:\\d{1,2}~)?(?:""|\'\'|_) *'],
  ['htpasswd^ (?:-nb[A-Za-z]?~|-bn[A-Za-z]?~|-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}~(?:-[A-Za-z]{1,3}~)?_~)_ *'],
  ['mosquitto_p^asswd .. -[a-zA-Z]{0,3}b[a-zA-Z]{0,3} _ _ *'],
  ['wpa_^passphrase _ *'],
  ['smbc^lient … -U~?["\']?[\\w.@/\\\\-]{1,64}%'],
  ['rpcc^lient … -U~?["\']?[\\w.@/\\\\-]{1,64}%'],
  ['smbc^lient ["\']?//_ (?!-)'],
  ['chpasswd^ ?<<< ?["\']?[\\w.-]{1,64}:'],
  ['net us^er (?!/)_ (?!/)'],
  ['net us^e … /user:_ (?!/)'],
  ['net us^e (?:_~)?["\']?\\\\\\\\\\S{1,100} (?!/)'],
  ['nmcl^i … (?:password|\\S{1,60}\\.(?:psk|password|wep-key\\d?)) *'],
  ['-setairp^ortnetwork _ _ *'],
  ['dscl . -p^asswd _ *'],
  ['snmp-^server community *', LOOKS],
  [
    ' /p^(?:ass(?:word)?)?[:~](?=\\S)',
    { within: /\b(?:x?freerdp3?|wfreerdp|cmdkey|mstsc|signtool|wmic)\b/i },
  ],
  [' /r^p ', { within: /\bschtasks\b/i }],
  ['password=^~', { within: /\bsc(?:\.exe)?\s+(?:config|create)\b/i }],
  ['runas /u^ser:_ *'],
  [' /v ^\\S{0,40}[Pp]assword\\S{0,20} /t _ /d *', { within: /\breg(?:\.exe)?\s+add\b/i }],
  // Secrets of a platform
  ['user-s^ecrets set _ *'],
  ['dopp^ler secrets set (?![\\w-]*=)_ *'],
  ['config set --s^ecret [\\w:.-]{1,80} *'],
  ['--b^ody[=~]', { within: /\bsecret\s+set\b/ }],
  ['--t^ext[=~]', { within: /\bsecret\s+(?:put|set)\b/ }],
  ['--da^ta[=~](?!@)', { within: /\bsecrets:set\b/ }],
  [
    '--v^alue[=~]',
    {
      within: /\bsecrets?[\s:](?:set|create|put)\b|SecureString|put-parameter\b.*(?:password|secret|token)/i,
    },
  ],
  ['--from-l^iteral[=~]["\']?[\\w.-]{1,100}='],
  ['store-secr^et _ _ _ _ *'],
  ['ansible-v^ault encrypt_string ..'],
  ['vault kv pa^tch (?:-[\\w=-]{1,40}~){0,3}_ (?:[\\w.-]{1,64}=_~){0,8}[\\w.-]{1,64}=(?!@)'],
  ['vault w^rite (?:-[\\w=-]{1,40}~){0,3}_ (?:[\\w.-]{1,64}=_~){0,8}(?:value|secret|data)=(?!@)'],
  ['activate-refresh-t^oken _ *'],
  ['secret-set-v^alue _ --base64[=~]'],
  ['crud^ini … --set _ _ [\\w.-]{0,40}(?:password|passwd|secret|token|api_?key) *'],
  ['--ar^g [\\w.-]{0,40}(?:password|passwd|secret|token|api_?[kK]ey|Token|Password) *', { within: /\bjq\b/ }],
  [' --se^t [\'"](?:\\[\\\\?"[^"\\n]{1,64}\\\\?"\\]){1,8}~\\\\?"', { within: /\bsops\b/ }],
  ['sops se^t _ [\'"](?:\\["[^"\\n]{1,64}"\\]){1,8}[\'"] [\'"]"'],
  ['--ot^p[=~](?=\\d{6,10}\\b)'],
  ['gem pus^h … --key *', LOOKS],
  [' -a^p ', { within: /\bswaks\b/ }],
  ['private-k^ey <\\(echo *'],
  ['preshared-k^ey <\\(echo *'],
  ['adb shell inp^ut text *', LOOKS],
  ['-Dsonar.^login='],
  // Files and keys
  ['openssl passw^d (?:-salt~_~|-(?!stdin|in\\b)[\\w-]{1,12}~){0,4}'],
  ['openssl dg^st … -hmac *', LOOKS],
  ['qpd^f … --encrypt (?!-)'],
  ['qpd^f … --encrypt (?!-)_ (?!-)'],
  ['pdft^k … (?:input_pw|user_pw|owner_pw) *'],
  ['pdft^otext … -[uo]pw *'],
  [' -h^p(?=\\S)', { within: /\b(?:rar|unrar|7z[arz]?)\b/ }],
  ['walletpassp^hrase *'],
  ['reset-a^dmin-password *', LOOKS],
  ['user:p^assword _ *', { within: /\bdrush\b/ }],
  ['--passwordev^al[=~]["\']?echo *', LOOKS],
  ['--password-c^ommand[=~]["\']?echo *', LOOKS],
  ['ConvertTo-S^ecureString (?:-String~)?(?=["\'])'],
];

const WORDS_AHEAD =
  /^(?:to|for|and|or|is|the|an?|with|from|command|commands|flow|status|help|list|logout|user|method|methods|then|in|via|page|using|--.*)$/i;
const ARGUMENT = String.raw`(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'|;&<>]{1,200})`;
const FLAGS = String.raw`(?:-{1,2}[\w:.-]{1,40}(?:=\S{1,100})?[ \t]+){0,4}`;

/** The pattern of what stands between the trigger and the secret. */
function patternOf(rest: string): RegExp {
  const words = rest.split(' ');
  const space = String.raw`[ \t]+`;
  let source = '';
  for (const [i, word] of words.entries()) {
    if (word === '*') break;
    if (word === '..') source += FLAGS;
    else if (word === '…') source += String.raw`(?:[^\n|;&]{0,160}?[ \t])??`;
    else {
      source += word
        .replace(/\[([=:])~\]/g, String.raw`[$1 \t]+`)
        .replaceAll('~?', String.raw`[ \t]*`)
        .replaceAll('~', space)
        .replace(/(^|[^\\\w])_(?=$|[\W])/g, `$1${ARGUMENT}`);
      if (i < words.length - 1) source += space;
    }
  }
  return new RegExp(source, 'y');
}

/** A probe for each row. */
export function addPositionProbes(dispatch: Dispatch): void {
  for (const [row, place = {}] of ROWS) {
    const caret = row.indexOf('^');
    const trigger = row.slice(0, caret);
    const needsWord = isAlnum(trigger.charCodeAt(0));
    let pattern: RegExp | undefined;
    askAtPair(dispatch, trigger, (scan, at) => {
      const { text } = scan;
      const start = at + 1 - trigger.length;
      if (start < scan.floor || !text.startsWith(trigger, start)) return;
      const before = codeAt(scan, start - 1);
      if (needsWord && (isAlnum(before) || before === 45 || before === 95 || before === 46)) return;
      if (place.within !== undefined && !place.within.test(commandBefore(scan, start))) return;
      pattern ??= patternOf(row.slice(caret + 1));
      pattern.lastIndex = at + 1;
      // Nothing looks through a marker: there was more text in its place.
      if (!pattern.test(text) || hasMarker(text.slice(at, pattern.lastIndex))) return;
      const value = readWord(text, pattern.lastIndex);
      if (!isLiteralWord(value) || (!value.quoted && WORDS_AHEAD.test(value.text))) return;
      if (place.looks === true && !(value.quoted && !isAbout(value.text)) && !looksLikePassword(value.text))
        return;
      const end = place.until === undefined ? -1 : value.text.indexOf(place.until);
      takeAhead(scan, value.start, value.start + (end > 0 ? end : value.text.length), ID);
    });
  }
}
