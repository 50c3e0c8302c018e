// The room's door: the evidence gate on the machine.
export { findWeakening } from './test-integrity.ts';
export {
  type Base,
  type Content,
  differences,
  encodeBase,
  encodeTree,
  fingerprint,
  parseBase,
  parseTree,
  type TreeState,
} from './tree-state.ts';
export { openBase, type TreeOptions, takeTree } from './work-tree.ts';
