// A line of PowerShell in bash's words, so that one reader is enough. Simple commands in a row or a pipe, with the cmdlets
// that agents use beside programs. Whatever else a line holds (variables that are set, blocks, expressions) makes it one
// that no shell can read: what is not known proves nothing.

/** No shell reads this, while the words stay to be seen. */
const unreadable = (line: string): string => `${line}\n)`;

/** Names of cmdlets' options that take no value. */
const SWITCH =
  /^-(?:Recurse|Force|Raw|Append|NoNewline|SimpleMatch|CaseSensitive|Quiet|UseBasicParsing|Stream|Wait|NoClobber|PassThru|AllMatches|Verbose|Confirm:.*)$/i;
const LONGEST = 64 * 1024;

interface Given {
  readonly words: readonly string[];
  /** The value of an option; the names are in lower case. */
  option(...names: readonly string[]): string | undefined;
}

/** Never throws. */
export function asBash(line: string): string {
  return inBash(line) ?? unreadable(line);
}

/** Null where it holds more than bash has words for. */
function inBash(line: string): string | null {
  if (line.length > LONGEST) return null;
  const tokens = tokensOf(line);
  if (tokens === null) return null;
  const out: string[] = [];
  let words: string[] = [];
  let rest: string[] = [];
  const finish = (): boolean => {
    const read = words.length === 0 ? [] : commandOf(words);
    if (read === null) return false;
    out.push(...read, ...rest);
    [words, rest] = [[], []];
    return true;
  };
  for (const { kind, text } of tokens) {
    if (kind === 'word') words.push(text);
    else if (kind === 'redirect') rest.push(text);
    else if (!finish()) return null;
    else out.push(text);
  }
  return finish() ? out.join(' ').trim() : null;
}

/** Options that change nothing in how a line ends. */
const ASIDE = '(?: +-(?:NoProfile|NoLogo|NonInteractive|(?:ExecutionPolicy|ep) +\\w+))*';
/** `powershell -Command "…"` in bash, at the beginning of a command, with nothing in it that bash would change. */
const INSIDE = new RegExp(
  `(^|&& |; )(?:powershell|pwsh)(?:\\.exe)?${ASIDE} +-(?:Command|c) +(?:"((?:[^"\`$\\\\]|\\\\[^"\`$\\\\\n])*)"|'([^']*)')(?=$| *[;|&]| +2>&1)`,
  'i',
);

/** A line of bash that hands another to PowerShell, as one line. Never throws. */
export function withoutPowerShell(line: string): string {
  if (line.length > LONGEST) return line;
  const [whole, before = '', double, single = ''] = INSIDE.exec(line) ?? [];
  if (whole === undefined) return line;
  const inner = inBash(double ?? single);
  return inner === null ? line : line.replace(whole, () => `${before}(${inner})`);
}

interface Token {
  readonly kind: 'word' | 'redirect' | 'between';
  /** As bash has it, quotes included. */
  readonly text: string;
}

