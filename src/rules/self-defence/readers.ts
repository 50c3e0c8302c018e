// Programs that only read the files they are given, and the options with which they do not. Every other program that is
// given a file of ours is taken to change it: no list of writers is ever complete, and what reads is easier to know.

import { wordSet } from '../../core/index.ts';
import { each } from '../../ecosystems/index.ts';
import { programOf } from '../../shell/index.ts';

/** Without an option that writes, in any version that is about. */
const PLAIN = wordSet(
  `cat tac nl less more most head tail bat batcat grep egrep fgrep zgrep bzgrep xzgrep rg ag ack ack-grep ls dir vdir eza exa
  lsd stat wc diff colordiff sdiff diff3 cmp comm md5sum sha1sum sha224sum sha256sum sha384sum sha512sum md5
  cksum sum hexdump od strings file du df realpath readlink basename dirname test [ [[ ( echo printf which type whereis
  man info tldr cd pushd popd pwd export declare local readonly typeset unset read true false : sleep date cut paste join
  fold fmt column tr tsort expand unexpand pr look seq jq gojq jaq zcat bzcat xzcat zstdcat zless lsattr getfacl lsof pgrep
  pidof ps open xdg-open code subl ldd nm size namei mimetype identify exiftool source . shellcheck yamllint jsonlint
  ajv check-jsonschema tokei cloc scc hash alias unalias ulimit umask wait jobs fg bg kill pkill killall exit return mdcat
  glow pygmentize delta difft vimdiff-less tree-sitter history compgen complete`,
);

/** The options, as a whole word or at its beginning, by which it writes, runs or removes. */
const UNLESS: Readonly<Record<string, RegExp>> = {
  ...each('sort shuf tree', () => /^-[a-zA-Z]*o|^--output/),
  ...each('shasum b2sum b3sum', () => /^$/),
  yq: /^-[a-zA-Z]*i|^--in-?place|^--split-exp|^-s/,
  ...each('tomlq xq', () => /^-[a-zA-Z]*i|^--in-?place/),
  xmllint: /^--output/,
  ...each('fd fdfind', () => /^-[a-zA-Z]*[xX]|^--exec/),
  prettier: /^-[a-zA-Z]*w|^--write/,
  ...each('eslint stylelint', () => /^--fix|^-o|^--output-file/),
  biome: /^--(?:write|fix|apply|suppress)|^format$/,
  markdownlint: /^-[a-zA-Z]*[fo]|^--(?:fix|output)/,
  gh: /^-[OD]|^--(?:output|dir|clobber)/,
  glab: /^-[OD]|^--(?:output|dir)/,
};

/** Does the program do no more than read its files? */
export function onlyReads(argv: readonly string[]): boolean {
  const { name, args } = programOf(argv);
  if (PLAIN.has(name)) return true;
  const unless = Object.hasOwn(UNLESS, name) ? UNLESS[name] : undefined;
  if (unless !== undefined) return !args.some((arg) => unless.test(arg));
  const bare = args.filter((arg) => !arg.startsWith('-'));
  // With a second file they write to it.
  if (name === 'uniq' || name === 'xxd') return bare.length < 2 && !args.some((arg) => /^-\w*r/.test(arg));
  const at = args.indexOf('-m');
  return /^python[\d.]*$/.test(name) && args[at + 1] === 'json.tool' && at >= 0 && bare.length < 3;
}
