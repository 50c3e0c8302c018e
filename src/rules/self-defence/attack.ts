// Does a call turn against its own record? Given what the agent is about to run or write, and what is ours, says what
// it would do, in words behind "it would"; null where it does nothing of the kind. A hurdle, no wall: what a line hides
// well enough is not seen here, and is left to the commands themselves and to what a verifier calls blind.
import {
  isHeavy,
  MAX_COMMAND,
  programName,
  programOf,
  readPrograms,
  type Started,
  unwrap,
} from '../../shell/index.ts';
import { afterGit, gitChanges, gitScripts } from './git-changes.ts';
import { firstOf, type Target } from './given-words.ts';
import {
  addedBy,
  finds,
  spread,
  takesHidden,
  textsOf,
  withHidden,
  withListed,
  withoutUnknown,
  withRead,
} from './handed-text.ts';
import { partDocuments } from './here-documents.ts';
import { asksServiceToStop, killsFound, killsOurs } from './kills.ts';
import { withLinks } from './links.ts';
import { looksLikeAttack } from './looks-like-attack.ts';
import { type Hit, namesOurs, type Ours } from './ours.ts';
import { ownAct, ownWords } from './own-command.ts';
import { onlyReads } from './readers.ts';
import { globsIn, linesIn, runsPrograms, spokenAct, spokenFile, spokenKill } from './spoken.ts';
import { readsCode, textsToRun } from './texts-to-run.ts';
import { copiedOver } from './tree-copies.ts';
import { changesOf, namedBy } from './written-paths.ts';

const MAX_DEPTH = 4;
/** Words that are held against our paths, over the whole line. More than this nobody means, and nobody is to wait for. */
const MAX_TARGETS = 4000;
const TOO_MUCH = 'do more than foil can read from it';
const OVERLAP = 4096;
const STOPS = 'stop what records the session';
/** Behind our program's name, in the words of a wrapper. */
const MAX_OWN_WORDS = 32;

/** How deep in texts within texts, and how much may still be looked at, over the whole line. */
interface Work {
  readonly depth: number;
  readonly words: { left: number };
}
const CODE =
  /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|tsx|perl|ruby|php|lua|osascript|awk|gawk|mawk|tclsh|R|Rscript|julia|elixir|groovy|jshell|expect)$/;
/** Programs whose words are run later, elsewhere, or by somebody else. */
const LAUNCHERS =
  /^(?:at|batch|crontab|tmux|screen|zellij|systemd-run|parallel|dtach|abduco|daemonize|start-stop-daemon|nsenter|unshare|setpriv|runuser|capsh|firejail|proxychains4?|ssh|su|gdb|entr|watchexec|concurrently|flock|trap|alias)$/;
/** Programs whose words are only text, or names to be looked for. */
const TALKERS =
  ' echo printf grep egrep fgrep rg ag ack cat bat less more head tail ls man which type whereis command info tldr git gh glab diff comm cmp test [ sed wc sort uniq file stat open code cd pushd find fd tree npm pnpm yarn pip brew apt apt-get curl wget jq export declare local read ';
/** Programs that others are often told to run, and that do something to files or processes. */
const RUN_BY_OTHERS =
  /^(?:rm|rmdir|unlink|shred|mv|cp|ln|link|install|chmod|chown|chgrp|truncate|tee|dd|sed|touch|rsync|tar|gzip|find|git|kill|pkill|killall|fuser|systemctl|sh|bash|zsh|dash|env|sudo|eval)$/;
const REMOVES_PACKAGE = /^(?:uninstall|remove|rm|un|unlink|r|delete)$/;

/** What a line of a shell would do. Never throws. */
export function attackByCommand(command: string, cwd: string | null, ours: Ours): string | null {
  return attack(command, cwd, { ...ours, here: cwd }, { depth: 0, words: { left: MAX_TARGETS } });
}

