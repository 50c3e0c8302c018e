// The output of a command whose purpose is to show a secret: `printenv DB_PASSWORD`, `gh auth token`, `pass show x`, `cat
// /run/secrets/db`. Nothing in the output says what it is, so the command beside it is asked.
import type { Json, JsonObject } from '../core/index.ts';
import { count, type RedactionCounts } from './counts.ts';
import { MEDIUM, type SenseOf } from './key-names.ts';
import { encodeMarker, hasMarker } from './marker.ts';
import { isSecretFile } from './secret-files.ts';
import { isDigest, looksLikePassword, looksRandom } from './secret-shape.ts';

const ID = 'secret';
const LONGEST_COMMAND = 8192;
const LONGEST_SECRET = 65_536;
const DEEPEST = 8;

/** Programs that print a secret, with the words that make them do so. */
const PRINTERS = [
  String.raw`(?:gh|glab|fly|flyctl|databricks)\s+auth\s+token\b`,
  'heroku\\s+auth:token\\b',
  String.raw`gcloud\s+(?:\S+\s+)?auth\s+(?:application-default\s+)?print-(?:access|identity|refresh)-token\b`,
  String.raw`gcloud\s+(?:\S+\s+)?secrets\s+versions\s+access\b`,
  String.raw`(?:go)?pass\s+(?:show\s+|otp\s+)?(?!insert|generate|edit|rm|mv|cp|git|init|ls|list|find|grep|help|version|-)\S`,
  String.raw`op\s+read\b`,
  String.raw`op\s+item\s+get\s.*--(?:fields|otp|reveal)`,
  String.raw`bw\s+(?:get\s+(?:password|totp|notes)|(?:unlock|login)\b.*--raw)`,
  String.raw`lpass\s+show\s.*--(?:password|notes|field)`,
  String.raw`vault\s+(?:kv\s+get|read)\s.*-field\b`,
  String.raw`vault\s+print\s+token\b`,
  String.raw`aws\s.*\b(?:get-secret-value|get-parameters?\b.*--with-decryption)\b.*(?:--query|text)`,
  String.raw`aws\s.*\b(?:get-login-password|get-authorization-token)\b`,
  String.raw`az\s.*\b(?:keyvault\s+secret\s+show|get-access-token)\b.*(?:--query|tsv)`,
  String.raw`(?:kubectl|oc)\s.*\bget\s+secrets?\b.*(?:jsonpath|template|custom-columns)`,
  String.raw`(?:kubectl|oc)\s.*\bcreate\s+token\b`,
  String.raw`oc\s+whoami\s+(?:-t|--show-token)`,
  String.raw`security\s+find-(?:generic|internet)-password\s.*-\w*w`,
  String.raw`secret-tool\s+lookup\b`,
  String.raw`keyring\s+get\b`,
  String.raw`keyctl\s+(?:print|pipe)\b`,
  String.raw`doppler\s+secrets\s+get\s.*--plain`,
  String.raw`kubeadm\s+token\s+create\b`,
  String.raw`docker\s+swarm\s+join-token\b.*\s-q`,
  String.raw`sops\s.*--extract\b`,
  String.raw`(?:ansible-vault\s+view|wg\s+(?:genkey|genpsk))\b`,
];
/** Built when it is first asked for: hooks load this file and most never need it. */
let printer: RegExp | undefined;
/** Programs that print what the name, the last word of the match, stands for. */
const NAMED =
  /^(?:printenv\s+|terraform\s+output\s+-raw\s+|(?:git|npm|yarn|pnpm|pulumi|gcloud|poetry|composer)\s+config\s+(?:--?\S+\s+)*get\s+(?:--?\S+\s+)*(?:\S*:)?|git\s+config\s+(?:--?\S+\s+)*--get\s+|heroku\s+config:get\s+|jq\s+(?:-\w+\s+)*-\w*r\w*\s+["']?[\w.[\]"-]*?\.)([\w.-]{2,64})/;
