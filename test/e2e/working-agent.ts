// A scripted agent that really works: it runs commands and edits files in a git repository, and tells Claude Code's
// hooks of it as the host would. Each event is a call of the hook's function; where `events` says so, a process of the
// built command. It also keeps the host's transcript. It runs `node --test` where people would run `npm test`: that
// starts in a third of the time.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/core/index.ts';
import { fastDirectory } from '../temporary.ts';
import type { Project } from './recorded-project.ts';

export interface Stopped {
  readonly code: number | null;
  /** What the host would tell the agent; null where it lets the turn end. */
  readonly reason: string | null;
  /** What the person is told. */
  readonly message: string | null;
}

let template: string | undefined;

/** A package with one module and its test, committed. */
export function makePackage(work: string): void {
  if (template === undefined) {
    const made = mkdtempSync(join(fastDirectory, 'foil-package-'));
    process.on('exit', () => rmSync(made, { recursive: true }));
    buildPackage(made);
    template = made;
  }
  cpSync(template, work, { recursive: true });
}

function buildPackage(work: string): void {
  const files = {
    'package.json': `${JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
    'src/sum.js': 'export const sum = (a, b) => a - b;\n',
    'test/sum.test.js':
      "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\n\ntest('adds', () => {\n  assert.equal(sum(1, 2), 3);\n});\n\ntest('adds nothing', () => {\n  assert.equal(sum(1, 0), 1);\n});\n",
    'README.md': '# sums\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  git(work, ['init', '-q', '-b', 'main', '--template=']);
  git(work, ['add', '-A']);
  git(work, ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', 'commit', '-qm', 'first']);
}

function git(work: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync('git', words, { cwd: work });
  if (status !== 0) throw new Error(String(stderr));
}

export class WorkingAgent {
  readonly project: Project;
  readonly mode: 'observe' | 'guard';
  readonly transcript: string;
  readonly #events: 'calls' | 'processes';
  #calls = 0;
  #session: string;

  constructor(
    project: Project,
    mode: 'observe' | 'guard',
    { session = 's-1', events = 'calls' }: { session?: string; events?: 'calls' | 'processes' } = {},
  ) {
    this.project = project;
    this.mode = mode;
    this.#events = events;
    this.#session = session;
    this.transcript = join(project.root, `${session}.jsonl`);
    writeFileSync(this.transcript, '');
  }

  async event(name: string, members: JsonObject): Promise<Stopped> {
    const { project, mode } = this;
    const event = {
      session_id: this.#session,
      transcript_path: this.transcript,
      cwd: project.work,
      hook_event_name: name,
      ...members,
    };
    const { code, stdout } = await (this.#events === 'calls'
      ? project.tell('claude-code', event, { mode })
      : project.hook('claude-code', event, { mode }));
    const answer = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    return {
      code,
      reason: answer.decision === 'block' ? text(answer.reason) : null,
      message: text(answer.systemMessage),
    };
  }

  start(): Promise<Stopped> {
    return this.event('SessionStart', { source: 'startup' });
  }

  prompt(prompt: string): Promise<Stopped> {
    this.#tell({ type: 'user', message: { role: 'user', content: prompt } });
    return this.event('UserPromptSubmit', { prompt });
  }

  /** Runs it, as the host's shell would. Gives its exit code. */
  async run(command: string, { told = true }: { readonly told?: boolean } = {}): Promise<number> {
    const call = this.#call('Bash', { command }, told);
    await this.event('PreToolUse', call);
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
      cwd: this.project.work,
      env: this.project.env,
      encoding: 'utf8',
    });
    if (status === 0) {
      const response = { stdout, stderr, interrupted: false, isImage: false };
      await this.event('PostToolUse', { ...call, tool_response: response, duration_ms: 5 });
    } else {
      const error = `Exit code ${status}\n${stdout}${stderr}`;
      await this.event('PostToolUseFailure', { ...call, error, is_interrupt: false });
    }
    return status ?? -1;
  }

  /** Changes a file with the host's own tool. */
  async edit(name: string, from: string, to: string): Promise<void> {
    const path = join(this.project.work, name);
    const call = this.#call('Edit', { file_path: path, old_string: from, new_string: to });
    await this.event('PreToolUse', call);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, before.replace(from, to));
    const response = { filePath: path, oldString: from, newString: to, originalFile: before };
    await this.event('PostToolUse', { ...call, tool_response: response });
  }

  /** A tool of which no more is seen than its name and its answer. */
  async tool(name: string, input: JsonObject, answer: JsonObject): Promise<void> {
    const call = this.#call(name, input);
    await this.event('PreToolUse', call);
    await this.event('PostToolUse', { ...call, tool_response: answer });
  }

  stop(message: string, active = false): Promise<Stopped> {
    this.#tell({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: message }] },
    });
    return this.event('Stop', { stop_hook_active: active, last_assistant_message: message });
  }

  #call(tool: string, input: JsonObject, told = true): JsonObject {
    const id = `toolu_${++this.#calls}`;
    if (told)
      this.#tell({
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'tool_use', id, name: tool, input }] },
      });
    return { tool_name: tool, tool_input: input, tool_use_id: id };
  }

  #tell(line: JsonObject): void {
    appendFileSync(this.transcript, `${JSON.stringify(line)}\n`);
  }
}
