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
  /** Their variables, which keep the last value behind the loop. */
  readonly loopNames: readonly string[];
  /** A descriptor may be open for something else than its number says, such as standard output for reading. */
  readonly movesDescriptors: boolean;
}

const GOES = /\b(?:cd|chdir|pushd|popd)\b/;
const REPEATS = /^(?:While|Until|For|Select|ArithmeticFor|Function|Coproc)$/;

/** An empty line. */
export const NO_SHAPE: LineShape = {
  goes: false,
  hasFunction: false,
  repeats: false,
  loops: 0,
  loopNames: [],
  movesDescriptors: false,
};

/** Of its words and parts, however they are written. */
export function shapeOf(script: SyntaxNode): LineShape {
  const shape: { -readonly [name in keyof LineShape]: LineShape[name] } = { ...NO_SHAPE };
  const look = (node: SyntaxNode): void => {
    if (node.type === 'Word' && GOES.test(node.value)) shape.goes = true;
    if (node.type === 'Function') shape.hasFunction = true;
    if (REPEATS.test(node.type) || (node.type === 'Statement' && node.background === true))
      shape.repeats = true;
    if (/^(?:For|Select|ArithmeticFor)$/.test(node.type)) shape.loops++;
    if (node.type === 'For') shape.loopNames = [...shape.loopNames, node.name.text];
    if (node.type === 'Redirect' && movesOne(node)) shape.movesDescriptors = true;
    // A shell without `&>` reads `a &> b` as `a &` and `> b`.
    if (node.type === 'Redirect' && node.operator.startsWith('&')) shape.repeats = true;
    forEachChild(node, look);
  };
  look(script);
  return shape;
}

function movesOne({ operator, descriptor, target }: Redirect): boolean {
  if (descriptor?.type === 'FileDescriptorVariable') return true;
  const isInput = operator.startsWith('<');
  const number = descriptor?.value ?? (isInput ? 0 : 1);
  if (/^(?:<&|<>)$/.test(operator)) return true;
  if (operator === '>&' && /^\d/.test(target?.text ?? '') && !/^[12]$/.test(target?.text ?? '')) return true;
  return isInput ? number !== 0 : number !== 1 && number !== 2;
}
