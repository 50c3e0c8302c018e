// The pack of a project, made from its files as they are now; and packs that lie in files.
import { resolve } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { readFile } from '../app/index.ts';
import { parseDocument, plainValue } from '../capture/settings/index.ts';
import { parseYaml, readConfig } from '../config/index.ts';
import { UsageError } from '../core/index.ts';
import { type HarnessPack, PackError, parsePackSettings } from '../format/index.ts';
import { createPack, MOST_ARCHIVE, openPack, type PackParts } from '../harness/index.ts';
import { makeRedactor } from '../redact/index.ts';
import type { Context } from './command.ts';

export function projectPack(
  root: string,
  { variables = null, allowSecrets = false }: Partial<Pick<PackParts, 'variables' | 'allowSecrets'>> = {},
): HarnessPack {
  const config = readConfig(root, parseYaml);
  return createPack({
    root,
    settings: parsePackSettings(config.pack),
    readers: { json: parseJsonc, toml: parseToml, yaml: parseYaml },
    redactor: makeRedactor(config.redact),
    variables,
    allowSecrets,
  });
}

/** What --env-key adds to a pack: checksums of the environment's values. Null without it. */
export function environmentKey({ cwd, env, values }: Context): PackParts['variables'] {
  const given = values.text('env-key');
  if (given === undefined) return null;
  const key = readFile(resolve(cwd, given), 4096, '--env-key');
  if (key.length < 32)
    throw new UsageError(`--env-key: ${given} has ${key.length} bytes, but a key needs at least 32.`);
  return { key, values: env };
}

function parseJsonc(text: string): unknown {
  const { root } = parseDocument(text, 'settings');
  return root === undefined ? null : plainValue(root);
}

/** `file` is how the user named it. Throws PackError that names the file. */
export function openPackFile(path: string, file: string): HarnessPack {
  return openPackArchive(readFile(path, MOST_ARCHIVE, 'pack'), file);
}

/** The same, of bytes that were read already. */
export function openPackArchive(bytes: Uint8Array, file: string): HarnessPack {
  try {
    if (bytes[0] === 0x7b)
      throw new PackError(
        'NOT_GZIP',
        'is JSON, not a pack. If it is an encrypted pack, open it with `foil pack decrypt`.',
      );
    return openPack(bytes);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    throw new PackError(error.code, `can't use the pack ${file}: ${error.message}`);
  }
}
