// What the real hosts sent, line by line, to the hook command and to the service: what is recorded of it, what the
// host is told, and that both ways give the same. The table is written from what the hosts do and what was promised,
// not from what came out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { readSamples, type Sample } from '../capture/hooks/fixtures.ts';
import { makeProject, type Project, post } from './recorded-project.ts';

interface Expected {
  readonly kind: string;
  /** The line, and which of its entries (the last), that this one follows from; null for none. */
  readonly cause?: number | null;
  readonly payload?: JsonObject;
  /** What is kept, by the member that refers to it. */
  readonly content?: Readonly<Record<string, Json>>;
}

const HASH = /^[0-9a-f]{64}$/;
const ROOT = '/home/dev/proj';

/** The samples of some sessions begin behind their prompt. */
const NO_PROMPT: Expected = { kind: 'gap', cause: null, payload: { reason: 'unrecorded', events: 1 } };

const begun = (agent: string, trigger: string): Expected => ({
  kind: 'session.start',
  cause: null,
  payload: {
    agent,
    trigger,
    workspace_root: ROOT,
    resumes: null,
    interaction: `hook:${agent}`,
    content: 'keep',
    hashes: 'salted',
    auth_key: '0'.repeat(64),
    block: null,
    config_hash: null,
  },
});

/** K2's members that no host tells are there and null. */
const UNTOLD = {
  role: null,
  intent: null,
  plan_hash: null,
  phase_id: null,
  invariant_id: null,
  notes: null,
  workspace_root: ROOT,
};
const call = (tool: string, id: string | null, args: Json, more: JsonObject = {}): Expected => ({
  kind: 'tool.call',
  payload: { ...UNTOLD, tool, tool_use_id: id, paths: [], ...more },
  content: { args },
});
const result = (tool: string, id: string | null, output: Json, more: JsonObject = {}): Expected => ({
  kind: 'tool.result',
  payload: {
    ...UNTOLD,
    tool,
    tool_use_id: id,
    result: 'ok',
    error_code: null,
    exit_code: null,
    exit_origin: 'unknown',
    tests: null,
    files: [],
    paths: [],
    ...more,
  },
  content: { output },
});

const hello = { command: 'echo hello-from-fake', description: 'say hello' };
const agentCall = { description: 'sub', prompt: 'do sub thing', subagent_type: 'general-purpose' };
const search = { query: 'select:mcp__everything__echo,mcp__fs__read_text_file', max_results: 5 };
const file = `${ROOT}/a.txt`;
const absent = (bytes: number) => ({ content_hash: expect.stringMatching(HASH), content_bytes: bytes });

