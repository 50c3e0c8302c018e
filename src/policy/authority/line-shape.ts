// What a line for a shell has in it as a whole: that decides how much of its words can be known.
import { forEachChild, type SyntaxNode } from 'unbash';

/** What a line has in it, wherever it stands. */
export interface LineShape {
  /** A command may change the folder. */
  readonly goes: boolean;
  readonly hasFunction: boolean;
  /** A part of it may run several times, or beside the others, or later than it stands. */
  readonly repeats: boolean;
  readonly loops: number;
}

const GOES = /\b(?:cd|chdir|pushd|popd)\b/;
const REPEATS = /^(?:While|Until|For|Select|ArithmeticFor|Function|Coproc)$/;

/** Of its words and parts, however they are written. */
export function shapeOf(script: SyntaxNode): LineShape {
  let [goes, hasFunction, repeats, loops] = [false, false, false, 0];
  const look = (node: SyntaxNode): void => {
    if (node.type === 'Word' && GOES.test(node.value)) goes = true;
    if (node.type === 'Function') hasFunction = true;
    if (REPEATS.test(node.type) || (node.type === 'Statement' && node.background === true)) repeats = true;
    if (/^(?:For|Select|ArithmeticFor)$/.test(node.type)) loops++;
    forEachChild(node, look);
  };
  look(script);
  return { goes, hasFunction, repeats, loops };
}
