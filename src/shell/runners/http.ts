// Requests: what was asked, and how the answer's status can be read from the output. An exit code of 0 says that there
// was an answer; only a status that the client itself printed says which.

import { each, found, type Reader, type Table } from '../../ecosystems/index.ts';
import type { Found } from '../facts.ts';

const CURL =
  ' -o --output -H --header -d --data --data-raw --data-binary --data-urlencode --data-ascii --json -X --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -F --form --form-string -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out -x --proxy -T --upload-file -K --config -E --cert --key --cacert --capath --resolve --connect-to --unix-socket -r --range --limit-rate --max-redirs --interface --ciphers -D --dump-header --output-dir -Y -y -z --time-cond --proto --proto-redir --url-query --trace --trace-ascii --stderr --noproxy --socks5 --dns-servers --aws-sigv4 --oauth2-bearer --rate -C --continue-at -Q --quote -t --telnet-option -P --ftp-port --fail-early_ ';
const WGET =
  ' -O --output-document -o --output-file -a --append-output -P --directory-prefix -U --user-agent --header --post-data --post-file --method --body-data --body-file --user --password -t --tries -T --timeout --wait -w -e --execute --referer --ca-certificate -i --input-file --load-cookies --save-cookies -Q --quota -l --level -A -R -D --domains -I -X ';
const HTTPIE =
  ' -a --auth -A --auth-type -o --output -p --print --session -s --style --timeout --proxy --verify --cert --max-redirects --pretty --boundary --raw --response-charset ';

export function isUrl(word: string): boolean {
  return /^https?:\/\/\S/i.test(word);
}

/** What curl takes for a URL: anything with a host. */
function looksLikeHost(word: string): boolean {
  return (
    isUrl(word) ||
    /^(?:localhost|\[[0-9a-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?].*)?$/i.test(word) ||
    /^:\d*\//.test(word)
  );
}

/** The bare words of a client's arguments: its URLs, and for httpie its method and items. */
function bareWords(args: readonly string[], values: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg);
      continue;
    }
    if (arg === '--url') continue;
    const cluster = arg.length > 2 && arg[1] !== '-';
    // `-sXPOST`, `-so /dev/null`: the first short option that takes a word takes the rest, or the next.
    const taking = cluster ? [...arg.slice(1)].findIndex((letter) => values.includes(` -${letter} `)) : -1;
    if (cluster ? taking === arg.length - 2 : values.includes(` ${arg} `)) at++;
  }
  return words;
}

const client =
  (name: string, values: string): Reader =>
  (args): Found | null => {
    if (args.some((arg) => arg === '--version' || arg === '-V' || arg === '--help'))
      return found('http', name, { dry: args[0] ?? '' });
    const words = bareWords(args, values).filter(
      (word) => !/^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/i.test(word),
    );
    const url = words.find(isUrl) ?? words.find(looksLikeHost) ?? words.find((word) => word.startsWith('$'));
    return url === undefined ? null : found('http', name, { url });
  };

export const HTTP: Table = {
  ...each('curl curlie', () => client('curl', CURL)),
  wget: client('wget', WGET),
  ...each('http https xh xhs', (name) => client(name, HTTPIE)),
};

/** How the status of the answer can be seen. */
export interface Tells {
  /** Status lines stand before the body, or among what is told of the connection. */
  readonly headers: boolean;
  /** What curl writes when it is done. */
  readonly written: string | null;
}

export function tellsOf(runner: string, args: readonly string[]): Tells {
  if (runner === 'wget')
    return {
      headers: !has(args, 'q', '--quiet') || has(args, 'S', '--server-response'),
      written: null,
    };
  if (runner !== 'curl') {
    const prints =
      args.some((arg) => /^(?:-v|--verbose|-h|--headers|--all|-p.*h.*|--print=?.*h.*)$/.test(arg)) ||
      /^(?:h|H|hb|HhBb)/.test(args[args.indexOf('--print') + 1] ?? '');
    return { headers: prints, written: null };
  }
  const at = args.findIndex((arg) => arg === '-w' || arg === '--write-out' || /^-[a-zA-Z]*w$/.test(arg));
  const attached = args.map((arg) => /^--write-out=(.*)$/s.exec(arg)?.[1]).find((text) => text !== undefined);
  return {
    headers:
      has(args, 'i', '--include', '--show-headers') ||
      has(args, 'I', '--head') ||
      has(args, 'v', '--verbose') ||
      isToStdout(args),
    written: attached ?? (at < 0 ? null : (args[at + 1] ?? null)),
  };
}

/** `-D -` or `-D /dev/stdout`. */
function isToStdout(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => arg === '--dump-header' || /^-[a-zA-Z]*D$/.test(arg));
  return at >= 0 && /^(?:-|\/dev\/(?:stdout|stderr))$/.test(args[at + 1] ?? '');
}

/** A flag by its letter, alone or among others, or by a long name. */
function has(args: readonly string[], letter: string, ...names: string[]): boolean {
  const cluster = new RegExp(`^-[a-zA-Z#]*${letter}`);
  return args.some(
    (arg, at) =>
      names.includes(arg) ||
      (cluster.test(arg) && !arg.startsWith('--') && !CURL.includes(` ${args[at - 1] ?? ''} `)),
  );
}