/** What writing, moving or deleting this file would do. */
export function attackByFile(path: string, cwd: string | null, ours: Ours): string | null {
  const found = path === '' ? null : namesOurs(path, cwd, 'inside', { ...ours, here: cwd });
  return found === null ? null : changes(found);
}

function changes({ what }: Hit): string {
  return what === 'settings'
    ? 'change the settings with the hooks that record the session'
    : 'change files that the recording needs';
}

/** `bodies` are here-documents that were taken out of the line. */
function attack(
  command: string,
  cwd: string | null,
  given: Ours,
  work: Work,
  bodies: readonly string[] = [],
): string | null {
  const programs = readPrograms(command, { cwd, root: given.root }, given.variables);
  if (programs === null) return unread(command, cwd, given, work);
  const much = programs.cut ? tooMuch(command, given) : null;
  if (much !== null) return much;
  const { started } = programs;
  if (killsFound(started, given)) return STOPS;
  const ours = withLinks(started, given);
  const texts = [...started.flatMap(textsOf), ...bodies];
  const loops = withRead(programs.loops, started, texts);
  const added = addedBy(started, texts);
  const hidden = takesHidden(command);
  let then = ours;
  for (const each of [...started, ...finds(started)]) {
    for (const words of spread(each.argv, loops, added)) {
      const argv = withListed(hidden ? withHidden(words) : words);
      const act = firstOf([argv, ...withoutUnknown(argv)], (form) =>
        byProgram({ ...each, argv: form }, then, work),
      );
      if (act !== null) return act;
      then = afterGit({ ...each, argv }, then);
    }
  }
  const run = firstOf(textsToRun(started, texts), (text) =>
    work.depth < MAX_DEPTH ? within(text, cwd, ours, work) : tooMuch(text, ours),
  );
  if (run !== null) return run;
  const coded = started.find(({ argv }) => {
    const name = programName(argv[0] ?? '');
    return CODE.test(name) && !isInline(name, argv.slice(1)) && readsCode(argv, started);
  });
  return coded === undefined ? null : byCode(texts.join('\n'), coded, ours, work);
}

/** What is too long, too deep or too much to be judged is refused, unless nothing in it can be about us. */
function tooMuch(text: string, { ledger }: Ours): string | null {
  return looksLikeAttack(text, [ledger.slice(ledger.lastIndexOf('/') + 1)]) ? TOO_MUCH : null;
}

/**
 * A line that is too long, or that no shell of ours understands. What a here-document hands to a program that only prints
 * it is only text.
 */
function unread(command: string, cwd: string | null, ours: Ours, work: Work): string | null {
  const { plain, bodies } = partDocuments(command);
  if (bodies.length > 0 && work.depth < MAX_DEPTH) return within(plain, cwd, ours, work, bodies);
  if (command.length > MAX_COMMAND || isHeavy(command)) return tooMuch(command, ours);
  return spoken(command, ours, { cwd });
}

function byProgram(program: Started, ours: Ours, work: Work): string | null {
  const { argv, cwd, env, input } = program;
  const { name, args } = programOf(argv);
  const own = ownWords(argv);
  if (own !== null) return ownAct(own, { ...ours, cwd, env });
  if (killsOurs(argv, cwd, ours) || asksServiceToStop(argv)) return STOPS;
  if (
    /^(?:npm|pnpm|yarn|bun)$/.test(name) &&
    args.some((arg) => REMOVES_PACKAGE.test(arg)) &&
    args.some(isPackage)
  )
    return 'remove the program that records the session';
  const hit = byWords(program, ours, work);
  if (hit !== null) return typeof hit === 'string' ? hit : changes(hit);
  const line = byLine(argv, cwd, ours, work);
  if (line !== null) return line;
  if (/^(?:expect|tclsh)$/.test(name)) return spoken([...args, ...input].join('\n'), ours, { env, cwd });
  if (CODE.test(name)) return byCode(codeIn(name, args, input), program, ours, work);
  // In a submodule it begins one folder further down.
  const deeper = cwd !== null && args.includes('foreach') ? [`${cwd}/submodule`] : [];
  const scripts = [...editorsIn(env), ...(name === 'git' ? gitScripts(args) : [])];
  const act = firstOf(work.depth < MAX_DEPTH ? scripts : [], (script) =>
    firstOf([cwd, ...deeper], (place) => within(script, place, ours, work)),
  );
  if (act !== null) return act;
  // What an alias of git runs begins with an exclamation mark.
  if (name === 'git' && args.some((arg) => /(?:^|=)!/.test(arg)))
    return spoken(args.join('\n'), ours, { env, cwd });
  if (/^(?:make|patch|apply_?patch|ed|ex)$/.test(name))
    return spoken([...args, ...input].join('\n'), ours, { env, cwd, writes: name.endsWith('patch') });
  if (isRemote(name, argv)) return null;
  if (LAUNCHERS.test(name)) return spoken([...args, ...input].join('\n'), ours, { env, cwd });
  // A wrapper that nobody knows: our program among its words is run by it.
  return TALKERS.includes(` ${name} `) || name === '>' ? null : amongWords(args, program, ours);
}

