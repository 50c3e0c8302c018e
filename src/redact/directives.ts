// Directives of a web server that set a header or a variable, without a sign between the name and the value: nginx's
// `proxy_set_header Authorization "Basic …";` and `fastcgi_param DB_PASSWORD …;`, HAProxy's `set-header`, Apache's
// `RequestHeader set` and `SetEnv`.
import type { SenseOf } from './key-names.ts';
import { MEDIUM } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { codeAt, isAlnum, type Probe, takeAhead } from './scan.ts';
import { isDigest, looksLikePassword } from './secret-shape.ts';
import { isLiteralWord, readWord } from './shell-words.ts';

/** A rare place within the directives' names. */
export const DIRECTIVE_PARTS = ['t_h', 'd_h', 'i_p', 't-h', 'stH', 'etE'];
const LONGEST = 16;
const DIRECTIVE =
  /(?:(?:proxy|grpc)_set_header|add_header|(?:fastcgi|uwsgi|scgi)_param|(?:set|add)-header|RequestHeader[ \t]+(?:set|add|append|setifempty)|SetEnv)[ \t]+(["']?)([\w.-]{2,64})\1[ \t]+/y;
const SCHEME = /^(?:bearer|basic|token|digest|apikey|key|bot|oauth|ssws) +(?=\S{6})/i;

/** A probe for these. */
export function directiveProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    let start = at;
    while (at - start < LONGEST && isNameCode(codeAt(scan, start - 1)) && start > scan.floor) start--;
    DIRECTIVE.lastIndex = start;
    const name = DIRECTIVE.exec(text)?.[2];
    if (name === undefined) return;
    const sense = senseOf(name, 0, name.length);
    if (sense.level < MEDIUM) return;
    const value = readWord(text, DIRECTIVE.lastIndex);
    if (!isLiteralWord(value) || hasMarker(value.text)) return;
    const scheme = SCHEME.exec(value.text)?.[0].length ?? 0;
    const secret = value.text.slice(scheme);
    if (!isLiteralWord({ ...value, text: secret })) return;
    if (scheme === 0 && sense.id !== 'password' && !looksLikePassword(secret) && !isDigest(secret)) return;
    takeAhead(scan, value.start + scheme, value.start + value.text.length, sense.id);
  };
}

function isNameCode(code: number): boolean {
  return isAlnum(code) || code === 95 || code === 45;
}
