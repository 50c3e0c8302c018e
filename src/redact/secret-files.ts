// Files that hold a secret and nothing else, by their names: `echo … > ~/.secrets/api_token`, `… | tee
// /run/secrets/db_password`, `… >> ~/.pgpass`.
import { MEDIUM, type SenseOf } from './key-names.ts';
import { isAbout } from './secret-shape.ts';

const SHORTEST = 4;
const TARGET =
  /(?:\|[ \t]{0,4}(?:sudo[ \t]{1,4})?tee[ \t]{1,4}(?:-a[ \t]{1,4})?|>{1,2}\|?[ \t]{0,4})(?:\\{0,4}["'])?([\w$~./{}-]{2,200})/y;
/** A directory for secrets, whose files have any name; but not the texts about them. */
const IN_DIRECTORY = /(?:^|\/)\.?secrets\/(?:[\w.-]+\/)*[\w-]+(?:\.txt|\.key|\.token)?$/;
const PASSWORD_FILE = /^\.?(?:vault|ansible|mysql|my|db)[-_]?pass(?:word)?$/;

/** Where the secret begins in the word text[start, end), which is written to the file behind `from`; 0 if it is none. */
export function secretInFile(
  text: string,
  start: number,
  end: number,
  from: number,
  senseOf: SenseOf,
): number {
  TARGET.lastIndex = from;
  const path = TARGET.exec(text)?.[1];
  if (path === undefined) return 0;
  const word = text.slice(start, end);
  const file = path.slice(path.lastIndexOf('/') + 1);
  if (file === '.pgpass' || file === 'pgpass.conf') {
    const fields = /^(?:[^:\s]{1,128}:){4}(?=[^\s:])/.exec(word)?.[0].length ?? 0;
    return fields === 0 ? 0 : start + fields;
  }
  if (word.length < SHORTEST || isAbout(word) || /\s/.test(word)) return 0;
  return isSecretFile(path, senseOf) ? start : 0;
}

/** Does the file hold a secret and nothing else, by its name? */
export function isSecretFile(path: string, senseOf: SenseOf): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  if (/^(?:readme|license|makefile|dockerfile)/i.test(file)) return false;
  if (IN_DIRECTORY.test(path) || PASSWORD_FILE.test(file)) return true;
  const name = file.replace(/^\./, '').replace(/\.txt$/, '');
  return senseOf(name, 0, name.length).level >= MEDIUM;
}
