// What a prompt names: paths, URLs, words in backticks, commands. Parsed, not guessed at by a bag of words: evidence
// is bound to these fields, so what is taken for a path by mistake would bind to nothing or to too much.
// The prompt is the user's, but may quote anything: one pass, no backtracking, bounded lists.

import { type CodeSpan, commandHints, intentOf, isCommand, readMarkup } from '../claims/index.ts';
import { wordSet } from '../core/index.ts';
import type { TargetFields } from '../format/index.ts';

export const MAX_ITEMS = 32;
export const MAX_ITEM = 256;
/** Longer words are data. */
const MAX_WORD = 2048;

const PATH_ENDINGS =
  wordSet(`ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi ipynb rb erb go rs java kt kts scala groovy gradle cs fs vb
  php c h cc cpp cxx hpp hh mm swift dart ex exs erl elm clj hs ml lua pl jl sh bash zsh bats ps1 bat sql zig nim
  md mdx markdown txt rst adoc html htm css scss sass less json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf xml svg
  csv tsv lock mod sum proto graphql gql tf hcl prisma env log snap diff patch png jpg jpeg gif webp pdf zip tar gz
  csproj sln pbxproj lockb sol r m props mk cmake wasm pem crt key feature robot plist service example sample template tmpl j2 ejs hbs
  cshtml razor parquet xlsx docx pptx sqlite ico`);
/** Names of things that end like a file. */
const NOT_A_FILE =
  wordSet(`node.js next.js vue.js nuxt.js express.js react.js three.js d3.js chart.js ember.js backbone.js alpine.js nest.js
  electron.js discord.js moment.js p5.js require.js solid.js angular.js svelte.js deno.js bun.js
  console.log math.log np.log logger.log this.log res.json response.json req.json request.json process.env meta.env
  asp.net a.m p.m e.g. i.e.`);
const PLAIN_FILES =
  wordSet(`Makefile GNUmakefile Dockerfile Containerfile Rakefile Gemfile Procfile Jenkinsfile Vagrantfile Justfile justfile
  LICENSE LICENCE README CHANGELOG CODEOWNERS CMakeLists.txt BUILD.bazel WORKSPACE Pipfile Brewfile Caddyfile Tiltfile`);
/** Where a path without an ending starts, if it is one. */
const FIRST_PARTS =
  wordSet(`src lib test tests __tests__ spec specs app apps packages pkg internal cmd docs doc scripts bin examples components
  config configs public static assets tools include crates modules services backend frontend migrations e2e fixtures
  node_modules dist build hooks plugins resources templates pages routes`);
const ROOT_PARTS =
  wordSet(`etc usr var home tmp opt root users srv mnt bin lib dev proc sys work workspace workspaces app data private
  volumes repo repos src media run boot project projects code`);
const MEDIA_TYPES = wordSet('application text image audio video multipart font');

export interface NamedThings {
  readonly fields: TargetFields;
  /** The paths that the prompt names itself, not within a command or a pasted block: what it is about. */
  readonly asked: readonly string[];
  readonly prose: string;
}