const ECHO = /^(?:echo|printf|print)\s/;
const VARIABLE = /\$(?:\{([A-Za-z_]\w{1,63})(?!:?\+)|([A-Za-z_]\w{1,63}))/g;
const READER =
  /^(?:cat|bat|head|tail|less|more|type|Get-Content)\s+((?:-\S+\s+|\d+\s+)*)(["']?)([^\s"'|<>]{2,256})\2\s*$/;
/** What may stand behind a pipe and still prints the secret. */
const PASSES =
  /^(?:head|tail|cat|tr|base64|cut|sed|awk|jq|tee|xxd|less|more|strings|grep|python3?|perl|openssl\s+base64)\b/;
/** What prints nothing by itself. */
const QUIET =
  /^(?:cd|export|set|source|\.|unset|mkdir|true|sleep|test|\[|umask|[A-Za-z_]\w*=\S*$)(?:\s|$)|^$/;
const LEAD = /^(?:\s|sudo\s+|command\s+|time\s+|[A-Za-z_]\w*=\S*\s+)+/;
const COMPLAINT =
  /\b(?:error|not found|no such|denied|usage|not logged|unable|failed|is not|cannot|can't)\b/i;

/** `whole` where nothing else printed anything. */
type Shown = 'whole' | 'some' | undefined;

/** Does the command print a secret? */
export function showsSecret(command: string, senseOf: SenseOf): Shown {
  let found = false;
  let others = false;
  for (const piece of command.slice(0, LONGEST_COMMAND).split(/&&|\|\||[;\n]/)) {
    const [first = '', ...rest] = piece.split('|').map((stage) => stage.replace(LEAD, '').trim());
    if (rest.every((stage) => PASSES.test(stage)) && isPrinter(first, senseOf)) found = true;
    else if (!QUIET.test(first)) others = true;
  }
  if (!found) return undefined;
  return others ? 'some' : 'whole';
}

function isPrinter(stage: string, senseOf: SenseOf): boolean {
  printer ??= new RegExp(`^(?:${PRINTERS.join('|')})`);
  if (printer.test(stage)) return true;
  const promises = (name: string) => senseOf(name, 0, name.length).level >= MEDIUM;
  const named = NAMED.exec(stage)?.[1];
  if (named !== undefined) return promises(named);
  if (ECHO.test(stage)) {
    // Between single quotes nothing is put in a variable's place.
    for (const [, braced, plain] of stage.replace(/'[^']*'/g, '').matchAll(VARIABLE))
      if (promises(braced ?? plain ?? '')) return true;
    return false;
  }
  const path = READER.exec(stage)?.[3];
  return path !== undefined && isSecretFile(path, senseOf);
}

/** What a call is known by: the command that it ran, or the file that it read. */
export interface CallMade {
  readonly command: string | null;
  readonly paths: readonly string[];
}

/** The members of a host's output that hold what was printed. */
const TEXTS: ReadonlySet<string> = new Set(
  'stdout output content text result llmContent returnDisplay aggregated_output formatted_output'.split(' '),
);

/** The output without the secret that the call was made for; the very output where there is none. */
export function withoutPrinted(
  output: Json,
  { command, paths }: CallMade,
  senseOf: SenseOf,
  counts: RedactionCounts | undefined,
): Json {
  const shown = command === null ? undefined : showsSecret(command, senseOf);
  const isFile = command === null && paths.length === 1 && isSecretFile(paths[0] ?? '', senseOf);
  if (shown === undefined && !isFile) return output;
  const mark = (): string => {
    if (counts !== undefined) count(counts, ID);
    return encodeMarker(ID);
  };
  const clean = (text: string): string => {
    if (isFile)
      return text.replace(/^(\s*(?:\d+[→\t])?)(\S{4,})(\s*)$/, (_, a, _b, c) => `${a}${mark()}${c}`);
    if (shown === 'some')
      return text
        .split('\n')
        .map((line) => withoutWords(line, mark))
        .join('\n');
    const printed = text.trim();
    if (printed === '' || printed.length > LONGEST_SECRET || hasMarker(printed)) return text;
    return /\s/.test(printed) && COMPLAINT.test(printed) ? text : text.replace(printed, mark);
  };
  const walk = (json: Json, isText: boolean, depth: number): Json => {
    if (typeof json === 'string') return isText ? clean(json) : json;
    if (typeof json !== 'object' || json === null || depth > DEEPEST) return json;
    if (Array.isArray(json)) return (json as readonly Json[]).map((item) => walk(item, isText, depth + 1));
    return Object.fromEntries(
      Object.entries(json as JsonObject).map(([name, member]) => [
        name,
        walk(member, TEXTS.has(name), depth + 1),
      ]),
    );
  };
  return walk(output, true, 0);
}

/** Among what other commands printed, a line that is one word and looks like a secret, and words that look random. */
function withoutWords(line: string, mark: () => string): string {
  if (hasMarker(line)) return line;
  const word = line.trim();
  if (!/\s/.test(word)) return looksLikePassword(word) || isDigest(word) ? line.replace(word, mark) : line;
  return line.replace(/[^\s"'=:,;()]{16,}/g, (piece) => (looksRandom(piece) ? mark() : piece));
}
