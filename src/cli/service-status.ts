// How the local service is doing, by asking it: what it left in `<ledger>/service/` proves nothing once it was killed.
// It is on this machine, so an answer takes milliseconds or does not come.
import { request } from 'node:http';
import { readState, type ServiceState } from '../service/index.ts';
import { isObject } from './content.ts';

/** How long an answer may take. */
const PATIENCE = 1000;
const LONGEST_ANSWER = 65_536;

export interface ServiceStatus {
  /** It answered. Else this is what it left behind. */
  readonly alive: boolean;
  readonly pid: number | null;
  readonly port: number | null;
  readonly version: string | null;
  /** What keeps it from serving as it should. */
  readonly problem: string | null;
}

/** Over the last thousand hooks that came to the service. */
export interface HookLatency {
  /** How many hooks the figures are from. */
  readonly count: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** Both null where nothing is known. Never rejects. */
export async function askService(
  ledger: string,
): Promise<{ service: ServiceStatus | null; latency: HookLatency | null }> {
  const state = readState(ledger);
  if (state === undefined) return { service: null, latency: null };
  const health = await askHealth(state);
  const { pid, port, version, problem, latency } = health ?? { ...state, latency: null };
  const service = {
    alive: health !== undefined,
    pid: number(pid),
    port: number(port),
    version: text(version),
    problem: text(problem),
  };
  return { service, latency: parseLatency(latency) };
}

function askHealth({ socket }: ServiceState): Promise<Record<string, unknown> | undefined> {
  return new Promise((resolve) => {
    const asked = request({ socketPath: socket, path: '/v1/health', timeout: PATIENCE }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        body += piece;
        if (body.length > LONGEST_ANSWER) asked.destroy();
      });
      answer.on('end', () => resolve(parseHealth(body)));
      answer.on('close', () => resolve(undefined)); // cut short; after `end` it comes too late to matter
    });
    const late = setTimeout(() => asked.destroy(), PATIENCE);
    asked.on('error', () => resolve(undefined));
    asked.on('close', () => {
      clearTimeout(late);
      resolve(undefined);
    });
    asked.end();
  });
}

function parseHealth(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && value.v === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseLatency(value: unknown): HookLatency | null {
  const { count, p50_ms, p95_ms } = isObject(value) ? value : {};
  return typeof count === 'number' && count > 0 && typeof p50_ms === 'number' && typeof p95_ms === 'number'
    ? { count, p50_ms, p95_ms }
    : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
