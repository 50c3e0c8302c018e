// Members of configuration files, without their grammars: of objects in JSON and in scripts, of sections, of recipes.
// Tolerant and linear: what can't be made out is passed over.

export interface Member {
  /** From the outermost: `test`, `exclude`. */
  readonly keys: readonly string[];
  /** A string's content, a number, true or false; of sections and recipes the text as it is. */
  readonly value: string;
  /** The line where the value begins. */
  readonly line: string;
}

const MOST = 4096;
const DEEPEST = 32;
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?|(?<=\b(?:grep\w{0,6}|testNamePattern):\s{0,4})\/(?:[^/\\\n]|\\.)+\/|[A-Za-z_$][\w$]*|-?\d[\d.]*|[{}()[\]:,;]/g;

/** Of objects written in JSON, or in a script of the JavaScript family. */
export function configMembers(text: string): Member[] {
  const members: Member[] = [];
  const open: (string | undefined)[] = [];
  let key: string | undefined;
  let last: { text: string; value: string; at: number; isString: boolean } | undefined;
  const emit = (): void => {
    if (
      last !== undefined &&
      members.length < MOST &&
      (last.isString || /^(?:true|false|-?\d[\d.]*)$/.test(last.text))
    ) {
      const keys = [...open, key].filter((each) => each !== undefined);
      if (keys.length > 0) members.push({ keys, value: last.value, line: lineAt(text, last.at) });
    }
    last = undefined;
  };
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0];
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    if ('{(['.includes(token)) {
      last = undefined;
      if (open.length < DEEPEST) open.push(key);
      key = undefined;
    } else if ('})]'.includes(token)) {
      emit();
      key = open.pop();
      if (token !== ')') key = undefined;
    } else if (token === ':') {
      key = last?.value;
      last = undefined;
    } else if (token === ',' || token === ';') {
      emit();
      key = undefined;
    } else {
      const isString = /^["'`/]/.test(token);
      last = { text: token, value: isString ? unquoted(token) : token, at: match.index, isString };
    }
  }
  return members;
}

function unquoted(token: string): string {
  const end = token.length > 1 && token.endsWith(token.charAt(0)) ? -1 : undefined;
  return token.slice(1, end).replace(/\\(["'`\\/])/g, '$1');
}

function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, Math.min(end === -1 ? text.length : end, start + 400)).trim();
}

/** Of `[section]` and `key = value` or `key: value`, with values over several indented lines or in brackets. */
export function iniMembers(text: string): Member[] {
  const members: { keys: string[]; value: string; line: string }[] = [];
  let section: string | undefined;
  let inBrackets = false;
  for (const raw of text.split('\n')) {
    const line = raw.slice(0, 1000);
    const trimmed = line.replace(/(?:^|\s)[#;].*$/, '').trim();
    const current = members.at(-1);
    if (trimmed === '') continue;
    const header = trimmed.length > 256 ? null : /^\[+\s*([^\]]+?)\s*\]+$/.exec(trimmed);
    if (header !== null && !inBrackets) {
      section = header[1];
      continue;
    }
    const pair = /^("[^"]+"|[\w.-]+)\s*[:=]\s*(.*)$/.exec(trimmed);
    const isContinued = inBrackets || /^[ \t]/.test(line) || /^-\s/.test(trimmed);
    if (pair !== null && !inBrackets && (!isContinued || current === undefined)) {
      if (members.length >= MOST) break;
      const value = pair[2] ?? '';
      members.push({
        keys: [section, pair[1]].filter((key) => key !== undefined),
        value: unwrapped(value),
        line: trimmed,
      });
      inBrackets = value.startsWith('[') && !value.endsWith(']');
    } else if (current !== undefined) {
      if (current.value.length < 8192) current.value += `\n${trimmed}`;
      if (current.line.length < 200) current.line += ` ${trimmed}`;
      if (trimmed.endsWith(']')) inBrackets = false;
    }
  }
  return members;
}

function unwrapped(value: string): string {
  return /^"[^"]*"$|^'[^']*'$/.test(value) ? value.slice(1, -1) : value;
}

const TARGET = /^(test|tests|check|verify|lint|types|typecheck)(?:[\w.-]*)\s*:(?!=)/;

/** Of YAML as it is written by hand: members by indentation, an item of a list for itself. */
export function yamlMembers(text: string): Member[] {
  const members: Member[] = [];
  const open: { indent: number; key: string }[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.slice(0, 1000).replace(/(?:^|\s)#.*$/, '');
    const [, dashes = '', , key, value = ''] =
      /^(\s*(?:-\s+)*)(?:(["']?)([\w.@/*-]+)\2:(?:\s+|$))?(.*)$/.exec(line) ?? [];
    if (line.trim() === '' || members.length >= MOST) continue;
    while ((open.at(-1)?.indent ?? -1) >= dashes.length) open.pop();
    if (key !== undefined && open.length < DEEPEST) open.push({ indent: dashes.length, key });
    if (value.trim() !== '' && open.length > 0)
      members.push({ keys: open.map((each) => each.key), value: unwrapped(value.trim()), line: line.trim() });
  }
  return members;
}

/** The commands of targets that test, in makefiles and the like. */
export function recipeMembers(text: string): Member[] {
  const members: { keys: string[]; value: string; line: string }[] = [];
  let current: { keys: string[]; value: string; line: string } | undefined;
  for (const raw of text.split('\n')) {
    const line = raw.slice(0, 1000);
    if (/^[ \t]/.test(line)) {
      if (current === undefined || line.trim() === '' || line.trim().startsWith('#')) continue;
      if (current.value === '') current.line = line.trim();
      else if (current.line.length < 200) current.line += ` ${line.trim()}`;
      if (current.value.length < 4096) current.value += `${current.value === '' ? '' : '\n'}${line.trim()}`;
    } else if (line.trim() !== '') {
      const target = TARGET.exec(line)?.[0].replace(/\s*:$/, '');
      current = undefined;
      if (target !== undefined && members.length < MOST) {
        current = { keys: ['target', target], value: '', line: '' };
        members.push(current);
      }
    }
  }
  return members.filter(({ value }) => value !== '');
}
