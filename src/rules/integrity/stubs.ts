// Functions that say themselves that they do nothing yet: a body that is a TODO and a constant, or "not implemented"; and a
// case of one that is refused so. A body that gives nothing and says nothing may be meant so, unless the message says that it
// was implemented. One that is abstract is to be written elsewhere.
import { languageOf } from '../../ecosystems/index.ts';
import type { Stub } from '../evidence.ts';
import { codeIn } from './inert-changes.ts';

const LONGEST = 512 * 1024;
const LONGEST_LINE = 160;
const MOST = 20;
const DECLARES =
  /^\s*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|static|async|override|final|const|let|var)\s+)*(?:(?:func|def|function|fn|fun)\s+(?:\([^()]*\)\s*)?(?<a>\w+)\s*[(<[]|(?<b>\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*(?::[^=]+)?=>|(?!(?:if|for|while|switch|catch|with)\b)(?<c>[a-z]\w+)\([^()]*\)[^;{}()=]*\{(?:\s*\})?$)/;
const ABSTRACT = /\babstract|@overload|Protocol\b|\binterface\b|\btrait\b/i;
const UNDONE =
  /\b(?:TODO|FIXME|XXX)\b|\bnot (?:yet )?implemented\b|\bunimplemented\b|\b(?:placeholder|stub)\b|\bimplement (?:this|me|it|later)\b/i;
/** In a class, this is how a method is left to others; a function of its own is left to nobody. */
const REFUSED = /^\s+(?:raise|throw) (?:new )?NotImplemented(?:Error|Exception)\b/;
const REFUSES = /NotImplemented|\bnot (?:yet )?implemented\b|\bunimplemented\b|\btodo!\(|^TODO\(/i;
/** A statement that does nothing but give a constant, or something new and empty. */
const VALUE =
  '(?:nil|null|None|undefined|[tT]rue|[fF]alse|-?[\\d.]{1,20}|""|\'\'|``|\\[\\]|\\{\\}|\\(\\)|Ok\\(\\(\\)\\)|&?[\\w.]{1,40}\\{\\}|(?:new )?\\w{0,20}New\\w{0,40}\\(\\)|new \\w{1,40}\\(\\)|errors\\.New\\(.{0,80}\\))';
/** Behind its name: an argument that it could look at. */
const IS_GIVEN = /^\s*(?::[^=]*)?=?\s*(?:async\s*)?\(\s*(?!(?:self|cls)?\s*\))[\w{[]/;
const GIVES_NOTHING = /^return (?:nil|null|None|undefined|""|''|\[\]|\{\}|\[\][\w.*]+\{\})(?:, ?nil)?;?$/;
/** `raise NotImplementedError("csv")`: a case that is left out, by its name. */
const REFUSED_CASE =
  /^(?:raise|throw) (?:new )?NotImplemented(?:Error|Exception)\((["'])([\w-]{2,30})(?: (?:is )?not (?:yet )?(?:implemented|supported))?\1\)/;
const IDLE = new RegExp(`^(?:[\\s{}()[\\];]*|pass|\\.\\.\\.|return(?: ${VALUE}(?:, ${VALUE}){0,3})?;?)$`);

/** Nothing stands in it, or only what says that nothing does. */
const EMPTY = /^(?:pass|\.\.\.|return;?)$/;
const EMPTY_LINE = /(?:\{\s*\}|:\s*(?:pass|\.\.\.))\s*;?$/;

/** A cheap look, before anything is read line by line. */
const MAY_BE = new RegExp(
  `${UNDONE.source}|NotImplemented|\\breturn (?:nil|null|None|undefined|""|''|\\[\\]|\\{\\})|\\bpass\\b|\\.\\.\\.$|\\{\\s*(?://[^\n]*\\s*)*\\}`,
  'im',
);

/** Those of a version that an older one has not. Never throws. */
export function stubsIn(path: string, before: string | null, now: string): Stub[] {
  const { syntax } = languageOf(path) ?? {};
  if (syntax === undefined || now.length > LONGEST || !MAY_BE.test(now)) return [];
  const raw = now.split('\n');
  const code = codeIn(now, syntax);
  const known = new Set((before ?? '').split('\n').map((line) => line.trim()));
  const found: Stub[] = [];
  for (let at = 0; at < code.length && found.length < MOST; at++) {
    const line = (code[at] ?? '').slice(0, LONGEST_LINE);
    const { a, b, c } = DECLARES.exec(line)?.groups ?? {};
    const name = a ?? b ?? c;
    if (name === undefined || ABSTRACT.test(`${raw[at - 1] ?? ''}\n${line}`)) continue;
    const end = endOf(code, at);
    const body = code.slice(at + 1, end).map((each) => each.trim());
    const mark = raw
      .slice(at + 1, end)
      .find((each) => UNDONE.test(each) || (!/^\s/.test(line) && REFUSED.test(each)))
      ?.trim();
    const [only = '', ...rest] = body.filter((each) => !/^[\s{}()[\];]*$/.test(each));
    const isSilent =
      rest.length === 0 &&
      GIVES_NOTHING.test(only) &&
      IS_GIVEN.test(line.slice(line.indexOf(name) + name.length));
    const why = isSilent
      ? `does nothing with what it is given (\`${only}\`)`
      : emptiness(line.trim(), only, rest, now.split(new RegExp(`\\b${name}\\(.*[:{]$`, 'm')).length === 2);
    if (mark === undefined && why !== undefined && !known.has(line.trim()))
      found.push({ path, name, line: only, why });
    if (mark === undefined || known.has(mark)) continue;
    if (body.every((each) => IDLE.test(each) || REFUSES.test(each)))
      found.push({ path, name, line: mark.slice(0, LONGEST_LINE).toWellFormed() });
  }
  const cases = raw.flatMap((each): Stub[] => {
    const line = each.slice(0, LONGEST_LINE).trim();
    const [, , name] = REFUSED_CASE.exec(line) ?? [];
    const isOther = !known.has(line) && !found.some((stub) => stub.line === line);
    return name !== undefined && isOther ? [{ path, name, line }] : [];
  });
  return [...found, ...cases].slice(0, MOST);
}

/** What shows that nothing is written yet; undefined where something is. */
function emptiness(line: string, only: string, rest: readonly string[], isOnly: boolean): string | undefined {
  if (rest.length > 0) return undefined;
  // Where another class of the file has it, it is left to that.
  if (REFUSED.test(` ${only}`)) return isOnly ? `only raises an error (\`${only}\`)` : undefined;
  if (EMPTY.test(only)) return `has no body yet (\`${only}\`)`;
  return EMPTY_LINE.test(line) || (only === '' && /[{:]$/.test(line)) ? 'has an empty body' : undefined;
}

/** Where the body of what is declared there ends: at the first line that is not indented further. */
export function endOf(code: readonly string[], at: number): number {
  const indentOf = (line: string): number => line.length - line.trimStart().length;
  const own = indentOf(code[at] ?? '');
  let end = at + 1;
  while (end < code.length && ((code[end] ?? '').trim() === '' || indentOf(code[end] ?? '') > own)) end++;
  return end;
}
