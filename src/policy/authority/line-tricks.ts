// Parts of a line that may change what the words behind them mean, or run a text that can't be seen: variables that are set,
// expansions and comparisons that calculate, and forms that shells read in different ways. A line with one can't be read.
import type { SyntaxNode, TestExpression, Word } from 'unbash';
import type { Doubt, FoundNeeds } from './found-needs.ts';
import { programNeed } from './need.ts';
import { isOdd } from './odd-words.ts';

/** Variables by which a program finds others, or decides what to run. */
export const STEERS =
  /(?<!^(?:PYTHON|NODE_|GO|CLASS))PATH|IFS|^ENV$|OPTS?$|OPTIONS|COMMAND|EDITOR|PAGER|VISUAL|BROWSER|PRELOAD|LIBRARY|SHELL|ASKPASS|SSH|DIFF|HOOK|STARTUP|WRAPPER|MAKEFLAGS|LESSOPEN|LESSCLOSE|^HOME$|^OLDPWD$|^PS\d$|^BASH|^HISTCHARS$|^_?GIT_|^LD_|^DYLD_/i;

/** Names of lower-case letters that zsh, with its modules, has a meaning for. They don't hold what they are given, or change what lines mean. */
// biome-ignore format: a list
const OF_ZSH = new Set([
  'argv', 'commands', 'dirstack', 'epochtime', 'errnos', 'fignore', 'funcfiletrace', 'funcsourcetrace', 'funcstack', 'functions',
  'functrace', 'histchars', 'history', 'historywords', 'jobdirs', 'jobstates', 'jobtexts', 'keymaps', 'langinfo', 'mapfile', 'mbegin',
  'mend', 'match', 'modules', 'nameddirs', 'options', 'parameters', 'patchars', 'pipestatus', 'precommands', 'prompt', 'psvar',
  'reswords', 'signals', 'status', 'sysparams', 'termcap', 'terminfo', 'userdirs', 'usergroups', 'watch', 'widgets', 'words',
]);
/** The same, in families: `galiases`, `dis_builtins`, `precmd_functions`, `prompt2`, `zle_highlight`. */
const LIKE_ZSH =
  /aliases$|builtins$|^dis_|_functions$|^functions_|^prompt\d|^z(?:sh|le|curses)_|^comp(?:state|context)|^region_/;

export const ODD = 'shells read a part of it in different ways';

/** What may change what the words behind it mean, or run a text that can't be seen. */
export function noteTrick(found: FoundNeeds, node: SyntaxNode): void {
  if (isOdd(node, found.loops)) found.lose(ODD);
  switch (node.type) {
    case 'Assignment':
      found.lose(`it sets ${node.name}`, doubtOf(node.name));
      return;
    case 'Coproc':
      if (node.name !== undefined) found.lose(`it sets ${node.name.text}`);
      return;
    case 'ArithmeticCommand':
      // A shell without `((…))` reads it as one subshell in another.
      found.lose(ODD);
      return;
    case 'Function':
      if (found.shape.goes) found.lose('a function of it may run in another folder', 'files');
      return;
    case 'Select':
      // Its menu shows the names that its wildcards find, and it sets a variable.
      found.lose('it has a menu');
      return;
    case 'For':
      // Variables of the environment are written in capitals.
      if (!isPlainVariable(node.name.text)) found.lose(`it sets ${node.name.text}`, doubtOf(node.name.text));
      return;
    case 'ArithmeticWord':
      if (/[^\d\s]/.test(node.value))
        found.lose(
          'it calculates with what only the shell knows',
          /[^\w\s+*/%()<>=!-]/.test(node.value) ? 'commands' : 'variable',
        );
      return;
    case 'ParameterExpansion':
      if (node.operation?.type === 'Default' && node.operation.operator.endsWith('='))
        found.lose(`it sets ${node.parameter}`, doubtOf(node.parameter));
      if (mayRun(node)) found.lose('it has an expansion that may run a text');
      return;
    case 'TestCommand':
      if (isPlainTest(node.expression)) found.need(programNeed('test'));
      else found.lose('it compares with [[', 'variable');
      return;
    case 'TestUnary':
      if (/^-[vR]$/.test(node.operator)) found.lose('it compares with [[, which may run what it compares');
      return;
    case 'TestBinary':
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !areNumbers(node.left, node.right))
        found.lose('it compares with [[, which may run what it compares');
  }
}

function isPlainVariable(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !STEERS.test(name) && !OF_ZSH.has(name) && !LIKE_ZSH.test(name);
}

/** `${x[i]}` and `${x:i}` calculate, which runs what stands in `$(…)` there, and `${!x}` reads what another variable names. */
function mayRun(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): boolean {
  const { prefix, index, operation, text } = node;
  // What quotes mean in there depends on what is around it, so a text may be code.
  if (/[$`'"\\]/.test(text.slice(1)) && (operation !== undefined || index !== undefined)) return true;
  if (prefix === '!' || (index !== undefined && !/^(?:\d+|[@*])$/.test(index.text))) return true;
  switch (operation?.type) {
    case undefined:
    case 'Default':
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
      return false;
    case 'Slice':
      return [operation.offset, operation.length].some(
        (word) => word !== undefined && !/^\s*-?\d+\s*$/.test(word.text),
      );
    default:
      return true;
  }
}

/** `[[ -f FILE ]]`: a shell without `[[` finds no program of that name. */
function isPlainTest(expression: TestExpression): boolean {
  if (expression.type === 'TestNot') return isPlainTest(expression.operand);
  return (
    expression.type === 'TestUnary' &&
    /^-[defhnrswxzL]$/.test(expression.operator) &&
    /^(?:[\w./-]+|"[\w./ -]*"|"\$\w+")$/.test(expression.operand.text)
  );
}

const areNumbers = (...words: readonly Word[]): boolean => words.every(({ text }) => /^\d+$/.test(text));

/** Some variables name programs, or change what words mean. */
export function doubtOf(variable: string | undefined): Doubt {
  return variable === undefined || STEERS.test(variable) ? 'commands' : 'variable';
}
