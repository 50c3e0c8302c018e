// Transcripts made to order, in the form of each host: sessions with planted claims of every status. Small pieces, so
// that a test says what happened and nothing else.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Members = Record<string, unknown>;

export const ROOT = '/home/dev/app';
export const PASSED = ' Test Files  2 passed (2)\n      Tests  12 passed (12)\n';
export const FAILED = ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 11 passed (12)\n';

/** What a session does, in the same words for every host. */
export interface Script {
  prompt(text: string): this;
  run(command: string, output?: string, exit?: number): this;
  edit(path: string, before?: string, after?: string): this;
  say(text: string): this;
  /** Puts it under a home directory, where the host would. */
  save(home: string): string;
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

let clock = 0;

abstract class Lines {
  readonly lines: Members[] = [];
  readonly id: string;
  day: string;
  #count = 0;

  constructor(id: string, day = '2026-11-10') {
    this.id = id;
    this.day = day;
  }

  protected now(): string {
    clock++;
    return `${this.day}T10:${String(Math.floor(clock / 60) % 60).padStart(2, '0')}:${String(clock % 60).padStart(2, '0')}.000Z`;
  }

  protected next(kind: string): string {
    return `${kind}_${this.id.slice(0, 8)}_${++this.#count}`;
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

export class ClaudeSession extends Lines implements Script {
  cwd = ROOT;

  line(type: string, message: Members | undefined, more: Members = {}): this {
    this.lines.push({
      parentUuid: null,
      isSidechain: false,
      userType: 'external',
      cwd: this.cwd,
      sessionId: this.id,
      version: '2.1.0',
      type,
      ...(message === undefined ? {} : { message }),
      uuid: this.next('uuid'),
      timestamp: this.now(),
      ...more,
    });
    return this;
  }

  prompt(text: string, more: Members = {}): this {
    return this.line('user', { role: 'user', content: text }, more);
  }

  says(content: Members[], more: Members = {}, message = this.next('msg')): this {
    return this.line('assistant', { id: message, role: 'assistant', model: 'claude-x', content }, more);
  }

  say(text: string): this {
    return this.says([{ type: 'text', text }]);
  }

  call(name: string, input: Members, toolUseResult: unknown, result: Members = {}, more: Members = {}): this {
    const id = this.next('toolu');
    this.says([{ type: 'thinking', thinking: 'hm', signature: 'x' }], more);
    this.says([{ type: 'tool_use', id, name, input }], more);
    return this.line(
      'user',
      { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: '', ...result }] },
      { toolUseResult, ...more },
    );
  }

  run(command: string, output = '', exit = 0, more: Members = {}): this {
    const text = `Exit code ${exit}\n${output}`;
    return exit === 0
      ? this.call(
          'Bash',
          { command },
          { stdout: output, stderr: '', interrupted: false, isImage: false },
          { content: output },
          more,
        )
      : this.call('Bash', { command }, `Error: ${text}`, { content: text, is_error: true }, more);
  }

  edit(path: string, before = 'a', after = 'b', more: Members = {}): this {
    const file = join(this.cwd, path);
    const input = { file_path: file, old_string: before, new_string: after };
    const result = { filePath: file, oldString: before, newString: after, originalFile: `${before}\n` };
    return this.call('Edit', input, result, { content: 'updated' }, more);
  }

  save(home: string, name = this.id): string {
    return write(
      join(home, '.claude/projects', this.cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${name}.jsonl`),
      this.text,
    );
  }
}

export class CodexSession extends Lines implements Script {
  constructor(id: string, day?: string) {
    super(id, day);
    this.put('session_meta', { id, cwd: ROOT, originator: 'codex_cli_rs' });
    this.put('turn_context', { cwd: ROOT, model: 'gpt-x' });
    this.put('response_item', {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: `<environment_context>\n  <cwd>${ROOT}</cwd>\n</environment_context>` },
      ],
    });
  }

  put(type: string, payload: Members): this {
    this.lines.push({ timestamp: this.now(), type, payload });
    return this;
  }

  prompt(text: string): this {
    return this.put('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }],
    });
  }

  say(text: string): this {
    this.put('event_msg', { type: 'agent_message', message: text });
    const content = [{ type: 'output_text', text }];
    return this.put('response_item', { type: 'message', role: 'assistant', content });
  }

  call(name: string, args: Members, output: string): this {
    const call_id = this.next('call');
    this.put('response_item', { type: 'function_call', name, arguments: JSON.stringify(args), call_id });
    return this.put('response_item', { type: 'function_call_output', call_id, output });
  }

  run(command: string, output = '', exit = 0): this {
    const text = `Exit code: ${exit}\nWall time: 1 seconds\nOutput:\n${output}`;
    return this.call('shell', { command: ['bash', '-lc', command], workdir: ROOT }, text);
  }

  edit(path: string, before = 'a', after = 'b'): this {
    const call_id = this.next('call');
    const input = `*** Begin Patch\n*** Update File: ${path}\n@@\n${lined('-', before)}\n${lined('+', after)}\n*** End Patch`;
    this.put('response_item', { type: 'custom_tool_call', name: 'apply_patch', input, call_id });
    const output = JSON.stringify({ output: 'Success.', metadata: { exit_code: 0 } });
    return this.put('response_item', { type: 'custom_tool_call_output', call_id, output });
  }

  save(home: string): string {
    const day = this.day.replaceAll('-', '/');
    return write(
      join(home, `.codex/sessions/${day}/rollout-${this.day}T10-00-00-${this.id}.jsonl`),
      this.text,
    );
  }
}

export class GeminiSession extends Lines implements Script {
  prompt(text: string): this {
    this.lines.push({ id: this.next('m'), timestamp: this.now(), type: 'user', content: text });
    return this;
  }

  say(text: string): this {
    this.lines.push({
      id: this.next('m'),
      timestamp: this.now(),
      type: 'gemini',
      model: 'gemini-x',
      content: text,
    });
    return this;
  }

  call(name: string, args: Members, output: string, display = output): this {
    const result = [{ functionResponse: { id: this.next('c'), name, response: { output } } }];
    const toolCalls = [{ id: this.next('c'), name, args, result, status: 'success', resultDisplay: display }];
    this.lines.push({ id: this.next('m'), timestamp: this.now(), type: 'gemini', content: '', toolCalls });
    return this;
  }

  run(command: string, output = '', exit = 0): this {
    const code = exit === 0 ? '' : `\nExit Code: ${exit}`;
    const text = `Output: ${output === '' ? '(empty)' : output}${code}\nProcess Group PGID: 4242`;
    return this.call('run_shell_command', { command }, text, output);
  }

  edit(path: string, before = 'a', after = 'b'): this {
    const args = { file_path: join(ROOT, path), old_string: before, new_string: after };
    return this.call('replace', args, 'Successfully modified file');
  }

  save(home: string): string {
    const projectHash = createHash('sha256').update(ROOT).digest('hex');
    const document = { sessionId: this.id, projectHash, messages: this.lines };
    return write(
      join(home, `.gemini/tmp/${projectHash}/chats/session-${this.day}T10-00-${this.id.slice(0, 8)}.json`),
      JSON.stringify(document, null, 2),
    );
  }
}

function lined(mark: string, text: string): string {
  return text
    .split('\n')
    .map((line) => mark + line)
    .join('\n');
}
