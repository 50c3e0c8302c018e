// Commands that a prompt names: in backticks, in fenced blocks, after "run", or in plain words. A word is a command where
// its program is one that people run to check or ship something; nothing is executed or expanded here.

import { wordSet } from '../../core/index.ts';
import { kindOf, toolOf } from '../../ecosystems/index.ts';
import { isWord } from '../../shell/index.ts';
import type { CodeSpan, FencedBlock } from './prompt-markup.ts';

const MAX_HINTS = 32;
const MAX_HINT = 256;

/** Beside runners of tests and checkers whose name is no word. All that ships is here: its table is too large for a prompt. */
const PROGRAMS =
  wordSet(`npm npx pnpm yarn bun bunx deno node tsx ts-node python python3 py poetry uv uvx pipenv pip pip3 black hatch go cargo
  rustc make cmake ninja bazel gradle gradlew mvn mvnw sbt dotnet swift zig mix bundle rake rails ruby composer php
  artisan brew docker docker-compose podman kubectl helm terraform git gh curl wget http bash sh just task turbo nx lerna
  ansible-playbook vercel netlify fly heroku wrangler psql sqlite3 foil hg sl svn jj fossil glab hub helmfile kustomize skaffold
  tofu terragrunt pulumi cdk sam firebase serverless flyctl railway gcloud aws sls prisma drizzle-kit knex sequelize
  sequelize-cli typeorm flyway liquibase dbmate goose supabase gem chart fastlane eas vsce ovsx changeset crane skopeo argocd
  flux nomad kamal dokku surge semantic-release goreleaser scp rsync curlie xh xhs`);
/** Programs that check something when called by their name alone. */
const isAlone = (program: string): boolean =>
  /^(?:make|just|eslint)$/.test(program) || /^(?:test|types)$/.test(kindOf(program) ?? '');
const SHELLS = new Set(['', 'sh', 'bash', 'zsh', 'shell', 'console', 'terminal', 'shell-session']);
const STOPS = wordSet(
  'and then to until so but or before after again in on onto for with which please it from when if because since first once too also as instead now at by',
);

