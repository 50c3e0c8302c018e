// Words of sed, awk and jq that are a program in their own language. They name no file, whatever they mention.
import type { CommandWords } from './authority/found-needs.ts';

interface Language {
  /** Options with a value in the next word. */
  readonly valued: RegExp;
  /** With such an option the program is elsewhere, or it can't be told which word it is. */
  readonly elsewhere: RegExp;
}

const AWK: Language = { valued: /^-[Fv]$/, elsewhere: /^(?:-[a-zA-Z]*[fEil]|--)/ };
const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, AWK] as const),
  ['sed', { valued: /^(?!)/, elsewhere: /^(?:-[a-zA-Z]*[efsl]|--|$)/ }],
  [
    'jq',
    {
      valued: /^--indent$/,
      elsewhere:
        /^(?:-[a-zA-Z]*[fL]|--(?!(?:raw-output|compact-output|exit-status|slurp|null-input|sort-keys|raw-input|tab)$))/,
    },
  ],
]);

/** The words behind the program that may name files. */
export function withoutProgramText(name: string, words: CommandWords): CommandWords {
  const language = LANGUAGES.get(name);
  if (language === undefined) return words;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) return words;
    if (language.valued.test(word)) at++;
    else if (language.elsewhere.test(word)) return words;
    else if (!word.startsWith('-')) return words.filter((_, i) => i !== at);
  }
  return words;
}