const BETWEEN = /(?:&&|\|\||[;|\n])/y;
const REDIRECT = /(?:([12*]?)(>>?)(?:(&1)|[ \t]*(\$null\b)?))/iy;
const SPACE = /(?:[ \t\r]|`\r?\n|(?<=^|[\s;|])#[^\n]*)+/y;
const HERE = /@(['"])[ \t]*\r?\n([\s\S]*?)\r?\n\1@/y;
/** One piece of a word: a quoted text of either kind, a variable, or plain characters. A backslash is one of those. */
const PIECE =
  /'((?:[^']|'')*)'|"((?:[^"`]|""|`[\s\S])*)"|\$(env:)?(\w+|\?)(?![.:[(])|([\w.:/\\=+*?~,^%!#[\]-]|@(?![({'"]))+/iy;

function tokensOf(line: string): Token[] | null {
  const tokens: Token[] = [];
  const take = (form: RegExp, at: number): RegExpExecArray | null => {
    form.lastIndex = at;
    return form.exec(line);
  };
  let at = 0;
  while (at < line.length) {
    const begins = tokens.at(-1)?.kind !== 'word' && tokens.at(-1)?.kind !== 'redirect';
    const space = take(SPACE, at);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const between = take(BETWEEN, at);
    if (between !== null) {
      tokens.push({ kind: 'between', text: between[0] });
      at += between[0].length;
      continue;
    }
    // The call operator. Elsewhere it leaves a job behind.
    if (line[at] === '&' && begins) {
      at++;
      continue;
    }
    const redirect = take(REDIRECT, at);
    if (redirect !== null) {
      const [whole, stream = '', arrow, joined, nothing] = redirect;
      at += whole.length;
      if (joined !== undefined) {
        tokens.push({ kind: 'redirect', text: '2>&1' });
        continue;
      }
      const target = nothing === undefined ? wordAt(line, at) : { text: '/dev/null', end: at };
      if (target === null) return null;
      const from = stream === '*' ? '&' : stream;
      tokens.push({ kind: 'redirect', text: `${from}${arrow}${target.text}` });
      at = target.end;
      continue;
    }
    const here = take(HERE, at);
    const [, quote, body = ''] = here ?? [];
    const word =
      here === null
        ? wordAt(line, at)
        : quote === '"' && /[$`]/.test(body)
          ? null
          : { text: literal(body), end: at + here[0].length };
    if (word === null) return null;
    tokens.push({ kind: 'word', text: word.text });
    at = word.end;
  }
  return tokens;
}

function wordAt(line: string, from: number): { readonly text: string; readonly end: number } | null {
  let text = '';
  let at = from;
  for (;;) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(line);
    if (piece === null) break;
    const [whole, single, double, env, variable] = piece;
    if (single !== undefined) text += literal(single.replaceAll("''", "'"));
    else if (double !== undefined) {
      const inner = insideOf(double);
      if (inner === null) return null;
      text += inner;
    } else if (variable !== undefined) text += variableOf(variable, env !== undefined);
    else text += bare(whole);
    at += whole.length;
  }
  const ends = at >= line.length || /[\s;|&>]/.test(line[at] ?? '') || line.startsWith('`\n', at);
  return at > from && ends ? { text, end: at } : null;
}