/** What of ours the program would change, by its words. */
function byWords(program: Started, ours: Ours, work: Work): Hit | string | null {
  const { argv, cwd } = program;
  const name = programName(argv[0] ?? '');
  if (name === 'git') return gitChanges(program, ours);
  const tree = copiedOver(argv, cwd, ours);
  if (tree !== null) return tree;
  return firstOf(wordsOf(argv), ({ word, reach }) => {
    if (--work.words.left < 0) return TOO_MUCH;
    if (/[$`]/.test(word) && /\b(?:counter)?foil\b/.test(word) && changesOf(argv) !== null)
      return 'change the program that records the session';
    return namesOurs(word, cwd, reach, ours);
  });
}

function wordsOf(argv: readonly string[]): readonly Target[] {
  const known = changesOf(argv);
  if (known !== null) return known;
  const [first = '', ...args] = argv;
  const name = programName(first);
  const step = unwrap(argv);
  if (step.elsewhere || step.sourced !== null) return [];
  // `sh -c '…' _ FILE`, `script -c ls FILE`: the text is judged by itself.
  if (step.script !== null)
    return namedBy([first, ...args.filter((word) => word !== step.script && !/\s/.test(word))]);
  // What a wrapper runs is judged by itself; left are its own options.
  if (step.argv !== argv) {
    const own = args.slice(0, Math.max(0, args.length - step.argv.length));
    return namedBy([
      first,
      ...own.filter((word, at) => word.startsWith('-') || (own[at - 1] ?? '').startsWith('-')),
    ]);
  }
  // Code says by itself what it does with its words.
  if (CODE.test(name) && isInline(name, args)) return [];
  if (/^(?:ssh|mosh|tmux|screen|at|batch|crontab|trap|xargs)$/.test(name)) return [];
  return namedBy(argv);
}

/** Words behind a program of ours or nobody's that are a program of their own: `anything rm -rf .claude`. */
function byLine(argv: readonly string[], cwd: string | null, ours: Ours, work: Work): string | null {
  const name = programName(argv[0] ?? '');
  // What shows a text may be told to run something: `man -P`, `less +!`.
  const shows = /^(?:man|less|more)$/.test(name);
  if (work.depth >= MAX_DEPTH) return null;
  if (!shows && (onlyReads(argv) || TALKERS.includes(` ${name} `) || CODE.test(name))) return null;
  if (isRemote(name, argv)) return null;
  const words = shows || changesOf(argv) !== null ? [] : argv.slice(1, MAX_OWN_WORDS);
  const act = firstOf(words.entries(), ([at, word]) => {
    const inner = { argv: argv.slice(at + 1), cwd, env: [], input: [] };
    return RUN_BY_OTHERS.test(programName(word))
      ? byProgram(inner, ours, { ...work, depth: MAX_DEPTH })
      : null;
  });
  return (
    act ??
    firstOf(argv.slice(1), (word) => {
      const text = word
        .replace(/^-{0,2}[\w.-]+=(?:exec=)?/, '')
        .replace(/^(?:[:!+]+|(?:EXEC|SYSTEM|SHELL):["']?)/i, '');
      const isLine = /\s/.test(text) && RUN_BY_OTHERS.test(programName(/^\S+/.exec(text)?.[0] ?? ''));
      return isLine ? within(text, cwd, ours, work) : null;
    })
  );
}

/** Another machine's files are not ours. */
function isRemote(name: string, argv: readonly string[]): boolean {
  return /^(?:ssh|mosh)$/.test(name) && !argv.some((word) => /^(?:\w+@)?(?:localhost|127\.|::1)/.test(word));
}

/** Code on a command line: what it writes, whom it kills, and what it runs. */
function byCode(code: string, program: Started, ours: Ours, work: Work, writes = false): string | null {
  const { cwd, env } = program;
  if (code === '') return null;
  // In pieces, each of which begins in the one before. What writes may stand in another one than the name.
  if (code.length > MAX_COMMAND) {
    for (let at = 0; at < code.length; at += MAX_COMMAND - OVERLAP) {
      const act = byCode(code.slice(at, at + MAX_COMMAND), program, ours, work, true);
      if (act !== null) return act;
    }
    return null;
  }
  const hit =
    spokenFile(code, ours, { cwd, code: true, writes }) ??
    firstOf(globsIn(code), (pattern) => namesOurs(pattern, cwd, 'parent', ours));
  if (hit !== null) return changes(hit);
  if (spokenKill(code, ours, { code: true })) return STOPS;
  if (!runsPrograms(code)) return null;
  const act = spokenAct(code, ours, env);
  if (act !== null || work.depth >= MAX_DEPTH) return act;
  return firstOf(linesIn(code), (line) => within(line, cwd, ours, work));
}

function within(
  text: string,
  cwd: string | null,
  ours: Ours,
  work: Work,
  bodies: readonly string[] = [],
): string | null {
  return attack(text, cwd, ours, { ...work, depth: work.depth + 1 }, bodies);
}

/** What is on the command line of an interpreter; a file that it is given is not. */
function codeIn(name: string, args: readonly string[], input: readonly string[]): string {
  return [...(isInline(name, args) ? args : []), ...input].join('\n');
}

function isInline(name: string, args: readonly string[]): boolean {
  // Behind a module, options are the module's.
  if (/^(?:python|pypy)/.test(name) && args.find((arg) => /^-[cm]$/.test(arg)) === '-m') return false;
  return (
    /^(?:[gm]?awk|expect)$/.test(name) ||
    args.some((arg) => /^-[a-zA-Z0-9]*[cepErR]$|^-e.|^--(?:eval|print|exec)|^eval$/.test(arg))
  );
}

/** `GIT_EDITOR='rm -rf .claude' git commit`: what a variable says is run. */
function editorsIn(env: readonly string[]): string[] {
  return env
    .filter((text) => !text.startsWith('FOIL') && /\s/.test(text))
    .map((text) => text.replace(/^\w+=/, ''));
}

function isPackage(word: string): boolean {
  return /^counterfoil(?:@.*)?$/.test(word);
}

function amongWords(args: readonly string[], { cwd, env }: Started, ours: Ours): string | null {
  return firstOf(args.entries(), ([at, word]) => {
    const own = /foil/.test(word) ? ownWords(args.slice(at, at + MAX_OWN_WORDS)) : null;
    return own === null ? null : ownAct(own, { ...ours, cwd, env });
  });
}

interface Speaking {
  readonly env?: readonly string[];
  readonly cwd?: string | null;
  readonly writes?: boolean;
}

function spoken(
  text: string,
  ours: Ours,
  { env = [], cwd = null, writes = false }: Speaking = {},
): string | null {
  const hit = spokenFile(text, ours, { cwd, writes });
  if (spokenKill(text, ours)) return STOPS;
  return spokenAct(text, ours, env) ?? (hit === null ? null : changes(hit));
}