/** Does a line begin with a program that is run, with something to do? */
export function isCommand(line: string): boolean {
  const words = line
    .trim()
    .replace(/^cd \S+ (?:&&|;) /, '')
    .split(/\s+/, 8);
  let i = 0;
  while (
    i < words.length &&
    (/^[A-Za-z_]\w*=/.test(words[i] ?? '') || ['sudo', 'time', 'env'].includes(words[i] ?? ''))
  )
    i++;
  const program = words[i] ?? '';
  if (/^[\w.-]*(?:\/[\w.-]+)+$/.test(program))
    return words.length > i + 1 || program.startsWith('./') || /\.(?:sh|bash)$/.test(program);
  return (
    (PROGRAMS.has(program) || (!isWord(program) && toolOf(program) !== undefined)) &&
    (words.length > i + 1 ? /^[\w./@:~"'$-]/.test(words[i + 1] ?? '') : isAlone(program))
  );
}

const PROMPTED = /^\s*\$ (.*)$/;
/** Behind "run" any program may be meant: `kit report --week`. */
const NAMED = /^(?!(?:the|all|my|our) )[a-z][\w./-]* \S/;

export function commandHints(
  prose: readonly string[],
  spans: readonly CodeSpan[],
  fenced: readonly FencedBlock[],
  isRun: (at: number) => boolean,
): string[] {
  const found = new Set<string>();
  const add = (command: string) => {
    const text = command.replace(/\s+/g, ' ').trim().slice(0, MAX_HINT);
    if (text !== '' && found.size < MAX_HINTS) found.add(text);
  };
  for (const { at, text } of spans) {
    const command = text.replace(/^\$ /, '');
    if (isCommand(command) || (isRun(at) && NAMED.test(command))) add(command);
  }
  for (const line of prose) {
    for (const command of afterRun(line)) add(command);
    for (const command of plainCommands(line))
      if (![...found].some((each) => each.includes(command))) add(command);
  }
  for (const { language, text } of fenced) {
    if (!SHELLS.has(language.toLowerCase())) continue;
    // Without a language or a prompt sign a block may be output.
    const isShell = language !== '' || /^cd \S+\n/.test(text);
    for (const line of text.split('\n').slice(0, 256)) {
      const prompted = PROMPTED.exec(line)?.[1];
      if (prompted !== undefined ? isCommand(prompted) : isShell && isCommand(line)) add(prompted ?? line);
    }
  }
  return [...found];
}

/** "run npm test and …": the words after it, up to one that is no part of a command. Another command may follow. */
function afterRun(line: string): string[] {
  const words = line.slice(0, 4096).split(/\s+/);
  const found: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (!/^[("]?(?:re-?run|run|runs|execute|running)$/i.test(words[i] ?? '')) continue;
    for (let from = i + 1; from < words.length; ) {
      const { command, next } = commandAt(words, from);
      if (!isCommand(command) || (from > i + 1 && isEnglish(command))) break;
      found.push(command);
      from = next;
      while (LINKS.has((words[from] ?? '').toLowerCase())) from++;
    }
  }
  return found;
}

/** What a program that has many uses is told to do, and behind which another word says what. */
const DOES =
  wordSet(`test build lint check ci vet fmt format clippy typecheck verify bench run exec install add update upgrade remove
  uninstall audit publish pull push fetch rebase merge commit checkout switch stash cherry-pick reset revert clone clean
  up down start restart stop deploy apply plan destroy rollout rollback migrate mod sync lock compose
  status log logs diff show tag branch bisect ps list outdated`);
const NESTED = /^(?:npx|bunx|uvx|pnpx|run|exec|mod|compose|rollout|stash)$/;
const CHECKS = /^(?:test|build|lint|check|ci|vet|clippy|verify|typecheck|run)$/;
const RUNS_FILES = /^(?:node|deno|python3?|py|php|ruby|bash|sh|tsx|ts-node)$/;
const SCRIPT = /^[\w./-]*\w\.(?:[cm]?[jt]s|py|rb|php|sh)$/;
const ARGUMENT = /^-|^\.{1,2}$|^[^/]*\/.|=|^[a-z_][\w-]*\.[a-z]{1,4}$/i;
/** "The npm test script" is a thing, and "never npm publish" is no order. */
const NOT_BEHIND = /^(?:an?|the|our|my|your|its|of|no|any|each|every|not|never|don['’]t)$/i;
const OF_A_THING = /^(?:an?|the|this|that|these|those|our|my|your|its|all|any|each|every)$/i;
const OPENS = /(?:^|[,;:.!?)*•–—&|-])$|^(?:and|then|please|pls|now|also|you|just)$/i;
/** What is said of a command, and is none of its words: how it must end, and how it does. */
const GREEN =
  /^(?:(?:must|should|has to|needs to|still|also|all|is|are|be|stays?|remains?) )*(?:(?:pass|succeed|work)(?:e?s|ing)?|green|clean|happy|quiet)\b/;
const TELLS =
  /^(?:is|are|was|has|do(?:es)?|did|can|will|would|must|should|not|never|pass|fail(?:s|ed)?|(?:hang|break|take|crash|error|give|say|show|print|throw|return|complain|report|find|work|pass|succeed|run)e?s)$/;
const PROVES =
  /\b(?:verify|check|test|validate|confirm|prove)(?: (?:it|this|that|them|everything))?(?: with| using| via|:) $/i;

/** Commands without any mark: "npm run lint must be green", "git pull and rebuild", "verify with go test ./...". */
function plainCommands(line: string): string[] {
  const words = line.slice(0, 4096).match(/(?:"[^"]{0,200}"|\S)+/g) ?? [];
  return words.flatMap((_, at) => plainCommand(words, at) ?? []);
}

/** Is this an order that is nothing but a command: "git push --force"? */
export function isPlainCommand(clause: string): boolean {
  const words = clause.trim().split(/\s+/, 64);
  return plainCommand(words, 0) !== null && !words.some((word) => TELLS.test(word));
}

function plainCommand(words: readonly string[], at: number): string | null {
  const before = words[at - 1] ?? '';
  const isFirst = OPENS.test(before);
  const word = words[at] ?? '';
  const program = withoutMarks(isFirst ? word.toLowerCase() : word);
  const isChecker = !PROGRAMS.has(program) && !isWord(program) && toolOf(program) !== undefined;
  const isProgram = isChecker || PROGRAMS.has(program) || /^\.\/\w[\w./-]*$/.test(program);
  if (!isProgram || NOT_BEHIND.test(before) || /^(?:just|task|fly|black|http)$/.test(program)) return null;
  const isEnglishWord = /^(?:make|go)$/.test(program);
  const does = (arg: string): boolean =>
    arg.startsWith('-') || (RUNS_FILES.test(program) ? SCRIPT.test(arg) : DOES.has(arg));
  const taken = [program];
  let isEnd = withoutMarks(word) !== word;
  let next = at + 1;
  for (; !isEnd && next < words.length && taken.length < MOST_WORDS; next++) {
    const bare = withoutMarks(words[next] ?? '');
    const last = taken.at(-1) ?? '';
    // What an operation is given may be any word, where nothing but the command stands there.
    const isGiven =
      (isFirst &&
        taken.length > 1 &&
        !isEnglishWord &&
        /^[\w"'$@~.]/.test(bare) &&
        !CHECKS.test(taken[1] ?? '')) ||
      (last.startsWith('-') && (/^-\w$/.test(last) || /[A-Z\d]/.test(bare)));
    const isPart =
      taken.length === 1 && !isChecker && !NESTED.test(last)
        ? does(bare)
        : ARGUMENT.test(bare) || NESTED.test(last) || isGiven || (taken.length < 3 && DOES.has(bare));
    if (!isPart || STOPS.has(bare.toLowerCase()) || TELLS.test(bare)) break;
    if (OF_A_THING.test(bare) && !last.startsWith('-')) break;
    taken.push(bare);
    isEnd = bare !== words[next];
  }
  const rest = words.slice(next, next + 8).join(' ');
  const isProof = PROVES.test(`${words.slice(Math.max(0, at - 4), at).join(' ')} `);
  const isClosed = isEnd || rest === '' || GREEN.test(rest);
  if (taken.length === 1)
    return isChecker && (isProof || words.length === 1 ? isClosed : GREEN.test(rest)) ? program : null;
  const after = withoutMarks(words[next] ?? '').toLowerCase();
  const goesOn = STOPS.has(after) || /^(?:&&|[|])/.test(after) || (isFirst && OF_A_THING.test(after));
  const isLine = isEnglishWord ? isClosed || isProof : isClosed || goesOn;
  return isLine ? taken.join(' ') : null;
}

/** Between two commands. */
const LINKS = wordSet('and then also or finally afterwards');
const MOST_WORDS = 16;

/** "run npm test and make it pass": programs whose names are words, without what one gives to such a program. */
function isEnglish(command: string): boolean {
  const [program = '', first = '', ...rest] = command.split(' ');
  if (!/^(?:make|just|task|go|fly|black|bundle|http|node)$/.test(program)) return false;
  const target =
    /^(?:test|vet|build|lint|check|ci|all|verify|format|fmt|generate|mod|install|run|clean|typecheck)$|[-./:=_]/;
  return !target.test(first) || !rest.every((word) => /[-./:=_]/.test(word));
}

function commandAt(words: readonly string[], from: number): { command: string; next: number } {
  const taken: string[] = [];
  for (let at = from; at < words.length && taken.length < MOST_WORDS; at++) {
    const word = words[at] ?? '';
    if (STOPS.has(word.toLowerCase())) return { command: taken.join(' '), next: at };
    const bare = withoutMarks(word);
    if (bare !== '') taken.push(bare);
    // Another command may follow behind a comma, and not in another sentence.
    const goesOn = /^[,;]$/.test(word.slice(bare.length));
    if (bare !== word) return { command: taken.join(' '), next: goesOn ? at + 1 : words.length };
  }
  return { command: taken.join(' '), next: words.length };
}

/** Without the sentence's own punctuation. The dots of `./...`, `.` and `..` are the command's. */
function withoutMarks(word: string): string {
  if (word === '.' || word === '..' || /^".+"$/.test(word)) return word;
  const all = /^(.*?\/\.\.\.)[.,;:!?)"]*$/.exec(word)?.[1];
  return all ?? word.replace(/[.,;:!?)"]+$/, '');
}
