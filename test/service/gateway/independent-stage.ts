// A local gateway that goes through an independent one, each a real service over a ledger of its own, to an upstream whose every
// answer is the test's.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeVerifierKey, parseHex } from '../../../src/core/index.ts';
import { createLedger } from '../../../src/entry/index.ts';
import type { Entry } from '../../../src/format/index.ts';
import { DEFAULT_SETTINGS, writeSettings } from '../../../src/ledger/index.ts';
import { Tokens } from '../../../src/service/index.ts';
import type { TrustedGateway } from '../../../src/verify/index.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { type Stage, type StageOptions, stage, type TestUpstream, upstream } from './stage.ts';

export const TOKEN = 'token-of-the-tests-0123456789abcdef';

/** An independent gateway, on a port of its own, or on this socket. */
export function independent(options: StageOptions = {}, socket?: string): Promise<Stage> {
  const place =
    socket === undefined ? { host: '127.0.0.1', port: 0, tls: null } : { path: socket, group: null };
  return stage({
    port: null,
    independent: { tokens: Tokens.parse(`# for tests\n${TOKEN}\n`, 'tokens'), place },
    ...options,
  });
}

export function urlOf(gateway: Stage): string {
  return gateway.service.independent ?? '';
}

/** A local gateway, all of whose calls go through `url`. */
export async function localThrough(url: string, to: TestUpstream, token = TOKEN): Promise<Stage> {
  const directory = temporary(fastDirectory);
  await (await createLedger({ directory, keyDirectory: join(directory, 'keys') })).close();
  const tokenFile = join(directory, 'gateway.token');
  writeFileSync(tokenFile, `${token}\n`);
  chmodSync(tokenFile, 0o600);
  writeSettings(directory, { ...DEFAULT_SETTINGS, gateways: [{ url, tokenFile }], through: url });
  return stage({ directory, upstream: to });
}

export interface Pair {
  readonly local: Stage;
  readonly gateway: Stage;
  readonly upstream: TestUpstream;
}

export async function pair(): Promise<Pair> {
  const to = await upstream();
  const gateway = await independent({ upstream: to });
  return { local: await localThrough(urlOf(gateway), to), gateway, upstream: to };
}

/** As trust.yaml would name it. */
export function trusted(gateway: Stage, upstreams: readonly string[]): TrustedGateway {
  const [key] = gateway.entries('gateway.key');
  const [open] = gateway.entries('ledger.open');
  const name = `counterfoil/${open?.entry_hash.slice(0, 16)}/gateway`;
  return { key: makeVerifierKey(name, parseHex(String(key?.payload.public_key), 32)), upstreams };
}

/** The entries of the session that the first model call is of. */
export function runOf(local: Stage): Entry[] {
  const session = local.entries('model.call')[0]?.session_id;
  return local.entries().filter((entry) => entry.session_id === session);
}

/** Once so many entries of a kind are on record. */
export async function until(on: Stage, kind: string, count: number): Promise<readonly Entry[]> {
  for (;;) {
    const found = on.entries(kind);
    if (found.length >= count) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
