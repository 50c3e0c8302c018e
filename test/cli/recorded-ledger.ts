// Ledgers with what a recorder writes in them, made through the store as a recorder does: content first, then the
// entries that name it. For tests of what reads them; the payloads are those of recorded sessions.
import type { Json, JsonObject } from '../../src/core/index.ts';
import { encodeContentRef } from '../../src/format/index.ts';
import { encodeBlock, type NewEntry } from '../../src/ledger/index.ts';
import { type FileStore, openFileStore } from '../../src/store/files/index.ts';

export const ZEROS = '0'.repeat(64);
const HASH = 'ab'.repeat(32);

export interface SessionOptions {
  readonly agent?: string;
  readonly root?: string | null;
  readonly mode?: string;
  /** `none` keeps nothing but lengths. */
  readonly content?: 'keep' | 'none';
  /** When it begins; each entry is a second after the one before. */
  readonly at?: string;
}

/** A ledger's directory, open for writing. */
export function openRecorded(directory: string): Recorded {
  return new Recorded(openFileStore(directory));
}

export class Recorded {
  readonly store: FileStore;

  constructor(store: FileStore) {
    this.store = store;
  }

  /** Gives the seq. */
  async append(entry: NewEntry): Promise<number> {
    const head = await this.store.append((at) => encodeBlock([entry], at, Date.now()));
    return head?.seq ?? 0;
  }

