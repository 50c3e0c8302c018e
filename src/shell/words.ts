// The words of a command as the shell would hand them over, as far as the line itself tells: quotes are off, variables
// the line has set are filled in, all other expansions stay as they are written and are never a known name or path.
import type { Assignment, Command, HereDoc, Word, WordPart } from 'unbash';
import { MAX_COMMAND } from './facts.ts';
import { operated } from './parameter-operations.ts';

export interface Lookup {
  /** The value of a variable, where the line sets it. */
  readonly variable: (name: string) => string | null;
  /** What `$(…)` stands for, where that is plain: the workspace's root. */
  readonly output: (text: string) => string | null;
  /** The words of `$@` inside a function that was called. */
  readonly given: readonly string[];
}

/** Where nothing of the line's variables is known. */
export const NO_LOOKUP: Lookup = { variable: () => null, output: () => null, given: [] };

export function argv(command: Command, lookup: Lookup): string[] {
  const words: string[] = [];
  let length = 0;
  const take = (found: readonly string[]): void => {
    for (const word of found) {
      // What variables hold may grow without bound when it is put into itself.
      length += word.length + 1;
      if (length <= MAX_COMMAND) words.push(word);
    }
  };
  if (command.name !== undefined) take(wordValues(command.name, lookup));
  for (const arg of command.args) {
    take(arg.type === 'Assignment' ? [assignmentText(arg, lookup)] : wordValues(arg, lookup));
  }
  return words;
}

/** `NAME=value` as an argument of export, env and the like. */
export function assignmentText(assignment: Assignment, lookup: Lookup): string {
  const { name, value } = assignment;
  return value.type === 'Word' ? `${name}=${wordValue(value, lookup)}` : assignment.text;
}

/** Mostly one; several where an unquoted variable holds several, or for `$@`. */
export function wordValues(word: Word, lookup: Lookup): string[] {
  const value = wordValue(word, lookup);
  if (word.text === '"$@"' || word.text === '$@' || word.text === '$*') return [...lookup.given];
  const alone = word.parts?.length === 1 ? word.parts[0] : undefined;
  const isOpen = alone?.type === 'SimpleExpansion' || alone?.type === 'ParameterExpansion';
  return isOpen && value !== word.text ? value.split(/\s+/).filter((part) => part !== '') : [value];
}

export function wordValue({ parts, value }: Word, lookup: Lookup): string {
  return parts === undefined ? value : joined(parts, lookup);
}

function joined(parts: readonly WordPart[], lookup: Lookup): string {
  let text = '';
  for (const part of parts) {
    text += partValue(part, lookup);
    if (text.length > MAX_COMMAND) break;
  }
  return text;
}

function partValue(part: WordPart, lookup: Lookup): string {
  switch (part.type) {
    case 'Literal':
    case 'Glob':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return joined(part.parts, lookup);
    case 'SimpleExpansion':
      return named(part.text.slice(1), lookup) ?? part.text;
    case 'ParameterExpansion': {
      const { operation, prefix, index, parameter } = part;
      const value = prefix === undefined && index === undefined ? named(parameter, lookup) : null;
      if (value === null || operation === undefined) return value ?? part.text;
      return operated(value, operation, (word) => wordValue(word, lookup)) ?? part.text;
    }
    case 'CommandExpansion':
      return lookup.output(part.text) ?? part.text;
    default:
      return part.text;
  }
}

function named(name: string, lookup: Lookup): string | null {
  return /^[1-9]$/.test(name) ? (lookup.given[Number(name) - 1] ?? null) : lookup.variable(name);
}

/** Which variable a word is, and nothing else: `$rc`, `"${rc}"`, `$?`, `${PIPESTATUS[0]}`. */
export function referenceIn(word: Word): string | null {
  return (
    /^"?\$(?:\{([A-Za-z_]\w*(?:\[\d\])?|\?)\}|([A-Za-z_]\w*|\?|!))"?$/
      .exec(word.text)
      ?.slice(1)
      .find(Boolean) ?? null
  );
}

/** The parts of a word that no quotes are around, and those within quotes, in their order. */
function* unquoted(parts: readonly WordPart[] | undefined): Generator<WordPart> {
  for (const part of parts ?? []) {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') yield* unquoted(part.parts);
    else yield part;
  }
}

/** What stands in an operation of a parameter: `${name:-…}`. */
function operandOf(part: WordPart): readonly WordPart[] | undefined {
  const operation = part.type === 'ParameterExpansion' ? part.operation : undefined;
  return operation !== undefined && 'operand' in operation ? operation.operand?.parts : undefined;
}

/** The expressions that the shell works out in a word: `$((…))`, subscripts, slices. */
export function* expressions(parts: readonly WordPart[] | undefined): Generator<string> {
  for (const part of unquoted(parts)) {
    if (part.type === 'ArithmeticExpansion') yield part.text.replace(/^\$(?:\(\(|\[)|(?:\)\)|\])$/g, '');
    if (part.type !== 'ParameterExpansion') continue;
    const { index, operation } = part;
    if (index !== undefined && !/^[@*]$/.test(index.text)) yield index.text;
    if (operation?.type === 'Slice') yield `${operation.offset.text} ${operation.length?.text ?? ''}`;
    // `${rc:=0}`
    if (operation?.type === 'Default' && operation.operator.endsWith('=')) yield `${part.parameter} = 0`;
    yield* expressions(operandOf(part));
  }
}

/** The first expansion of a word whose value nobody knows. */
export function unresolved(parts: readonly WordPart[] | undefined, lookup: Lookup): string | null {
  for (const part of unquoted(parts)) {
    const isOpen = /^(?:Simple|Parameter|Command|Arithmetic)Expansion$/.test(part.type);
    if (isOpen && !/^\$[@*]$/.test(part.text) && partValue(part, lookup) === part.text) return part.text;
  }
  return null;
}

/** The scripts inside a word: `$(…)`, backticks, `<(…)`. */
export function* substitutions(
  parts: readonly WordPart[] | undefined,
): Generator<WordPart & { script: unknown }> {
  for (const part of unquoted(parts)) {
    if (part.type === 'CommandExpansion' || part.type === 'ProcessSubstitution') yield part;
    yield* substitutions(operandOf(part));
  }
}

/** All words of a command, its assignments' and redirections' included. */
export function* wordsOf(command: Command): Generator<Word> {
  for (const item of command.prefix) yield* wordsIn(item);
  if (command.name !== undefined) yield command.name;
  for (const item of command.suffix) yield* wordsIn(item);
}

function* wordsIn(item: Command['prefix'][number] | Command['suffix'][number]): Generator<Word> {
  if (item.type === 'Word') yield item;
  else if (item.type === 'Assignment') {
    if (item.value.type === 'Word') yield item.value;
    else yield* item.value.elements;
  } else if (item.type !== 'HereDoc' && item.target !== undefined) yield item.target;
}

export function hereDocs(command: Command): HereDoc[] {
  return command.redirects.filter((redirect) => redirect.type === 'HereDoc');
}
