// What the local service left about itself in `<ledger>/service/`: who it is, when it last lived, how long hooks took.
// All of it is derived and may be stale or missing: then it says so, and never more.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_DIR } from '../format/index.ts';
import { isObject } from './content.ts';

/** A service that has not beaten for so long does not live. */
const SILENT_AFTER = 30_000;

export interface ServiceStatus {
  readonly alive: boolean;
  readonly pid: number;
  readonly port: number | null;
  readonly version: string | null;
  readonly problem: string | null;
}

export interface HookLatency {
  /** How many hooks the figures are from. */
  readonly count: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** Null where no service has left anything. */
export function readServiceStatus(ledger: string, now: number): ServiceStatus | null {
  const state = readNote(ledger, 'state');
  if (typeof state?.pid !== 'number' || !Number.isSafeInteger(state.pid) || state.pid < 2) return null;
  const { pid, port, version, problem } = state;
  return {
    alive: isRunning(pid) && now - beatenAt(ledger) < SILENT_AFTER,
    pid,
    port: typeof port === 'number' ? port : null,
    version: typeof version === 'string' ? version : null,
    problem: typeof problem === 'string' ? problem : null,
  };
}

/** Null where nothing was measured. */
export function readHookLatency(ledger: string): HookLatency | null {
  const { count, p50_ms, p95_ms } = readNote(ledger, 'latency') ?? {};
  return typeof count === 'number' && count > 0 && typeof p50_ms === 'number' && typeof p95_ms === 'number'
    ? { count, p50_ms, p95_ms }
    : null;
}

function readNote(ledger: string, name: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(ledger, SERVICE_DIR, name), 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function beatenAt(ledger: string): number {
  try {
    return statSync(join(ledger, SERVICE_DIR, 'heartbeat')).mtimeMs;
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}
