// A second writer of archives, from spec/pack.md alone: it writes whatever a test asks for, sound or not.
import { Buffer } from 'node:buffer';
import type { TreeFile } from '../../src/format/index.ts';

export const BLOCK = 512;

/** A field by its place in the header. */
export type Fields = Readonly<Record<number, string>>;

/** A header of a plain file, or one that differs in these fields. The checksum is right unless it is among them. */
export function tarHeader(name: string, size: number, fields: Fields = {}): Buffer {
  const block = Buffer.alloc(BLOCK);
  const all: Record<number, string> = {
    0: name,
    100: '0000644\0',
    108: '0000000\0',
    116: '0000000\0',
    124: `${size.toString(8).padStart(11, '0')}\0`,
    136: '00000000000\0',
    148: '        ',
    156: '0',
    257: 'ustar\x0000',
    329: '0000000\0',
    337: '0000000\0',
    ...fields,
  };
  for (const [at, text] of Object.entries(all)) block.write(text, Number(at), 'latin1');
  if (fields[148] !== undefined) return block;
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

export function tarPadded(content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** A file whose path fits into its header. */
export function tarFile(path: string, content: Uint8Array | string = '', fields: Fields = {}): Buffer {
  return Buffer.concat([tarHeader(path, Buffer.from(content).length, fields), tarPadded(content)]);
}

/** A pax header in front of a file, with records as given. */
export function paxFile(records: Uint8Array | string, content = '', fields: Fields = {}): Buffer {
  return Buffer.concat([
    tarFile('PaxHeader', records, { 156: 'x' }),
    tarHeader('file', content.length, fields),
    tarPadded(content),
  ]);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

export function tarOf(...members: readonly Buffer[]): Uint8Array {
  return new Uint8Array(Buffer.concat([...members, TAR_END]));
}

export const file = (path: string, text = ''): TreeFile => ({
  path,
  bytes: new Uint8Array(Buffer.from(text)),
});
