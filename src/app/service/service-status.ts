// How the local service is doing, by asking it: what it left in `<ledger>/service/` proves nothing once it was killed.
// It is on this machine, so an answer takes milliseconds or does not come.
import { request } from 'node:http';
import { isObject } from '../../core/index.ts';
import type { Mode } from '../../ledger/index.ts';
import { type Age, ageOf, parseBuildMark, readState } from '../../service/index.ts';
import { ownBuild } from './own-build.ts';

/** How long an answer may take. */
const PATIENCE = 1000;
const LONGEST_ANSWER = 65_536;

export interface ServiceStatus {
  /** It answered. Else this is what it left behind. */
  readonly alive: boolean;
  readonly pid: number | null;
  readonly port: number | null;
  readonly version: string | null;
  /** The hash of its build; null where it does not tell. */
  readonly build: string | null;
  /** How that build stands to the one of this foil. */
  readonly age: Age;
  /** What keeps it from serving as it should; of one that did not answer, whether it still listens. */
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
  const health = await askHealth(state.socket);
  if (health === 'silent' || health === undefined) {
    const problem = health === 'silent' ? `process ${state.pid} listens and ${NO_ANSWER}` : null;
    return { service: statusOf({ ...state, problem }, false), latency: null };
  }
  return { service: statusOf(health, true), latency: parseLatency(health.latency) };
}

const NO_ANSWER =
  "doesn't answer. If it hangs for 30 seconds, the next prompt replaces it. If you started it yourself, end it";

/** The one that listens there; null where none does. Never rejects. */
export async function askServiceAt(socket: string): Promise<ServiceStatus | null> {
  const health = await askHealth(socket);
  return health === undefined || health === 'silent' ? null : statusOf(health, true);
}

function statusOf(
  { pid, port, version, build, problem }: Readonly<Record<string, unknown>>,
  alive: boolean,
): ServiceStatus {
  const mark = parseBuildMark(build);
  return {
    alive,
    pid: number(pid),
    port: number(port),
    version: text(version),
    build: mark?.hash ?? null,
    age: ageOf({ version: text(version) ?? '', build: mark }, ownBuild()),
    problem: text(problem),
  };
}

/** What to do about a service that runs other code than this foil would; null where it runs the same. */
export function otherBuildText({ alive, age, pid }: ServiceStatus, mode: Mode | null): string | null {
  if (!alive || age === 'same') return null;
  const which = `the service runs ${age === 'older' ? 'an older' : 'a newer'} build of foil`;
  if (mode === 'locked')
    return age === 'older'
      ? `${which}. It belongs to another user, so ask the operator to restart it. See Upgrading in docs/locked.md`
      : `${which}. Upgrade this copy of foil`;
  return age === 'older'
    ? `${which}, and couldn't be replaced. Run \`kill ${pid}\`; the next session starts this build`
    : `${which}. Upgrade this copy of foil, or run \`kill ${pid}\`; the next session starts this build`;
}

/** What it says of itself; `silent` where somebody listens and says nothing of the kind; undefined where nobody does. */
function askHealth(socket: string): Promise<Record<string, unknown> | 'silent' | undefined> {
  return new Promise((resolve) => {
    let listens = false;
    const unheard = () => resolve(listens ? 'silent' : undefined);
    const asked = request({ socketPath: socket, path: '/v1/health', timeout: PATIENCE }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        body += piece;
        if (body.length > LONGEST_ANSWER) asked.destroy();
      });
      answer.on('end', () => resolve(parseHealth(body) ?? 'silent'));
      answer.on('close', unheard); // cut short; after `end` it comes too late to matter
    });
    const late = setTimeout(() => asked.destroy(), PATIENCE);
    asked.on('socket', (connection) => connection.on('connect', () => (listens = true)));
    asked.on('error', unheard);
    asked.on('close', () => {
      clearTimeout(late);
      unheard();
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
