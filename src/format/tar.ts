// A set of files as one tar archive with exactly one encoding: POSIX ustar, regular files alone, sorted by path, mode 0644,
// no owner, no time; a path that does not fit, or is not ASCII, in a pax header. Reading refuses what the writer would
// not have written, so that nothing can hide in an archive. spec/pack.md is the specification.
import { utf8Decode, utf8Encode } from '#platform';
import { sameBytes } from '../core/index.ts';
import { MOST_BYTES, MOST_FILES, sortedFiles, type TreeFile } from './file-tree.ts';
import { PackError } from './pack-error.ts';

const BLOCK = 512;
const NAME = 100;
const PREFIX = 155;
const [SIZE_AT, CHECKSUM_AT, TYPE_AT, PREFIX_AT] = [124, 148, 156, 345];
const PAX_NAME = 'PaxHeader';
const END = 2 * BLOCK;

/** Throws PackError for files that can't be a set. */
export function encodeTar(files: readonly TreeFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { path, bytes } of sortedFiles(files)) parts.push(...heads(path, bytes.length), padded(bytes));
  parts.push(new Uint8Array(END));
  return joined(parts);
}

/** The headers in front of a file's content. */
function heads(path: string, size: number): Uint8Array[] {
  const split = splitPath(path);
  if (split !== null) return [header(split, size, '0')];
  const record = paxRecord(path);
  // What stands in the ustar header is not read where there is a pax path.
  return [
    header({ name: PAX_NAME, prefix: '' }, record.length, 'x'),
    padded(record),
    header({ name: 'file', prefix: '' }, size, '0'),
  ];
}

interface Split {
  readonly name: string;
  readonly prefix: string;
}

/** At the first `/` that makes both parts fit; null where none does, or the path is not ASCII. */
function splitPath(path: string): Split | null {
  if (!/^[\x20-\x7e]*$/.test(path)) return null;
  if (path.length <= NAME) return { name: path, prefix: '' };
  const at = path.indexOf('/', path.length - NAME - 1);
  return at < 1 || at > PREFIX ? null : { name: path.slice(at + 1), prefix: path.slice(0, at) };
}

/** `<length> path=<path>\n`, where the length counts itself. */
function paxRecord(path: string): Uint8Array {
  const body = utf8Encode(` path=${path}\n`);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return joined([utf8Encode(String(length)), body]);
}