export function readTargetFields(prompt: string): NamedThings {
  const { prose, spans, fenced } = readMarkup(prompt.replace(DIFFED, '$1$2'));
  const [paths, urls, inCommands] = [collect(), collect(), collect()];
  const rest = takeUrls(prose, urls);
  const lines = rest.split('\n');
  // Words and spans in the order in which they stand, so that the first named is the first bound.
  const words: { at: number; text: string; code: boolean }[] = [];
  const plain = takeSpaced(rest, (at, text) => words.push({ at, text, code: true }));
  for (const { 0: text, index } of plain.matchAll(/\S+/g))
    if (text.length <= MAX_WORD) words.push({ at: index, text, code: false });
  for (const { at, text } of spans) words.push({ at, text, code: true });
  const made = new Set<string>();
  const isRun = (at: number): boolean => RUN.test(prose.slice(Math.max(0, at - LONGEST_LEAD), at));
  for (const { at, text, code } of words.sort((a, b) => a.at - b.at)) {
    const before = paths.size();
    if (code) readSpan(text, paths, urls, inCommands, isRun(at));
    else
      for (const word of SCOPE.exec(text)?.[1]?.split(',') ?? text.split(GLUED).flatMap(unfolded))
        paths.add(barePath(word));
    const lead = prose.slice(Math.max(0, at - LONGEST_LEAD), at);
    const after = prose.slice(at + text.replace(/[.,;:!?)]+$/, '').length, at + text.length + LONGEST_LEAD);
    if (paths.size() > before && (MADE.test(lead) || (NEW.test(lead) && OF_FILE.test(after))))
      for (const path of paths.items().slice(before)) made.add(path);
  }
  const commands = spans.filter(({ text }) => spacedPath(text) === null);
  const hints = commandHints(lines, commands, fenced, isRun);
  const asked = paths.items().filter((path) => !made.has(path));
  for (const path of inCommands.items()) paths.add(path);
  for (const { text } of fenced) {
    for (const word of takeUrls(text, collect()).split(/\s+/))
      if (word.length <= MAX_WORD && !/node_modules|site-packages/.test(word)) paths.add(barePath(word));
  }
  return {
    fields: {
      paths: paths.items(),
      urls: urls.items(),
      backtick_tokens: tokensOf(spans),
      command_hints: hints,
      keywords: keywordsOf(rest),
    },
    asked,
    prose: rest,
  };
}

/** In a diff the two states of one file. */
const DIFFED = /^(--- |\+\+\+ |diff --git )[ab]\/(\S+)(?: b\/\S+)?/gm;
/** Between a path and what stands right beside it: `a.ts;b.ts`, `[the parser](src/a.ts)`, `<p>a.ts</p>`, `修复a.ts中的`. */
const GLUED =
  /[;<→]|-?>|\]\(|(?<=\.\w{1,5})(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])|(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?=[\w./-]{1,256}\.\w)/u;
