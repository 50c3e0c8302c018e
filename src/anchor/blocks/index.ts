// The door of the block sources: Esplora servers, one's own bitcoind, a file of headers.
export {
  type BlockSources,
  NEWEST_BUDGET,
  type OpenBlocksOptions,
  openBlocks,
  type SourceReport,
} from './newest-block.ts';
export type { BlockProblem, ProblemCode } from './source.ts';
export { TIP_FILE } from './tip-file.ts';
