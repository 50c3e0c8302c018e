// spec/vectors/pack, as tests read it.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import type { JsonObject } from '../../src/core/index.ts';
import { PackError } from '../../src/format/index.ts';

export interface Accepted {
  readonly name: string;
  readonly file: string;
  readonly root: string;
  readonly pack_hash_b64u: string;
  readonly static_hash: string;
  readonly config_hash: string;
  readonly tool_policy_hash: string;
  readonly files: readonly (readonly [path: string, sha256: string])[];
}

export interface Refused {
  readonly code: string;
  readonly name: string;
  /** None where it is too large to be kept. */
  readonly file?: string;
}

export interface PackVectors {
  readonly accepted: readonly Accepted[];
  readonly refused: readonly Refused[];
  readonly disclosures: readonly {
    readonly name: string;
    readonly valid: boolean;
    readonly disclosure: JsonObject;
  }[];
}

const FOLDER = join(import.meta.dirname, '../../spec/vectors/pack');

export const packVectors = JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')) as PackVectors;

export function readVector(file: string): Uint8Array {
  return new Uint8Array(readFileSync(join(FOLDER, file)));
}

/** The code that it was refused with; undefined where it was not. Anything but a PackError is a fault of the reader. */
export function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    return error.code;
  }
}

/** As the specification says a pack is compressed. */
export function gzipped(content: Uint8Array, stream: Uint8Array = deflateRawSync(content)): Uint8Array {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(content.length, 4);
  return new Uint8Array(Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), stream, trailer]));
}