/** `fix(src/sum.js): …`, as the title of a commit says where. */
const SCOPE = /^[a-z]+\(([^()]+)\)!?:$/;
/** Before a file that is to be made: it is not there to be had. */
const MADE =
  /\b(?:(?<!look |looking |dig |digging )into|create|generate|produce|(?:write|save|export|output|dump)(?: (?:it|them|this|that|the \w+))? (?:to|as|in)|called|named)\s+(?:(?:an?|the|new|file)\s+){0,3}[`"']?$/i;
/** "Add a `docs/guide.md` with …", "in a new `a.md`". */
const NEW =
  /\b(?:(?:add|write|make|draft|need|want|and)\s+(?:me\s+|us\s+)?an?\s+(?:[a-z-]+\s+)?|new\s+)(?:file\s+)?[`"']?$/i;
/** "Add a `.env` entry" makes none. */
const OF_FILE =
  /^[`"']?(?:[.,;:!?)]|\s*$|\s+(?:file|with|that|which|for|and|or|in|at|into|under|from|where|so|then|as|of|on|by|[a-z]+ing)\b)/;
const LONGEST_LEAD = 64;
/** Before a command: "Run `report input.csv`". */
const RUN = /\b(?:re-?)?(?:run|execute|call|start)\s+$/i;

interface Found {
  add(item: string | null): void;
  items(): string[];
  size(): number;
}

/** A list without repetitions that stops growing. */
function collect(): Found {
  const items = new Set<string>();
  return {
    add(item) {
      if (item !== null && item !== '' && item.length <= MAX_ITEM && items.size < MAX_ITEMS) items.add(item);
    },
    items: () => [...items],
    size: () => items.size,
  };
}

function tokensOf(spans: readonly CodeSpan[]): string[] {
  const found = collect();
  for (const { text } of spans) found.add(text.slice(0, MAX_ITEM));
  return found.items();
}

function readSpan(text: string, paths: Found, urls: Found, inCommands: Found, isRun: boolean): void {
  const rest = takeUrls(text, urls).trim();
  if (rest === '') return;
  const spaced = isRun && !rest.includes('/') ? null : spacedPath(rest);
  if (spaced !== null || !/\s/.test(rest)) {
    for (const word of unfolded(rest)) paths.add(spaced ?? codePath(word));
    return;
  }
  if (!isCommand(rest)) return;
  const words = takeSpaced(rest.replace(FILTER, ' '), (_, path) => inCommands.add(spacedPath(path)));
  for (const word of words.split(/\s+/).slice(1))
    inCommands.add(barePath(word) ?? codePath(word.replace(/::.*$/s, '')));
}

/** Of JSON: `jq .ok`. */
const FILTER = /(?<!\S)[jy]q(?: -\S+){0,8} \S+/g;

/** `{src,test}/a.ts` names two. */
function unfolded(word: string): string[] {
  const [, before = '', inner, after = ''] =
    /^([^{}]*)\{([\w.-]+(?:,[\w.-]+){1,7})\}([^{}]*)$/.exec(word) ?? [];
  return inner?.split(',').map((each) => `${before}${each}${after}`) ?? [word];
}

/** In quotes, or with its blanks escaped. */
const SPACED =
  /(?<![\w"'“‘])(?:"([^"\n]{3,256})"|'([^'\n]{3,256})'(?!\w)|“([^”\n]{3,256})”|‘([^’\n]{3,256})’)|(?<!\S)[^\s\\]+(?:\\ [^\s\\]+)+/g;

/** Gives each path with blanks in it to `take`, and returns the text with blanks in its place. */
function takeSpaced(text: string, take: (at: number, path: string) => void): string {
  return text.replace(SPACED, (whole: string, ...groups: unknown[]) => {
    const quoted = groups.slice(0, 4).find((group) => typeof group === 'string');
    const given = typeof quoted === 'string' ? quoted : trimEnd(whole);
    if (spacedPath(given) === null) return whole;
    take(groups[4] as number, given);
    return ' '.repeat(whole.length);
  });
}

/** What is run lies there: "bin/rails test models/a.rb" is a command. */
const PROGRAM_PLACES = /(?:^|\/)\.?(?:s?bin|scripts?|tools|hack)\//;
/** Quoted with a file's name at its end, these tell of the file, or do something with it: "cannot find a.js". */
const SAID =
  wordSet(`the this that is are was not no cannot can failed fails missing in at on to from of for with by into and or but
  error module file uses using cat ls rm cp mv touch vim less grep sed diff source echo code`);

/**
 * One path that has blanks in it; null where it is none, or where a path stands among words: "src/a.js and src/b.js", "run
 * src/a.js". A blank that is escaped is of the path whatever stands around it.
 */
function spacedPath(text: string): string | null {
  const path = withoutLine(text.replaceAll('\\ ', ' '));
  const [first = '', ...others] = path.split(' ');
  if (others.length === 0) return null;
  if (!text.includes('\\ ')) {
    const isOther = (word: string): boolean =>
      /^-|^$/.test(word) || FIRST_PARTS.has(word.replace(/\/.*/s, ''));
    const isBegun = /[/\\]/.test(first)
      ? !PROGRAM_PLACES.test(first) && !ENDS.test(first) && (!first.startsWith('./') || path.includes('/', 2))
      : isSpacedName(path);
    if (!isBegun || others.some(isOther) || !ENDS.test(path)) return null;
  }
  return barePath(path.replaceAll(' ', BLANK))?.replaceAll(BLANK, ' ') ?? null;
}

/** Of a file or a folder. */
const ENDS = /\/$|\.\w+$/;

/** "my notes.md", "Screenshot 2024-05-01 at 10.00.00.png": a name that begins with a word, and neither an order nor a sentence. */
function isSpacedName(text: string): boolean {
  const words = text.replace(/ at (?=\d)/, ' ').split(' ');
  const [first = ''] = words;
  const most = /^[\p{Lu}\d]/u.test(first) ? 4 : 3;
  const isSaid = words
    .slice(0, -1)
    .some((word) => SAID.has(word.toLowerCase()) || /[:,]$/.test(word) || hasEnding(word));
  return words.length <= most && !isSaid && intentOf(first) === 'other' && !isCommand(text);
}

/** Stands for a blank where a path has none. */
const BLANK = '~~';

const END_MARKS = '.,;:!?*_)>]}…"\'”’';
/** Of pages, and of databases: what is behind one of these is reached by its own client. */
const SCHEME = /(?:https?|ftp|wss?|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\//gi;
const LOCAL = /(?<![\w.-])(?:localhost|127\.0\.0\.1):\d{2,5}(?:\/[^\s<>"'`)]*)?/g;

