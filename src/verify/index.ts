// The room's door: checks over evidence that is not trusted, and the verdict.
export type { FileInfo, Files } from './files.ts';
