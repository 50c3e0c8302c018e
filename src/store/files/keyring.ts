// Private keys as files of mode 0600 in the C2SP signer form, one a key. A key others can read is refused, as ssh
// does. Rotation destroys the old one, so that a past epoch can't be signed again.
import { join } from 'node:path';
import {
  encodeHex,
  encodeSignerKey,
  makeSigner,
  ParseError,
  parseSignerKey,
  type Signer,
  StoreError,
} from '../../core/index.ts';
import type { Keyring } from '../../ledger/index.ts';
import { assertPrivate, idOf, openContentKey } from './content-key.ts';
import { hasCode, storeError } from './failure.ts';
import { type Fs, nodeFs } from './fs.ts';
import { makeDirectories, readWhole, writeDurably } from './whole-file.ts';

export function openKeyring(directory: string, system: Fs = nodeFs): Keyring {
  const path = (origin: string, publicKey: string): string =>
    join(directory, `${idOf(origin)}-${publicKey.slice(0, 16)}.key`);
  return {
    async load(origin, publicKey) {
      const file = path(origin, publicKey);
      try {
        const bytes = readWhole(system, file);
        if (bytes === undefined) return undefined;
        assertPrivate(file, 'and rotate the key if it may have leaked');
        const signer = parseKeyFile(bytes);
        if (signer.name !== origin || encodeHex(signer.publicKey) !== publicKey) {
          throw new StoreError('KEY', `${file} is not the key this ledger names. Restore it from a copy.`);
        }
        return signer;
      } catch (error) {
        if (error instanceof ParseError) {
          throw new StoreError(
            'KEY',
            `${file} is not a signing key: ${error.message}. Restore it from a copy.`,
            { cause: error },
          );
        }
        throw storeError(error, 'read', file);
      }
    },
    async save(origin, seed) {
      try {
        await makeDirectories(system, directory);
        const signer = makeSigner(origin, seed);
        const text = `${encodeSignerKey(origin, seed)}\n`;
        await writeDurably(system, path(origin, encodeHex(signer.publicKey)), Buffer.from(text));
      } catch (error) {
        throw storeError(error, 'save the key in', directory);
      }
    },
    async destroy(origin, publicKey) {
      const file = path(origin, publicKey);
      try {
        const fd = system.open(file, 'r+');
        try {
          system.overwrite(fd, new Uint8Array(system.stat(fd).size));
          await system.datasync(fd);
        } finally {
          system.close(fd);
        }
        system.remove(file);
        await system.syncDirectory(directory);
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw storeError(error, 'destroy', file);
      }
    },
    holds(origin, publicKey) {
      const file = path(origin, publicKey);
      try {
        system.size(file);
        return true;
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return false;
        throw storeError(error, 'look for', file);
      }
    },
    async list(origin) {
      try {
        const prefix = `${idOf(origin)}-`;
        const files = system.list(directory).map(({ name }) => name);
        const names = files.filter((name) => name.startsWith(prefix) && name.endsWith('.key'));
        const keys: string[] = [];
        for (const name of names) {
          const bytes = readWhole(system, join(directory, name));
          if (bytes === undefined) continue;
          try {
            keys.push(encodeHex(parseKeyFile(bytes).publicKey));
          } catch {
            // Not a key; `load` and `doctor` say so when it is needed.
          }
        }
        return keys;
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return [];
        throw storeError(error, 'list the keys in', directory);
      }
    },
    contentKey: (origin, random) => openContentKey(directory, origin, system, random),
  };
}

function parseKeyFile(bytes: Uint8Array): Signer {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.endsWith('\n')) throw new ParseError('MALFORMED', 'there is no newline at the end');
  return parseSignerKey(text.slice(0, -1));
}
