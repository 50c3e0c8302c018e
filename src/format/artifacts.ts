// Artifacts: the files that a run made, as its pack's `outputs` globs name them. Their hash is the RFC 6962 root over
// [path, sha256] of each file, sorted by path, in base64url; they travel as a canonical tar. spec/attestation.md is the
// specification.
import { encodeBase64Url, globMatcher, matchesText, parseHex } from '../core/index.ts';
import { fileHashes, filesRoot, sortedFiles, type TreeFile } from './file-tree.ts';
import { PackError } from './pack-error.ts';
import { encodeTar, parseTar } from './tar.ts';

/** Folders that hold no artifacts: what runs leave behind by themselves, and what others made. */
export const PASSED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.foil',
  '.hg',
  '.svn',
  'node_modules',
  '__pycache__',
]);

/** Could a file below this folder, given by the names that lead to it, be an output? */
export function mayHoldOutput(outputs: readonly string[]): (folder: readonly string[]) => boolean {
  const globs = outputs.map((glob) => glob.split('/'));
  return (folder) => globs.some((glob) => mayHold(glob, folder));
}

function mayHold(glob: readonly string[], folder: readonly string[]): boolean {
  for (const [i, name] of folder.entries()) {
    const part = glob[i];
    if (part === '**') return true;
    if (part === undefined || !matchesText(part, name)) return false;
  }
  return glob.length > folder.length;
}

/** Base64url of 32 bytes. Throws PackError for files that can't be a set. */
export function artifactRoot(files: readonly TreeFile[]): string {
  return encodeBase64Url(parseHex(filesRoot(fileHashes(sortedFiles(files)))));
}

export function encodeArtifacts(files: readonly TreeFile[]): Uint8Array {
  return encodeTar(files);
}

/** Throws PackError for anything but a canonical tar of files that these globs name. */
export function parseArtifacts(archive: Uint8Array, outputs: readonly string[]): TreeFile[] {
  const files = parseTar(archive);
  const isOutput = globMatcher(outputs);
  const stray = files.find(({ path }) => !isOutput(path));
  if (stray !== undefined)
    throw new PackError('STRAY_FILE', "is none of the files that the pack's outputs name", stray.path);
  return files;
}