/** Adds the URLs of a text, and returns it without them. */
function takeUrls(text: string, urls: Found): string {
  let rest = '';
  let from = 0;
  for (const { index } of text.matchAll(SCHEME)) {
    if (index < from) continue;
    const url = trimEnd(text.slice(index, urlEnd(text, index)));
    if (!/^[a-z+]+:\/\/[^/\s]/i.test(url)) continue;
    urls.add(url.slice(0, MAX_ITEM));
    rest += `${text.slice(from, index)} `;
    from = index + url.length;
  }
  rest += text.slice(from);
  return rest.replace(LOCAL, (url) => {
    urls.add(trimEnd(url).slice(0, MAX_ITEM));
    return ' ';
  });
}

/** Up to white space, a quote, or a bracket that was not opened within: the redactor puts a password's place into brackets. */
function urlEnd(text: string, start: number): number {
  let [open, square, curly] = [0, 0, 0];
  for (let i = start; i < text.length; i++) {
    const char = text.charAt(i);
    if (/[\s<>"'`|\\^]/.test(char)) return i;
    if (char === '{') curly++;
    else if (char === '}' && --curly < 0) return i;
    if (char === '[') square++;
    else if (char === ']' && --square < 0) return i;
    if (char === '(') open++;
    else if (char === ')' && --open < 0) return i;
  }
  return text.length;
}

/** Without the sentence's own punctuation; a bracket that the text itself opens is its own. */
function trimEnd(text: string): string {
  const marks = ['()', '[]', '{}'].reduce(
    (all, [open = '', close = '']) => (text.includes(open) ? all.replace(close, '') : all),
    END_MARKS,
  );
  let end = text.length;
  while (end > 0 && marks.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function trimStart(text: string): string {
  let start = 0;
  // `_a.ts_` is emphasised, `_a.ts` is a name.
  const marks = /_[.,;:!?)]*$/.test(text) ? '([{<"\'*_“‘' : '([{<"\'*“‘';
  while (start < text.length && marks.includes(text.charAt(start))) start++;
  return text.slice(start);
}

/** `src/a.ts:42`, `src/a.ts:42:7`, `src/a.ts#L3-L9`, `src/a.ts(4,2)`, `tests/a.py::test_b` without what follows the path. */
function withoutLine(text: string): string {
  return text
    .replace(/::.*$/s, '')
    .replace(/#L\d+(?:-L?\d+)?$|(?<=\.\w{1,5})[#:][a-z][\w-]*$/, '')
    .replace(/:\d+(?:[-:]\d+)?:?$/, '')
    .replace(/\(\d+(?:,\d+)?\)$/, '');
}

function barePath(word: string): string | null {
  const cut = trimEnd(trimStart(word)).replace(/['’]s$/, '');
  // A mention names a file; a name in a registry or of a person has no ending.
  const text = normalised(withoutLine(cut.replace(/^(?:@|file:\/\/(?=\/))/, '')));
  if (text === null) return null;
  if (PLAIN_FILES.has(text.replace(/(?<=^(?:Docker|Container|Make)file)\.[\w-]+$/, ''))) return text;
  const parts = text.split('/');
  if (parts.length === 1) return isFileName(text) ? text : null;
  if (!isPathText(parts)) return null;
  const first = parts[0] ?? '';
  if (['.', '..', '~'].includes(first)) return text;
  if (first === '') return isAbsolute(parts) ? text : null;
  if (hasEnding(parts.at(-1) ?? '') || PLAIN_FILES.has(parts.at(-1) ?? '')) return text;
  if (/^\.[a-z]/.test(first) && !cut.startsWith('@')) return text;
  return (FIRST_PARTS.has(first) || parts.at(-1) === '') && /[a-z]/.test(first) ? text : null;
}

/** In backticks a slash is enough, where it is not a media type, a branch of a remote, a package or a number. */
function codePath(word: string): string | null {
  const bare = barePath(word);
  if (bare !== null || /^[\w.-]+\\/.test(word)) return bare;
  const text = normalised(withoutLine(word));
  if (text === null || text.startsWith('@') || text.startsWith('/')) return null;
  const parts = text.split('/');
  if (parts.length < 2 || !isPathText(parts) || parts.some((part) => /^v?\d[\d.]*$/.test(part))) return null;
  const first = parts[0] ?? '';
  return MEDIA_TYPES.has(first) || first === 'origin' || first === 'upstream' || first.length < 2
    ? null
    : text;
}

/** `src/[id]/page.tsx`, `[...slug].ts`, `app/(shop)/page.tsx`: a part of a route that stands for any, or for none. */
const PARAMETER = /\[{1,2}(?:\.{3})?[\w-]{1,80}\]{1,2}|(?<=^|\/)\((?:\.{1,3}|[\w-]{1,80})\)/g;

/** With slashes alone; null where it can't be a path. */
function normalised(text: string): string | null {
  if (text === '' || text.length > MAX_ITEM) return null;
  const windows = /^[A-Za-z]:[\\/]/.test(text) || /^[\w.-]+(?:\\[\w.-]+)+$/.test(text);
  const path = windows ? text.replaceAll('\\', '/') : text;
  const plain = (windows ? path.slice(2) : path).replace(PARAMETER, '');
  return /[\s:;,|<>"'`?#=&%!{}()[\]\\^]/.test(plain) ? null : path;
}

function isPathText(parts: readonly string[]): boolean {
  return (
    parts.every((part, i) =>
      part === ''
        ? i === 0 || i === parts.length - 1
        : (i === 0 && /^[A-Za-z]:$/.test(part)) ||
          /^[\w.@+~*-]+$/.test(part.replace(PARAMETER, 'x')) ||
          /^\p{L}[\w\p{L}.-]*$/u.test(part),
    ) && parts.some((part) => /[\p{L}]/u.test(part))
  );
}

/** A route of a web service looks the same: a file has an ending or lies where files lie. */
function isAbsolute(parts: readonly string[]): boolean {
  const last = parts.at(-1) ?? '';
  if (hasEnding(last) || PLAIN_FILES.has(last)) return true;
  return parts.length > 2 && ROOT_PARTS.has((parts[1] ?? '').toLowerCase());
}

function isFileName(text: string): boolean {
  if (NOT_A_FILE.has(text.toLowerCase())) return false;
  if (text.startsWith('.'))
    return (/^\.[a-z][\w.-]+$/.test(text) && !PATH_ENDINGS.has(text.slice(1))) || text === '.env';
  return hasEnding(text);
}

/** An ending that files have, after a name that has a letter. */
function hasEnding(name: string): boolean {
  const dot = name.lastIndexOf('.');
  if (dot < 1) return /^\.[a-z]{2}/.test(name);
  const stem = name.slice(0, dot);
  return (
    PATH_ENDINGS.has(name.slice(dot + 1).toLowerCase()) &&
    /\p{L}|^\d{2}/u.test(stem) &&
    /[\p{L}\p{N}_\])-]$/u.test(stem)
  );
}

const STOP_WORDS =
  wordSet(`this that these those with from into have your please would could should there their about after before when where
  which while they them then than what also make sure just like need needs want does done will been being some such only
  very more most here were because every each other`);

/** What the redactor left in the place of a secret is no word of the prompt. */
const MARKER = /\[REDACTED:[a-z][a-z0-9-]{0,63}\](?:#\d{1,9})?/g;

function keywordsOf(prose: string): string[] {
  const found = collect();
  for (const { 0: word } of prose
    .replace(MARKER, ' ')
    .matchAll(/(?<![\p{L}\p{N}_])\p{L}[\p{L}\p{N}_-]{3,40}(?![\p{L}\p{N}_])/gu)) {
    const lower = word.toLowerCase();
    if (!STOP_WORDS.has(lower)) found.add(lower);
    if (found.size() >= MAX_ITEMS) break;
  }
  return found.items();
}
