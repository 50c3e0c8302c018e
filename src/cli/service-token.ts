// What HTTP hooks pin: the service's token, made once and kept for its owner alone, and a port that is free.
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StoreError } from '../core/index.ts';
import { SERVICE_DIR } from '../format/index.ts';

export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** Undefined where there is none yet. */
export function readToken(ledger: string): string | undefined {
  const path = tokenFile(ledger);
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  if (!/^[0-9a-f]{64}\n$/.test(text))
    throw new StoreError('KEY', `${path} holds no token. Remove it, then try again: a new one is made.`);
  return text.slice(0, -1);
}

/** Keeps the token, unless there is one by now. Gives the one that is there. */
export function keepToken(ledger: string, token: string): string {
  const path = tokenFile(ledger);
  mkdirSync(join(ledger, SERVICE_DIR), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${token}\n`, { mode: 0o600 });
  try {
    linkSync(temporary, path); // whole, and the first one wins
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
  return readToken(ledger) ?? token;
}

function tokenFile(ledger: string): string {
  return join(ledger, SERVICE_DIR, 'token');
}

/** A port of 127.0.0.1 that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
