// The lines that are read before they run: commands joined by `&&`, `||`, `|`, `;`, `&` and line breaks, in parentheses, an `if` or
// one `for`; words of plain characters, quotes, `$NAME` and `$(…)`; redirections and documents as everybody writes them. Shells of
// all kinds and ages read these alike. A line with anything else can't be read, whatever it may be: that holds for each character,
// and for each kind of part that the parser finds.
import { forEachChild, type Redirect, type SyntaxNode } from 'unbash';
import { shapeOf } from './line-shape.ts';

/** Null where it is plain; otherwise what it has that isn't. The script is the parser's, of the same line. */
export function oddityOf(line: string, script: SyntaxNode): string | null {
  try {
    new PlainText(line).whole();
  } catch (error) {
    if (error instanceof Oddity) return error.message;
    throw error;
  }
  return shapeOf(script).loops > 1 ? 'more than one loop' : partOddity(script);
}

class Oddity extends Error {}

/** In a word, outside quotes: old shells read some bytes of other letters as blanks. `~` stands for a home at its beginning alone, and behind `=` or `:` to some shells. */
const PLAIN = /[A-Za-z0-9_./:@%+,=^#~*?-]/;
const EXPANSION = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|\?)(?!\[|:[A-Za-z&])/y;
/** A `$` that stands for itself, to all shells. */
const LONE_DOLLAR = /\$(?=["\s|)/.,;]|$)/y;
const REDIRECTION = /(?:[12]?>{1,2}|<)(?= *[^\s<>&|;()!])|[12]?>&[12](?=[\s;&|)]|$)/y;
const DOCUMENT = /<<[ ]?(['"]?)([A-Za-z]\w*)\1(?=[\s;&|)]|$)/y;
const OPERATOR = /&&|\|\||\|(?!&)|;(?![;&|])|&(?=[\s)]|$)/y;
/** Behind an operator that is whole: `|\\⏎|` is `||`. */
const CONTINUED = /\\\n(?![|&;<>()\\])/y;
/** In an interactive zsh, it is no comment. Then these words name a program that nobody has. */
const COMMENT = /#[^\n]*/y;
const PLAIN_COMMENT = /^#[\p{L}\p{N}\s.,:_/@+=-]*$/u;
const EMPTY_QUOTES: ReadonlySet<string> = new Set(["''", '""']);
const SIGNS = /[;&|<>()!]+/y;
/** In double quotes, up to what has a meaning there. */
const QUOTED = /[^"$`\\!]*/y;
/** An interactive shell puts an earlier line there, unless one of these follows. zsh takes `!"` away. */
const LONE_MARK = /!(?=[\s=]|$)/y;
/** In some encodings, a letter ends with the backslash behind it, so what follows is not escaped. */
const LETTER = /[^ -~\n]\d*$/;
/** Before its line is run, an interactive shell completes names at a tab, and puts an earlier line in place of `^a^b`. */
const EDITED = /\t|^ *\^/m;

class PlainText {
  readonly #text: string;
  #at = 0;
  /** Where quotes or an expansion ended. */
  #opaqueEnd = -1;
  /** Documents that begin behind the next line break. */
  #documents: { readonly delimiter: string; readonly isQuoted: boolean }[] = [];
  /** All but documents, up to where the last one ended. */
  #rows = '';
  #rowsEnd = 0;

  constructor(text: string) {
    if (/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u.test(text)) throw new Oddity('a character that cannot be seen');
    this.#text = text;
  }

  whole(): void {
    this.#list(null);
    if (EDITED.test(this.#rows + this.#text.slice(this.#rowsEnd)))
      throw new Oddity('a tab, or a ^ at the beginning of a row');
  }

  /** Up to a closing parenthesis, or to the end. */
  #list(closing: ')' | null): void {
    for (let mayOpen = true; ; ) {
      this.#blanks();
      const char = this.#text[this.#at];
      if (char === undefined) {
        if (closing !== null || this.#documents.length > 0) throw new Oddity('an end that is missing');
        return;
      }
      if (char === '\n') {
        this.#at++;
        this.#readDocuments();
        mayOpen = true;
      } else if (char === ')') {
        if (closing === null || this.#documents.length > 0) throw new Oddity('a parenthesis out of place');
        this.#at++;
        return;
      } else if (char === '(') {
        // `((` calculates, and behind a word a parenthesis means something else in each shell.
        if (!mayOpen || this.#text[this.#at + 1] === '(') throw new Oddity('a parenthesis out of place');
        this.#at++;
        this.#list(')');
        mayOpen = false;
      } else if (char === '#') this.#comment();
      else if (this.#take(OPERATOR) !== null) {
        mayOpen = true;
        this.#take(CONTINUED);
      } else {
        if (!this.#document() && this.#take(REDIRECTION) === null) this.#word();
        mayOpen = false;
      }
    }
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  /** With line breaks that continue the line between words. */
  #blanks(): void {
    for (let isBlank = this.#at === 0; ; isBlank = true) {
      if (/[ \t]/.test(this.#text[this.#at] ?? '')) this.#at++;
      else if (isBlank && this.#text.startsWith('\\\n', this.#at)) this.#at += 2;
      else return;
    }
  }

  #comment(): void {
    const [text = ''] = this.#take(COMMENT) ?? [];
    if (!PLAIN_COMMENT.test(text)) throw new Oddity('a comment with quotes or signs in it');
  }

  #document(): boolean {
    const [whole, quote, delimiter = ''] = this.#take(DOCUMENT) ?? [];
    if (whole !== undefined) this.#documents.push({ delimiter, isQuoted: quote !== '' });
    return whole !== undefined;
  }

  #readDocuments(): void {
    this.#rows += this.#text.slice(this.#rowsEnd, this.#at);
    for (const { delimiter, isQuoted } of this.#documents) {
      for (;;) {
        if (this.#at >= this.#text.length) throw new Oddity('a document without an end');
        const end = this.#text.indexOf('\n', this.#at);
        const row = this.#text.slice(this.#at, end < 0 ? undefined : end);
        this.#at = end < 0 ? this.#text.length : end + 1;
        if (row === delimiter) break;
        // Some shells take `E)` for its end.
        if (row.startsWith(delimiter)) throw new Oddity('a document that may end early');
        if (!isQuoted && /[$`\\]/.test(row)) throw new Oddity('a document with expansions');
      }
    }
    this.#documents = [];
    this.#rowsEnd = this.#at;
  }

  #word(): void {
    const from = this.#at;
    for (;;) {
      const char = this.#text[this.#at] ?? ' ';
      if (/[ \t\n;&|<>()]/.test(char)) break;
      if (EMPTY_QUOTES.has(this.#text.slice(this.#at, this.#at + 2))) this.#emptyQuotes(from);
      else if (char === "'") this.#singleQuotes();
      else if (char === '"') this.#doubleQuotes();
      else if (char === '$' || char === '`') this.#dollar();
      else if (char === '\\') this.#escape();
      else if (/[![\]]/.test(char)) this.#alone(from);
      else this.#plain(from);
    }
    // Some shells read digits right before a redirection as a word, and others as what it redirects.
    if (/^[\d'"\\]+$/.test(this.#text.slice(from, this.#at)) && /[<>]/.test(this.#text[this.#at] ?? ''))
      throw new Oddity('digits before a redirection');
    if (this.#at > from) return;
    const [sign = ''] = this.#take(SIGNS) ?? [];
    const plain = /^&>/.test(sign) ? 'write > FILE 2>&1' : /^\|&/.test(sign) ? 'write 2>&1 |' : null;
    throw new Oddity(`${sign}, which shells read in different ways${plain === null ? '' : ` (${plain})`}`);
  }

  #plain(from: number): void {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    if (!PLAIN.test(char)) throw new Oddity(`a ${char} outside quotes (quote it)`);
    const isFirst = this.#at === from;
    if (isFirst && char === '=' && !/^==?[\s;&|)]/.test(this.#text.slice(from, from + 3)))
      throw new Oddity('a word that begins with =');
    if (char === '~' && (isFirst ? !this.#isHome() : /[=:]/.test(this.#text[this.#at - 1] ?? '')))
      throw new Oddity('a ~ that may stand for another folder');
    // What stands before may be empty: then `"$X"~/y` begins with the tilde, and `*"$X"*` are two stars.
    if (/[~=*?]/.test(char) && this.#at === this.#opaqueEnd)
      throw new Oddity(`a ${char} behind quotes or an expansion`);
    this.#at += char.length;
  }

  #isHome(): boolean {
    return /[/\s;&|<>)]/.test(this.#text[this.#at + 1] ?? ' ');
  }

  /** `[`, `]`, `!` and `!=`, which are words of a test. */
  #alone(from: number): void {
    const [word = ''] =
      /^(?:!(?=\s|$)|(?:!=|\[|\])(?=[\s;&|)]|$))/.exec(this.#text.slice(from, from + 4)) ?? [];
    if (this.#at !== from || word === '')
      throw new Oddity('brackets or ! outside quotes (quote them; a test is written [ … ])');
    this.#at += word.length;
  }

  /** A whole word: what stands behind them begins the word to some shells, as in `''~/x` and `*''*`. */
  #emptyQuotes(from: number): void {
    const isWhole = this.#at === from && /[\s;&|<>)]/.test(this.#text[this.#at + 2] ?? ' ');
    if (!isWhole) throw new Oddity('empty quotes within a word');
    this.#at += 2;
  }

  #singleQuotes(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) throw new Oddity('a quote that is not closed');
    this.#at = end + 1;
    this.#opaqueEnd = this.#at;
  }

  #doubleQuotes(): void {
    this.#at++;
    for (;;) {
      const [before = ''] = this.#take(QUOTED) ?? [];
      const char = this.#text[this.#at];
      if (char === undefined) throw new Oddity('a quote that is not closed');
      if (char === '"') break;
      if (char === '\\') {
        if (LETTER.test(before))
          throw new Oddity('a backslash behind a letter beyond ASCII (write single quotes)');
        if (this.#text[this.#at + 1] === '!') throw new Oddity('! in double quotes (write single quotes)');
        this.#escape();
      } else if (char !== '!') this.#dollar();
      else if (this.#take(LONE_MARK) === null) throw new Oddity('! in double quotes (write single quotes)');
    }
    this.#at++;
    this.#opaqueEnd = this.#at;
  }

  #escape(): void {
    if (!/[ -~]/.test(this.#text[this.#at + 1] ?? '')) throw new Oddity('a backslash at the end of a line');
    this.#at += 2;
  }

  #dollar(): void {
    if (this.#text[this.#at] === '`') throw new Oddity('a backtick');
    if (this.#take(EXPANSION) !== null) this.#opaqueEnd = this.#at;
    else if (this.#text.startsWith('$(', this.#at) && this.#text[this.#at + 2] !== '(') {
      const documents = this.#documents;
      this.#documents = [];
      this.#at += 2;
      this.#list(')');
      this.#documents = documents;
      this.#opaqueEnd = this.#at;
    } else if (this.#take(LONE_DOLLAR) === null) throw new Oddity('an expansion that is more than $NAME');
  }
}

/** What the parser may find in a plain line. */
const PARTS =
  /^(?:Script|CompoundList|Statement|AndOr|Pipeline|Negation|Command|Subshell|If|Elif|Redirected|Redirect|FileDescriptor|HereDoc|HereDocBody|HereDocDelimiter|Word|Assignment|Literal|SingleQuoted|DoubleQuoted|SimpleExpansion|ParameterExpansion|CommandExpansion|Glob|For)$/;

/** Behind a redirection, these are names to some shells, and words of the language to others. */
const RESERVED =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|function|select|repeat|foreach|end|time|coproc|nocorrect|always)$/;
/** `z:` and `2=` are more than names to some shells. */
const PROGRAM = /^[A-Za-z0-9_./~+@-]+$|^[[:]$/;
const ODD_PART = 'a part that shells read in different ways';
const NAMES: Readonly<Record<string, string>> = {
  While: 'a while loop',
  ArithmeticFor: 'a loop that counts',
  Case: 'a case',
  Function: 'a function',
  BraceGroup: 'a group in braces',
  TestCommand: 'a test with [[',
  HereString: '<<<',
  Time: 'the word time',
};

function partOddity(node: SyntaxNode): string | null {
  if (!PARTS.test(node.type)) return NAMES[node.type] ?? ODD_PART;
  if (node.type === 'Statement' && node.background === true && node.command.type === 'AndOr')
    return '& behind several commands';
  if (node.type === 'Redirect' && !isPlainRedirect(node)) return 'a redirection of another kind';
  if (node.type === 'HereDoc' && node.descriptor !== undefined) return 'a redirection of another kind';
  if (node.type === 'Command' && node.prefix.every(({ type }) => type !== 'Assignment')) {
    if (node.name === undefined) return 'a redirection without a command';
    if (RESERVED.test(node.name.text)) return 'a word of the shell out of place';
    if (!PROGRAM.test(node.name.text)) return 'a program whose name is not written plainly';
  }
  let found: string | null = null;
  forEachChild(node, (child) => {
    found ??= partOddity(child);
  });
  return found;
}

function isPlainRedirect({ operator, descriptor }: Redirect): boolean {
  if (operator === '<') return descriptor === undefined;
  if (!/^>>?$|^>&$/.test(operator)) return false;
  return descriptor === undefined || ('value' in descriptor && /^[12]$/.test(`${descriptor.value}`));
}