  session(id: string, options: SessionOptions = {}): RecordedSession {
    return new RecordedSession(this, id, options);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/** Writes one entry a call, and gives its seq. */
export class RecordedSession {
  readonly id: string;
  readonly #to: Recorded;
  readonly #options: SessionOptions;
  #time: number;

  constructor(to: Recorded, id: string, options: SessionOptions) {
    this.#to = to;
    this.id = id;
    this.#options = options;
    this.#time = Date.parse(options.at ?? '2026-11-15T10:00:00.000Z');
  }

  entry(kind: string, payload: JsonObject, cause: number | null = null): Promise<number> {
    const { agent = 'claude-code' } = this.#options;
    const ts = new Date(this.#time).toISOString();
    this.#time += 1000;
    return this.#to.append({ kind, payload, cause, session_id: this.id, source: `hook:${agent}`, ts });
  }

  /** Content as an entry tells of it: the reference under `name`, and its length. */
  async kept(name: string, value: Json): Promise<JsonObject> {
    const [text, type] =
      typeof value === 'string' ? [value, 'text/plain'] : [JSON.stringify(value), 'application/json'];
    const bytes = Buffer.from(text);
    if (this.#options.content === 'none') return { [name]: null, [`${name}_bytes`]: bytes.length };
    const ref = await this.#to.store.putContent(this.id, bytes, { type });
    return { [name]: encodeContentRef(ref), [`${name}_bytes`]: bytes.length };
  }

  start(more: JsonObject = {}): Promise<number> {
    const {
      agent = 'claude-code',
      root = '/home/dev/proj',
      mode = 'observe',
      content = 'keep',
    } = this.#options;
    return this.entry('session.start', {
      agent,
      agent_session: '6814b442-ecaf-4245-a03c-23fe2a1a3d92',
      workspace_root: root,
      trigger: 'startup',
      resumes: null,
      interaction: `hook:${agent}`,
      auth_key: ZEROS,
      block: null,
      branch: null,
      pack: null,
      capabilities: null,
      mode,
      content,
      hashes: 'salted',
      config_hash: null,
      transcript: null,
      pid: null,
      ...more,
    });
  }

  end(counts: JsonObject, reason: string | null = null): Promise<number> {
    return this.entry('session.end', { reason, exit_code: null, counts, block: null });
  }

  async prompt(text: string, more: JsonObject = {}): Promise<number> {
    return this.entry('prompt', {
      ...(await this.kept('text', text)),
      prompt_hash: HASH,
      prompt_id: null,
      ...more,
    });
  }

  async response(text: string, cause: number): Promise<number> {
    const payload = { ...(await this.kept('text', text)), response_hash: HASH, stop_hook_active: false };
    return this.entry('response', payload, cause);
  }

  async call(
    tool: string,
    id: string | null,
    args: Json,
    more: JsonObject = {},
    cause: number | null = null,
  ): Promise<number> {
    const payload = { ...this.#tool(tool, id), ...(await this.kept('args', args)), ...more };
    return this.entry('tool.call', payload, cause);
  }

  async result(
    tool: string,
    id: string | null,
    output: Json,
    cause: number,
    more: JsonObject = {},
  ): Promise<number> {
    const payload = {
      ...this.#tool(tool, id),
      ...(await this.kept('output', output)),
      result: 'ok',
      error_code: null,
      result_hash: HASH,
      exit_code: null,
      exit_origin: 'unknown',
      duration_ms: null,
      tests: null,
      files: [],
      ...more,
    };
    return this.entry('tool.result', payload, cause);
  }

  denied(tool: string, id: string | null, cause: number, reason: string | null = null): Promise<number> {
    const payload = { ...this.#tool(tool, id), by: 'host', reason, seen_in: 'PostToolBatch' };
    return this.entry('tool.denied', payload, cause);
  }

  approval(
    state: string,
    tool: string,
    id: string | null,
    waited: number | null,
    cause: number,
  ): Promise<number> {
    const origin = waited === null ? 'unknown' : 'inferred';
    const payload = {
      state,
      tool,
      tool_use_id: id,
      args_hash: HASH,
      waited_ms: waited,
      waited_origin: origin,
    };
    return this.entry('approval', payload, cause);
  }

  #tool(tool: string, id: string | null): JsonObject {
    return {
      tool,
      tool_use_id: id,
      agent_id: null,
      workspace_root: this.#options.root ?? '/home/dev/proj',
      role: null,
      intent: null,
      plan_hash: null,
      phase_id: null,
      invariant_id: null,
      notes: null,
      args_hash: HASH,
      paths: [],
    };
  }
}

/** A whole session with something of everything: 21 entries, of which one call is never finished. */
export async function recordEverything(
  to: Recorded,
  id: string,
  options: SessionOptions = {},
): Promise<void> {
  const session = to.session(id, options);
  await session.start();
  const prompt = await session.prompt('fix the flaky test\nand say what it was', {
    redacted: { 'github-token': 1 },
  });
  const test = await session.call(
    'Bash',
    'toolu_1',
    { command: 'npm test', description: 'run the tests' },
    {},
    prompt,
  );
  await session.result(
    'Bash',
    'toolu_1',
    { stdout: 'Tests  12 passed\nall good', stderr: 'a warning' },
    test,
    {
      exit_code: 0,
      exit_origin: 'inferred',
      duration_ms: 1234,
      tests: { runner: 'vitest', passed: 12, failed: 0, skipped: 0, total: 12 },
    },
  );
  const edit = await session.call(
    'Edit',
    'toolu_2',
    { file_path: '/home/dev/proj/src/a.ts', new_string: { sha256: HASH, bytes: 120 } },
    { paths: ['/home/dev/proj/src/a.ts'] },
    prompt,
  );
  await session.result('Edit', 'toolu_2', 'done', edit, {
    duration_ms: 8,
    files: [{ path: '/home/dev/proj/src/a.ts', op: 'edit', hash: HASH, bytes: 120 }],
    paths: ['/home/dev/proj/src/a.ts'],
  });
  const push = await session.call('Bash', 'toolu_3', { command: 'git push' }, {}, prompt);
  const asked = await session.approval('asked', 'Bash', 'toolu_3', null, push);
  await session.approval('granted', 'Bash', 'toolu_3', 12_000, asked);
  await session.result('Bash', 'toolu_3', { stdout: '', stderr: 'rejected' }, push, {
    result: 'error',
    exit_code: 1,
    exit_origin: 'host',
    duration_ms: 900,
    redacted: { 'github-token': 2, 'key:password': 1 },
  });
  const remove = await session.call('Bash', 'toolu_4', { command: 'rm -rf /' }, {}, prompt);
  await session.denied('Bash', 'toolu_4', remove, 'not in this project');
  await session.entry('agent.start', { agent_id: 'agent-7', agent_type: 'Explore' });
  await session.call('Grep', 'toolu_5', { pattern: 'TODO' }, { agent_id: 'agent-7' });
  await session.entry('agent.end', {
    agent_id: 'agent-7',
    agent_type: 'Explore',
    ...(await session.kept('text', 'nothing found')),
  });
  await session.entry('compaction', { phase: 'before', trigger: 'auto' });
  await session.entry('gap', {
    reason: 'off',
    since: '2026-11-15T09:40:00.000Z',
    until: '2026-11-15T09:50:00.000Z',
    events: null,
    why: 'FOIL=off',
    calls: [],
  });
  await session.entry('notice', {
    origin: 'task-notification',
    ...(await session.kept('text', 'task b1 is done')),
  });
  await session.entry('observation', {
    event: 'MessageDisplay',
    problem: null,
    ...(await session.kept('content', { delta: 'x' })),
  });
  await session.response('It was the clock.', prompt);
  await session.end({ prompts: 1, responses: 1, calls: 5, results: 3, denied: 1, redacted: 4 }, 'logout');
}
