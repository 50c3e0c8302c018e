// What a line for a shell has in it as a whole: that decides how much of its words can be known.
import { forEachChild, type Redirect, type SyntaxNode } from 'unbash';

/** What a line has in it, wherever it stands. */
export interface LineShape {
  /** A command may change the folder. */
  readonly goes: boolean;
  readonly hasFunction: boolean;
  /** A part of it may run several times, or beside the others, or later than it stands. */
  readonly repeats: boolean;
  readonly loops: number;
  /** A descriptor may be open in another way than its number says: standard output for reading, others at all. */
  readonly movesDescriptors: boolean;
}

const GOES = /\b(?:cd|chdir|pushd|popd)\b/;
const REPEATS = /^(?:While|Until|For|Select|ArithmeticFor|Function|Coproc)$/;

/** Of its words and parts, however they are written. */
export function shapeOf(script: SyntaxNode): LineShape {
  let [goes, hasFunction, repeats, loops, movesDescriptors] = [false, false, false, 0, false];
  const look = (node: SyntaxNode): void => {
    if (node.type === 'Word' && GOES.test(node.value)) goes = true;
    if (node.type === 'Function') hasFunction = true;
    if (REPEATS.test(node.type) || (node.type === 'Statement' && node.background === true)) repeats = true;
    if (/^(?:For|Select|ArithmeticFor)$/.test(node.type)) loops++;
    if (node.type === 'Redirect' && movesOne(node)) movesDescriptors = true;
    forEachChild(node, look);
  };
  look(script);
  return { goes, hasFunction, repeats, loops, movesDescriptors };
}

function movesOne({ operator, descriptor, target }: Redirect): boolean {
  if (descriptor?.type === 'FileDescriptorVariable') return true;
  const isInput = operator.startsWith('<');
  const number = descriptor?.value ?? (isInput ? 0 : 1);
  if (/^(?:<&|<>)$/.test(operator)) return true;
  if (operator === '>&' && /^\d/.test(target?.text ?? '') && !/^[12]$/.test(target?.text ?? '')) return true;
  return isInput ? number !== 0 : number !== 1 && number !== 2;
}