function header({ name, prefix }: Split, size: number, type: '0' | 'x'): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number): void => putAscii(block, text, at);
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(`${size.toString(8).padStart(11, '0')}\0`, SIZE_AT);
  put('00000000000\0', 136);
  put('        ', CHECKSUM_AT);
  put(type, TYPE_AT);
  put('ustar\x0000', 257);
  put('0000000\0', 329);
  put('0000000\0', 337);
  put(prefix, PREFIX_AT);
  put(`${checksum(block).toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT);
  return block;
}

/** A bundle has thousands of headers, and an encoder takes longer than this to begin. */
function putAscii(block: Uint8Array, text: string, at: number): void {
  for (let i = 0; i < text.length; i++) block[at + i] = text.charCodeAt(i);
}

function checksum(block: Uint8Array): number {
  let sum = 0;
  for (const byte of block) sum += byte;
  return sum;
}

function padded(bytes: Uint8Array): Uint8Array {
  if (bytes.length % BLOCK === 0) return bytes;
  const whole = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  whole.set(bytes);
  return whole;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The files, in order; each is a view of `archive`. Throws PackError for anything but the one encoding. */
export function parseTar(archive: Uint8Array): TreeFile[] {
  const files: TreeFile[] = [];
  let at = 0;
  while (!isZero(archive.subarray(at, at + BLOCK))) {
    if (files.length === MOST_FILES) throw new PackError('TOO_MANY_FILES', `more than ${MOST_FILES} files`);
    const { path, bytes, end } = parseFile(archive, at);
    const before = files.at(-1)?.path;
    // Twice the same is told by sortedFiles in its own words.
    if (before !== undefined && before > path)
      throw new PackError('ORDER', `${JSON.stringify(path)} is not in its place: paths are sorted`);
    files.push({ path, bytes });
    at = end;
  }
  if (archive.length < at + END || !isZero(archive.subarray(at)))
    throw new PackError(
      archive.length < at + END ? 'CUT_SHORT' : 'TRAILING',
      'does not end as an archive must',
    );
  if (archive.length > at + END) throw new PackError('TRAILING', 'something follows behind the last file');
  return sortedFiles(files);
}

interface Parsed extends TreeFile {
  readonly end: number;
}

function parseFile(archive: Uint8Array, at: number): Parsed {
  let [start, path] = [at, ''];
  const first = blockAt(archive, at);
  if (typeOf(first) === 'x') {
    const record = contentAt(archive, at, sizeOf(first));
    path = paxPath(record);
    start = at + BLOCK + padding(record.length);
  } else {
    path = [textOf(first, PREFIX_AT, PREFIX), textOf(first, 0, NAME)].filter((part) => part !== '').join('/');
  }
  const block = blockAt(archive, start);
  assertRegular(typeOf(block), path);
  const bytes = contentAt(archive, start, sizeOf(block));
  const end = start + BLOCK + padding(bytes.length);
  const expected = heads(path, bytes.length);
  if (!sameBytes(joined(expected), archive.subarray(at, start + BLOCK)))
    throw new PackError(
      'ODD_HEADER',
      `${JSON.stringify(path)}: its header says more than name and size (a mode, an owner, a time or another form)`,
    );
  if (!isZero(archive.subarray(start + BLOCK + bytes.length, end)))
    throw new PackError('TRAILING', `${JSON.stringify(path)}: something is hidden behind its content`);
  return { path, bytes, end };
}

function assertRegular(type: string, path: string): void {
  if (type === '0') return;
  const of = JSON.stringify(path);
  if (type === '1' || type === '2') throw new PackError('LINK', `${of} is a link; a pack holds plain files`);
  if (type === '3' || type === '4' || type === '6')
    throw new PackError('DEVICE', `${of} is a device or a pipe; a pack holds plain files`);
  if (type === '5') throw new PackError('FOLDER', `${of} is a folder; a pack lists only files`);
  throw new PackError('ODD_HEADER', `${of} is of a kind that a pack does not hold`);
}

function blockAt(archive: Uint8Array, at: number): Uint8Array {
  const block = archive.subarray(at, at + BLOCK);
  if (block.length < BLOCK) throw new PackError('CUT_SHORT', 'the archive is cut short');
  if (!sameBytes(block.subarray(257, 262), utf8Encode('ustar')))
    throw new PackError(
      'NOT_TAR',
      'not a tar archive in the one form that is read (POSIX ustar, as foil writes it). One that another program packed again is refused: use the file as you got it',
    );
  return block;
}

function contentAt(archive: Uint8Array, at: number, size: number): Uint8Array {
  const bytes = archive.subarray(at + BLOCK, at + BLOCK + size);
  if (bytes.length < size) throw new PackError('CUT_SHORT', 'the archive is cut short');
  return bytes;
}

function typeOf(block: Uint8Array): string {
  return String.fromCharCode(block[TYPE_AT] ?? 0);
}

function sizeOf(block: Uint8Array): number {
  const text = textOf(block, SIZE_AT, 12);
  if (!/^[0-7]{11}$/.test(text)) throw new PackError('ODD_HEADER', 'a size that is not eleven octal digits');
  const size = Number.parseInt(text, 8);
  if (size > MOST_BYTES) throw new PackError('TOO_LARGE', `a file of more than ${MOST_BYTES} bytes`);
  return size;
}

/** Up to the first NUL, byte for byte: what is not ASCII has a pax header, and would not compare equal. */
function textOf(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return String.fromCharCode(...field.subarray(0, end < 0 ? length : end));
}

function paxPath(record: Uint8Array): string {
  let text: string;
  try {
    text = utf8Decode(record);
  } catch {
    throw new PackError('ODD_HEADER', 'a pax header is not UTF-8');
  }
  const found = /^\d+ path=([^\n]*)\n$/.exec(text);
  if (found === null) throw new PackError('ODD_HEADER', 'a pax header that says more than a path');
  return found[1] ?? '';
}

function padding(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}