/** By line: what it must leave in the ledger. */
const EXPECTED: Readonly<Record<string, readonly (readonly Expected[])[]>> = {
  'claude-code': [
    [
      {
        ...begun('claude-code', 'startup'),
        payload: {
          ...begun('claude-code', 'startup').payload,
          agent_session: '6814b442-ecaf-4245-a03c-23fe2a1a3d92',
          transcript: '/home/dev/.claude/projects/-home-dev-proj/6814b442-ecaf-4245-a03c-23fe2a1a3d92.jsonl',
        },
      },
    ],
    [
      {
        kind: 'prompt',
        cause: null,
        payload: {
          prompt_id: 'ddd6d94d-2b80-4597-8efe-9fabe14c60f9',
          permission_mode: 'default',
          text_bytes: 20,
        },
        content: { text: 'say hello using bash' },
      },
    ],
    [
      {
        kind: 'observation',
        cause: 2,
        payload: { event: 'MessageDisplay', problem: null },
        content: { content: expect.objectContaining({ delta: 'Running a tool.', index: 0, final: true }) },
      },
    ],
    [{ ...call('Bash', 'toolu_fake_1_0', hello, { effort: { level: 'medium' } }), cause: 2 }],
    [
      {
        ...result(
          'Bash',
          'toolu_fake_1_0',
          {
            stdout: 'hello-from-fake',
            stderr: '',
            interrupted: false,
            isImage: false,
            noOutputExpected: false,
          },
          { exit_code: 0, exit_origin: 'inferred', duration_ms: 33 },
        ),
        cause: 4,
      },
    ],
    [], // a batch that tells nothing new
    [
      {
        kind: 'observation',
        cause: 2,
        payload: { event: 'MessageDisplay', problem: null },
        content: { content: expect.objectContaining({ delta: 'All tests pass. Done.' }) },
      },
    ],
    [
      {
        kind: 'response',
        cause: 2,
        payload: { stop_hook_active: false, model: null, text_bytes: 21 },
        content: { text: 'All tests pass. Done.' },
      },
    ],
    [
      {
        kind: 'session.end',
        cause: null,
        payload: {
          reason: 'other',
          exit_code: null,
          block: null,
          counts: { prompts: 1, responses: 1, calls: 1, results: 1, denied: 0, redacted: 0 },
        },
      },
    ],
    [
      begun('claude-code', 'PreToolUse'),
      NO_PROMPT,
      { ...call('Agent', 'toolu_fake_1_0', agentCall), cause: null },
    ],
    [
      {
        ...result('Agent', 'toolu_fake_1_0', expect.objectContaining({ agentId: 'abc8df01bca1cad6b' }), {
          duration_ms: 16,
        }),
        cause: 10,
      },
    ],
    [
      {
        kind: 'agent.start',
        cause: null,
        payload: { agent_id: 'abc8df01bca1cad6b', agent_type: 'general-purpose' },
      },
    ],
    [
      {
        kind: 'agent.end',
        cause: null,
        payload: { agent_id: 'a5684a010ca2c51fe', agent_type: 'general-purpose', text_bytes: 21 },
        content: { text: 'All tests pass. Done.' },
      },
    ],
    [
      begun('claude-code', 'PermissionRequest'),
      {
        kind: 'approval',
        cause: null,
        payload: {
          state: 'asked',
          tool: 'Bash',
          tool_use_id: null,
          waited_ms: null,
          waited_origin: 'unknown',
        },
      },
    ],
    [
      begun('claude-code', 'PostToolUseFailure'),
      {
        ...result(
          'Bash',
          'toolu_fake_1_0',
          "Exit code 3\nls: cannot access '/nonexistent-dir-xyz': No such file or directory",
          { result: 'error', error_code: 'TOOL_ERROR', exit_code: 3, exit_origin: 'parsed', duration_ms: 19 },
        ),
        cause: null,
      },
    ],
    [
      begun('claude-code', 'PreToolUse'),
      NO_PROMPT,
      { ...call('ToolSearch', 'toolu_fake_1_0', search), cause: null },
    ],
    [
      {
        ...result(
          'ToolSearch',
          'toolu_fake_1_0',
          expect.objectContaining({ matches: ['mcp__everything__echo', 'mcp__fs__read_text_file'] }),
          { duration_ms: 10 },
        ),
        cause: 16,
      },
    ],
    [
      {
        ...call(
          'mcp__everything__echo',
          'toolu_fake_2_1',
          { message: 'hi mcp' },
          { mcp_server: { name: 'everything', source: 'dynamic' } },
        ),
        cause: null,
      },
    ],
    [
      {
        ...result('mcp__everything__echo', 'toolu_fake_2_1', [{ type: 'text', text: 'Echo: hi mcp' }], {
          duration_ms: 13,
        }),
        cause: 18,
      },
    ],
    [
      {
        ...call(
          'mcp__fs__read_text_file',
          'toolu_fake_3_2',
          { path: '/etc/hostname' },
          { paths: ['/etc/hostname'] },
        ),
        cause: null,
      },
    ],
    [
      {
        ...result(
          'mcp__fs__read_text_file',
          'toolu_fake_3_2',
          'Access denied - path outside allowed directories: /etc/hostname not in /home/dev/proj',
          { result: 'error', error_code: 'TOOL_ERROR', duration_ms: 9, paths: ['/etc/hostname'] },
        ),
        cause: 20,
      },
    ],
    [
      begun('claude-code', 'PreToolUse'),
      NO_PROMPT,
      {
        ...call('Write', 'toolu_fake_1_0', { file_path: file, content: absent(6) }, { paths: ['a.txt'] }),
        cause: null,
      },
    ],
    [
      {
        ...result(
          'Write',
          'toolu_fake_1_0',
          expect.objectContaining({
            type: 'create',
            filePath: file,
            content: absent(6),
            userModified: false,
          }),
          {
            duration_ms: 6,
            paths: ['a.txt'],
            files: [{ path: file, op: 'write', hash: expect.stringMatching(HASH), bytes: 6 }],
          },
        ),
        cause: 22,
      },
    ],
    [
      {
        ...call(
          'Edit',
          'toolu_fake_2_1',
          { file_path: file, old_string: absent(5), new_string: absent(3), replace_all: false },
          { paths: ['a.txt'] },
        ),
        cause: null,
      },
    ],
    [
      {
        ...result(
          'Edit',
          'toolu_fake_2_1',
          expect.objectContaining({
            oldString: absent(5),
            newString: absent(3),
            originalFile: absent(6),
            structuredPatch: { content_hash: expect.stringMatching(HASH), content_bytes: expect.any(Number) },
            replaceAll: false,
          }),
          { duration_ms: 4, paths: ['a.txt'], files: [{ path: file, op: 'edit', hash: null, bytes: null }] },
        ),
        cause: 24,
      },
    ],
    [{ ...call('Read', 'toolu_fake_3_2', { file_path: file }, { paths: ['a.txt'] }), cause: null }],
    [
      {
        ...result('Read', 'toolu_fake_3_2', expect.objectContaining({ type: 'text' }), {
          duration_ms: 3,
          paths: ['a.txt'],
          files: [{ path: file, op: 'read', hash: null, bytes: null }],
        }),
        cause: 26,
      },
    ],
  ],
  gemini: [
    [begun('gemini', 'startup')],
    [
      {
        kind: 'prompt',
        cause: null,
        payload: { host_time: '2026-11-15T00:16:53.474Z', text_bytes: 9 },
        content: { text: 'say hello' },
      },
    ],
    [{ kind: 'compaction', cause: 2, payload: { phase: 'before', trigger: 'auto' } }],
    [
      {
        ...call('run_shell_command', null, { command: 'echo hello-gem', description: 'say hi' }),
        cause: 2,
      },
    ],
    [
      {
        ...result('run_shell_command', null, expect.objectContaining({ returnDisplay: 'hello-gem' }), {
          exit_code: 0,
          exit_origin: 'inferred',
          duration_ms: null,
        }),
        cause: 4,
      },
    ],
    [
      {
        kind: 'response',
        cause: 2,
        payload: { stop_hook_active: false },
        content: { text: 'All tests pass. Done.' },
      },
    ],
    [
      {
        kind: 'session.end',
        cause: null,
        payload: {
          reason: 'exit',
          counts: { prompts: 1, responses: 1, calls: 1, results: 1, denied: 0, redacted: 0 },
        },
      },
    ],
  ],
  copilot: [
    [
      begun('copilot', 'PreToolUse'),
      { ...call('Bash', null, { command: 'echo hello-fake', description: 'say hello' }), cause: null },
    ],
    [
      {
        ...result('Bash', null, expect.objectContaining({ result_type: 'success' }), {
          exit_code: 0,
          exit_origin: 'parsed',
          duration_ms: null,
        }),
        cause: 1,
      },
    ],
    [
      {
        kind: 'response',
        cause: null,
        payload: { text: null, text_bytes: null, response_hash: null, stop_reason: 'end_turn' },
      },
    ],
  ],
};

