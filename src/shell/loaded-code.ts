// What code loads that the agent wrote itself, on the line (`python -c "import calc; …"`) or in a script of the session:
// unlike a program of the project it shows something of the work only through that.
import type { Check } from '../format/index.ts';

const LOADS =
  /(?:\b(?:import\w*|from|us(?:e|ing)|require\w*|include\w*|source|library|load\w*)\b[\s("'`]*|\s-[Mr]\s?)([\w@./:-]+(?:, ?[\w.]+)*)|([\w@~.-]*\/[\w@./-]+|[\w-]+\.\w+)/g;
const LOCAL = /\b(?:https?:\/\/)?(?:localhost|127\.0\.0\.1)(?::\d+)?/g;
const SLASHED = /^(?:node|bun|deno|tsx|ts-node|php|go|java|swift|dart|kotlin|dotnet|zig)\b/;
const SLASHES = /\/\*(?:[^*]|\*(?!\/)){0,1000}\*\/|(?<=^|[\s;,{}()])\/\/.*/gm;
const HASHES = /(?<=^|[\s;])#(?!\{).*/gm;
/** A text that stands alone, or is only printed. */
const SAID =
  /(?:^[ \t]*|;[ \t]*|\b(?:print|puts|echo|say|console\.\w+)[ (]{0,2})f?(["'`])[^"'`\n]*\1(?=\s*(?:$|[;)]))/gm;
const LONGEST_CODE = 16_384;
const MOST = 24;

const TEXT = /(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
/** What stands behind these is loaded or run, without brackets. */
const LOADED =
  /(?:\b(?:import\w*|from|us(?:e|ing)|require\w*|include\w*|source|library|load\w*|do|dofile|system|exec\w*|spawn\w*|open|read\w*)|\s-[Mr])\s*$/;
/** `if ("src/a.js")` is no call. */
const NO_CALL =
  /^(?:if|while|for|switch|return|and|or|not|in|typeof|void|print\w*|puts|echo|say|console\.\w+|len)$/;
const KEPT = /([\w$]+)\s*(?:(?::[^=\n]{0,40})?=|\s(?:of|in)\b)[^=;\n]*$/;
const FARTHEST = 400;
const MOST_TEXTS = 256;

/** The modules, paths and servers on this machine (`localhost:3000`) that code names where it does something with them. */
export function loadedIn(code: string, runner: string): string[] {
  const said = actingCode(code, runner);
  const runsTicks = /^(?:ruby|perl|php)\b/.test(runner);
  let texts = 0;
  const acting = said.replace(TEXT, (text, quote: string, inner: string, at: number) => {
    if (!/[./]/.test(inner) || (quote === '`' && runsTicks)) return text;
    return ++texts <= MOST_TEXTS && isHanded(said, at) ? text : quote + quote;
  });
  const servers = [...acting.matchAll(LOCAL)].map(([server]) => server);
  const rest = acting.replace(/\b[a-z+]+:\/\/[^\s"'`)]+/gi, '').replace(LOCAL, '');
  return [...new Set([...servers, ...namedIn(rest)])].map((name) => name.slice(0, 256)).slice(0, MOST);
}

/** Without comments, and without texts that are only said. */
export function actingCode(code: string, runner: string): string {
  const comments = SLASHED.test(runner) ? SLASHES : HASHES;
  return code.slice(0, LONGEST_CODE).replace(comments, '').replace(SAID, '');
}

/** A text is handed to a call, loaded, or kept under a name that is used elsewhere: with any other nothing is done. */
function isHanded(code: string, at: number): boolean {
  const before = code.slice(Math.max(0, at - FARTHEST), at);
  if (LOADED.test(before)) return true;
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const mark = before.charAt(i);
    if (mark === ')') depth++;
    else if (mark === '(' && --depth < 0) {
      const callee = /[\w$.!]+\s*$/.exec(before.slice(0, i))?.[0].trim();
      if (callee !== undefined && !NO_CALL.test(callee)) return true;
      break;
    } else if (mark === ';' && depth === 0) break;
  }
  const name = KEPT.exec(before)?.[1];
  return name !== undefined && isUsed(name, code);
}

/** Behind these, and before those, a name is only printed, compared or measured. */
const SHOWN = /(?:\b(?:print\w*|puts|echo|say|console\.\w+|len|typeof)[ (]\s*|[=!]==?\s*)$/;
const COMPARED = /^\s*(?:[=!]==?|\.length\b)/;

/** Is something done with what is kept under the name? */
function isUsed(name: string, code: string): boolean {
  const parts = code.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`));
  const uses = parts
    .slice(0, -1)
    .filter((before, at) => !SHOWN.test(before) && !COMPARED.test(parts[at + 1] ?? ''));
  return uses.length > 1;
}

function namedIn(code: string): string[] {
  const found = [...code.matchAll(LOADS)].flatMap(([, modules, path]) =>
    path !== undefined ? [path] : (modules ?? '').split(/, ?/).flatMap((name) => [name, asPath(name)]),
  );
  return found.filter((name) => /^\.{1,2}\/?$|[a-z]/i.test(name));
}

/** `app.routes`, `App::Routes` */
function asPath(name: string): string {
  return name.includes('/') ? name : name.replace(/(?<=\w)(?:\.|::)(?=\w)/g, '/');
}

/** An entry holds no more of a command: what is judged again must be what was judged. */
const LONGEST = 255;

/** As version 4 read the line: the mere word for a server on this machine was a run of everything. */
export function asRunOfLoaded(check: Check): Check {
  const command = check.command.slice(0, LONGEST);
  const targets = /\b(?:localhost|127\.0\.0\.1)\b/.test(command) ? ['.'] : namedIn(command);
  return { ...check, targets };
}
