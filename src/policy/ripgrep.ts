// What `rg` looks at: everything below its folders but hidden files, unless it is told otherwise.
import type { CommandWords } from './authority/found-needs.ts';
import { withoutBraces } from './meeting-globs.ts';

export interface Looked {
  readonly folders: readonly string[];
  /** Files of these names alone; null for all. */
  readonly only: readonly string[] | null;
  readonly isHidden: boolean;
}

const FLAGS =
  /^(?:-[abcFHiILlNnoPpqSsUvwx0]+|--(?:files|files-with-matches|files-without-match|ignore-case|smart-case|case-sensitive|fixed-strings|line-number|no-line-number|heading|no-heading|count|count-matches|only-matching|word-regexp|line-regexp|invert-match|with-filename|no-filename|no-messages|json|pcre2|multiline|stats|trim|vimgrep|column|no-config|no-ignore|no-ignore-vcs|color=\w+|colou?r|sort=\w+|max-count=\d+|context=\d+|after-context=\d+|before-context=\d+))$/;
const HIDDEN = /^(?:-\.|-u+|--hidden|--unrestricted)$/;
const JOINED = /^-[ABCmMdj]\d+$/;
const VALUED =
  /^(?:-[aceilnopqsvwxFHILNPSU]*[ABCmMdjrT]|--(?:after-context|before-context|context|max-count|max-columns|max-depth|threads|replace|type-not|color|sort))$/;
/** Some kinds of files, as rg knows them. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  ts: ['*.ts', '*.tsx', '*.cts', '*.mts'],
  js: ['*.js', '*.jsx', '*.cjs', '*.mjs', '*.vue'],
  py: ['*.py', '*.pyi'],
  rust: ['*.rs'],
  go: ['*.go'],
  java: ['*.java', '*.jsp', '*.jspx', '*.properties'],
  md: ['*.md', '*.mdx', '*.markdown', '*.mdown', '*.mdwn', '*.mkd', '*.mkdn'],
  css: ['*.css', '*.scss'],
};

/** Null where an option is not known, or a word follows only when it runs. */
export function ripgrepLooks(words: CommandWords): Looked | null {
  const operands: string[] = [];
  const only: string[] = [];
  let [hasPattern, isHidden, isOver] = [false, false, false];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) {
      // The pattern is no file, whatever it is.
      if (hasPattern || operands.length > 0) return null;
      operands.push('');
      continue;
    }
    const [name = '', joined] = word.split(/=(.*)/s);
    const value = (): string | null => joined ?? words[++at] ?? null;
    if (isOver || !word.startsWith('-') || word === '-') operands.push(word);
    else if (word === '--') isOver = true;
    else if (word === '--files') hasPattern = true;
    else if (HIDDEN.test(word)) isHidden = true;
    else if (FLAGS.test(word) || JOINED.test(word)) continue;
    else if (name === '-e' || name === '--regexp') {
      hasPattern = true;
      at += joined === undefined ? 1 : 0;
    } else if (VALUED.test(word)) at++;
    else if (name === '-g' || name === '--glob') {
      const glob = value();
      if (glob === null) return null;
      if (!glob.startsWith('!')) only.push(...withoutBraces(glob));
    } else if (name === '-t' || name === '--type' || /^-t\w+$/.test(word)) {
      const type = /^-t\w+$/.test(word) ? word.slice(2) : value();
      const names = type === null || !Object.hasOwn(TYPES, type) ? undefined : TYPES[type];
      if (names === undefined) return null;
      only.push(...names);
    } else return null;
  }
  const folders = hasPattern ? operands : operands.slice(1);
  return {
    folders: folders.length === 0 ? ['.'] : folders,
    only: only.length === 0 ? null : only,
    // What a glob names is looked at though it is hidden.
    isHidden: isHidden || only.length > 0,
  };
}