/** What the gate adds to what a host tells. */
const JUDGED = ['contract', 'claim', 'validation', 'gate'];
const UNBACKED = {
  observe: /^\{"systemMessage":"Counterfoil: Not backed: /,
  guard: /^\{"decision":"(?:block|deny)","reason":"Not finished yet: /,
};
const NOT_FOUND = {
  observe: /Counterfoil let this turn end unjudged: its final message could not be read/,
  guard: /could not find this turn's final message/,
};
/** By line, where a final message claims what was never run, or is nowhere to be found. */
const TOLD: Readonly<Record<string, Readonly<Record<number, { observe: RegExp; guard: RegExp }>>>> = {
  'claude-code': { 8: UNBACKED, 13: UNBACKED },
  gemini: { 6: UNBACKED },
  copilot: { 3: NOT_FOUND },
};
const VERDICTS: Readonly<Record<string, { observe: string; guard: string }>> = {
  'claude-code': { observe: 'warn', guard: 'block' },
  gemini: { observe: 'warn', guard: 'block' },
  copilot: { observe: 'ungated', guard: 'block' },
};

/** What a hook without an opinion prints. */
const PASS: Readonly<Record<string, string>> = { 'claude-code': '', gemini: '{}', copilot: '' };

interface Run {
  readonly answers: { exit: number | null; stdout: string; stderr: string }[];
  /** Entries by the line that left them. */
  readonly lines: Entry[][];
}

async function feed(
  project: Project,
  samples: readonly Sample[],
  send: (sample: Sample) => Promise<Run['answers'][number]>,
): Promise<Run> {
  const run: Run = { answers: [], lines: [] };
  for (const sample of samples) {
    const before = project.recorded().length;
    run.answers.push(await send(sample));
    run.lines.push(project.recorded().slice(before));
  }
  return run;
}

/** Hashes as the order in which they are first met, and nothing that names a process: what two ledgers may share. */
function comparable(lines: readonly (readonly Entry[])[]): Json {
  const seen = new Map<string, number>();
  const named = (text: string): string =>
    text.replace(/[0-9a-f]{64}/g, (hash) => {
      if (/^0+$/.test(hash)) return hash;
      if (!seen.has(hash)) seen.set(hash, seen.size);
      return `#${seen.get(hash)}`;
    });
  return lines.map((entries) =>
    entries.map(({ kind, cause, source, session_id, payload }) => {
      const { pid: _, pid_started: __, boot_id: ___, since: _s, until: _u, ...rest } = payload;
      return JSON.parse(named(JSON.stringify({ kind, cause, source, session_id, rest }))) as Json;
    }),
  );
}

describe.each(['claude-code', 'gemini', 'copilot'])('what %s really sent', (agent) => {
  const samples = readSamples(agent);
  const expected = EXPECTED[agent] ?? [];

  describe.each(['observe', 'guard'] as const)('in %s', (mode) => {
    let byProcess: Project;
    let byHttp: Project;
    let processRun: Run;
    let httpRun: Run;

    beforeAll(async () => {
      [byProcess, byHttp] = await Promise.all([makeProject(), makeProject()]);
      byHttp.settings(mode);
      const serving = await byHttp.serve();
      [processRun, httpRun] = await Promise.all([
        feed(byProcess, samples, async ({ stdin, event }) => {
          const { code, stdout, stderr } = await byProcess.hook(agent, stdin as JsonObject, { mode, event });
          return { exit: code, stdout, stderr };
        }),
        feed(byHttp, samples, async ({ stdin, event }) => {
          const { status, body } = await post(serving, agent, stdin as JsonObject, event);
          return { exit: status === 200 ? 0 : status, stdout: body, stderr: '' };
        }),
      ]);
    });
    afterAll(() => Promise.all([byProcess.remove(), byHttp.remove()]));

    it('X7 every line but the end of a turn is answered with no opinion, in the form of this host', () => {
      const pass = { exit: 0, stdout: PASS[agent], stderr: '' };
      const wanted = samples.map((_, at) => {
        const told = TOLD[agent]?.[at + 1];
        return told === undefined ? pass : { ...pass, stdout: expect.stringMatching(told[mode]) };
      });
      expect(processRun.answers).toEqual(wanted);
      expect(httpRun.answers).toEqual(wanted);
    });

    it('B3b, B3c: a claim in a final message is judged, and the verdict is on record', () => {
      const stops = Object.keys(TOLD[agent] ?? {}).map(Number);
      for (const { lines } of [processRun, httpRun]) {
        const verdicts = lines.flatMap((entries, at) =>
          entries.filter(({ kind }) => kind === 'gate').map(({ payload }) => [at + 1, payload.verdict]),
        );
        expect(verdicts).toEqual(stops.map((line) => [line, VERDICTS[agent]?.[mode]]));
      }
    });

    it.each(samples.map((_, at) => at + 1))(
      'K2, K4, B1, X7: line %i is recorded as what it is',
      async (line) => {
        for (const [project, { lines }] of [[byProcess, processRun] as const, [byHttp, httpRun] as const]) {
          const entries = (lines[line - 1] ?? []).filter(({ kind }) => !JUDGED.includes(kind));
          const wanted = expected[line - 1] ?? [];
          expect(entries.map(({ kind }) => kind)).toEqual(wanted.map(({ kind }) => kind));
          for (const [at, { payload = {}, cause, content = {} }] of wanted.entries()) {
            const entry = entries[at];
            expect(entry?.source).toBe(`hook:${agent}`);
            expect(entry?.payload).toMatchObject(payload);
            const before = lines[(cause ?? 0) - 1]?.filter(({ kind }) => !JUDGED.includes(kind));
            expect(entry?.cause).toBe(cause == null ? null : before?.at(-1)?.seq);
            for (const [member, value] of Object.entries(content)) {
              const kept = await project.content(entry, member);
              expect(typeof value === 'string' ? kept : JSON.parse(kept)).toEqual(value);
            }
          }
        }
      },
    );

    it('K2 a result has the hash of the arguments of its call', () => {
      for (const { lines } of [processRun, httpRun]) {
        const entries = lines.flat();
        const results = entries.filter(({ kind, cause }) => kind === 'tool.result' && cause !== null);
        expect(results.length).toBeGreaterThan(0);
        for (const { cause, payload, session_id } of results) {
          const called = entries.find(({ seq }) => seq === cause);
          expect(called?.kind).toBe('tool.call');
          expect(called?.session_id).toBe(session_id);
          expect(called?.payload.args_hash).toMatch(HASH);
          expect(payload.args_hash).toBe(called?.payload.args_hash);
          expect(payload.result_hash).toMatch(HASH);
        }
      }
    });

    it('the two ways record the same', () => {
      expect(comparable(processRun.lines)).toEqual(comparable(httpRun.lines));
      const modes = [processRun, httpRun].map(({ lines }) => lines[0]?.[0]?.payload.mode);
      expect(modes).toEqual([mode, mode]);
    });

    it('G13 the ledgers are intact, and all content answers to its commitments', async () => {
      for (const project of [byProcess, byHttp]) {
        // In observe a turn ends with claims that rest on nothing: the record is sound, and shows it.
        const unproven = mode === 'observe' && agent !== 'copilot';
        const { contentChecked } = await project.expectIntact(unproven ? 'VIOLATION' : 'INTACT');
        expect(contentChecked).toBeGreaterThan(1);
      }
    });

    it.runIf(agent === 'claude-code')('K4 no content of a file that was written is anywhere', () => {
      for (const project of [byProcess, byHttp]) {
        for (const { path, bytes } of project.files()) {
          for (const text of ['hello\\n', '"hello"', '-hello', '+bye'])
            expect(bytes.includes(text), `${path}: ${text}`).toBe(false);
        }
      }
    });
  });
});
