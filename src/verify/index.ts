// The room's door: checks over evidence that is not trusted, and the verdict.
export type { FileInfo, Files } from './files.ts';
export { checkLines, type LinesOptions, type LinesResult } from './lines.ts';