/** A path's backslashes are slashes elsewhere. */
function bare(text: string): string {
  const path = text.replaceAll('\\', '/');
  return /^[\w@%+=:,./~*?^-]+$/.test(path) ? path : literal(path);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function variableOf(name: string, isEnv: boolean): string {
  if (isEnv) return `"$${name}"`;
  return /^(?:\?|LASTEXITCODE)$/i.test(name) ? '"$?"' : `"$foil_ps_${name}"`;
}

/** The inside of double quotes; null where it holds an expression. */
function insideOf(text: string): string | null {
  let out = '';
  for (const [whole, escaped, env, variable] of text.matchAll(
    /`([\s\S])|\$(env:)?(\w+|\?)|""|[^`$"]+|[\s\S]/gi,
  )) {
    if (escaped !== undefined) out += literal(escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped);
    else if (variable !== undefined) out += variableOf(variable, env !== undefined);
    else if (whole === '$') return null;
    else out += literal(whole === '""' ? '"' : whole);
  }
  return out === '' ? "''" : out;
}

/** Null where the command is an expression, or a block that was left open. */
function commandOf(words: readonly string[]): readonly string[] | null {
  const [first = '', sign, value, ...more] = words;
  const name = /^"\$(\w+)"$/.exec(first)?.[1];
  // `$env:CI = '1'`. Other variables are not followed.
  if (name !== undefined)
    return sign === '=' && value !== undefined && more.length === 0 && !name.startsWith('foil_ps_')
      ? ['export', `${name}=${value}`]
      : null;
  if (
    /^(?:return|throw|if|for|foreach|while|do|switch|try|function|param|\.|!|\[.*|'\[.*)$/i.test(first) ||
    /=|^--%$/.test(first)
  )
    return null;
  if (words.includes('--%')) return null;
  const program = first.replace(/\.(?:exe|cmd|bat)(?='?$)/i, '');
  const form = CMDLETS.find(([names]) => names.test(program))?.[1];
  return form === undefined ? [program, ...words.slice(1)] : form(given(words.slice(1)));
}

function given(all: readonly string[]): Given {
  const words: string[] = [];
  const options = new Map<string, string>();
  for (let i = 0; i < all.length; i++) {
    const word = all[i] ?? '';
    if (!/^-[A-Za-z]/.test(word)) words.push(word);
    else if (SWITCH.test(word)) options.set(word.slice(1).toLowerCase(), '');
    else options.set(word.slice(1).toLowerCase(), all[++i] ?? '');
  }
  const path = options.get('path') ?? options.get('literalpath') ?? options.get('filepath');
  return {
    words: path === undefined ? words : [path, ...words],
    option: (...names) => names.map((each) => options.get(each)).find((each) => each !== undefined),
  };
}

const CMDLETS: readonly (readonly [RegExp, (given: Given) => readonly string[] | null])[] = [
  [/^(?:Set-Location|sl|chdir)$/i, ({ words }) => ['cd', ...words]],
  [/^Push-Location$/i, ({ words }) => ['pushd', ...words]],
  [/^Pop-Location$/i, () => ['popd']],
  [/^(?:Write-(?:Output|Host)|write)$/i, ({ words }) => ['echo', ...words]],
  [/^(?:Get-Content|gc|type)$/i, ({ words }) => ['cat', ...words]],
  [/^(?:Get-ChildItem|gci|dir)$/i, ({ words }) => ['ls', ...words]],
  [/^(?:Select-Object|select)$/i, selected],
  [/^(?:Out-String|Out-Host|Out-Default)$/i, () => ['cat']],
  [/^Out-Null$/i, () => ['cat', '>/dev/null']],
  [/^(?:Tee-Object|Set-Content|Add-Content)$/i, ({ words }) => ['tee', ...words.slice(0, 1)]],
  [/^Out-File$/i, ({ words: [file] }) => (file === undefined ? null : ['cat', `>${file}`])],
  [/^(?:Select-String|sls)$/i, matched],
  [/^(?:Remove-Item|ri|del|erase|rd)$/i, ({ words }) => ['rm', '-rf', ...words]],
  [/^(?:Copy-Item|cpi|copy)$/i, (all) => ['cp', '-r', ...all.words, ...listed(all.option('destination'))]],
  [
    /^(?:Move-Item|mi|move|Rename-Item|ren)$/i,
    (all) => ['mv', ...all.words, ...listed(all.option('destination', 'newname'))],
  ],
  [
    /^(?:New-Item|ni)$/i,
    (all) => [
      all.option('itemtype', 'type')?.toLowerCase() === 'directory' ? 'mkdir' : 'touch',
      ...all.words,
    ],
  ],
  [
    /^(?:Invoke-WebRequest|iwr|Invoke-RestMethod|irm)$/i,
    (all) => ['curl', '-f', ...listed(all.option('uri')), ...all.words],
  ],
  [/^Start-Sleep$/i, ({ words, option }) => ['sleep', option('seconds') ?? words[0] ?? '1']],
];

function listed(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

function selected({ option }: Given): readonly string[] | null {
  const [last, first] = [option('last'), option('first')];
  if (last !== undefined) return ['tail', '-n', last];
  return first === undefined ? null : ['head', '-n', first];
}

function matched({ words, option }: Given): readonly string[] | null {
  const pattern = option('pattern');
  const all = pattern === undefined ? words : [pattern, ...words];
  return all.length === 0 ? null : ['grep', '-iE', ...all];
}
