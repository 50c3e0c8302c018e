// An agent that is seen from everywhere: its model through the gateway, its tools by hooks, its MCP server through the
// proxy. The agent is the test's; service, proxy, server, SDK clients and ledger are real.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { FOIL } from '../cli/foil.ts';
import { upstream } from '../service/gateway/stage.ts';
import { ClaudeSession } from './claude-host.ts';
import { type AnyClient, connect } from './mcp-script.ts';
import { newProject, type Project, post, type Serving } from './recorded-project.ts';

const EVERYTHING = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

export interface Step {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** False where the agent keeps it from the hooks. */
  readonly hooked?: boolean;
  /** What hooks are told of its output, where that is not what it printed. */
  readonly lie?: string;
}

export interface Asked {
  readonly prompt: string;
  readonly steps: readonly Step[];
  readonly message: string;
}

interface Output {
  readonly text: string;
  readonly code: number;
}

/** What an agent makes of what a model asks for. */
export class SeenAgent {
  readonly project: Project;
  readonly session: ClaudeSession;
  readonly #serving: Serving;
  readonly #anthropic: Anthropic;
  readonly #server: AnyClient;
  readonly #answers: JsonObject[];
  readonly #messages: Anthropic.MessageParam[] = [];

  private constructor(
    project: Project,
    serving: Serving,
    server: AnyClient,
    answers: JsonObject[],
    name: string,
  ) {
    this.project = project;
    this.session = new ClaudeSession(name, project.work);
    this.#serving = serving;
    this.#server = server;
    this.#answers = answers;
    this.#anthropic = new Anthropic({
      apiKey: 'none',
      baseURL: `http://127.0.0.1:${serving.port}/anthropic`,
      defaultHeaders: { 'x-claude-code-session-id': name },
      maxRetries: 0,
    });
  }

  static async start(files: Readonly<Record<string, string>>): Promise<SeenAgent> {
    const project = await newProject();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project.work, name)), { recursive: true });
      writeFileSync(join(project.work, name), text);
    }
    project.settings('guard');
    const answers: JsonObject[] = [];
    const model = await upstream((_, response) => response.end(JSON.stringify(answers.shift())));
    const serving = await project.serve(['--port', '0', '--upstream', `anthropic=${model.url}`]);
    const words = [process.execPath, FOIL, 'mcp', 'wrap', '--ledger', project.directory, '--name', 'every'];
    const env = Object.fromEntries(Object.entries(project.env).map(([name, value]) => [name, String(value)]));
    const server = await connect('v1', {
      words: [...words, '--', process.execPath, EVERYTHING],
      cwd: project.work,
      env,
    });
    onTestFinished(() => server.close());
    return new SeenAgent(project, serving, server, answers, 'seen');
  }

  hook(event: JsonObject): Promise<{ readonly status: number; readonly body: string }> {
    return post(this.#serving, 'claude-code', event);
  }

  /** One turn. Gives what the gate said at its end. */
  async turn({ prompt, steps, message }: Asked): Promise<string> {
    await this.hook(this.session.prompt(prompt));
    this.#messages.push({ role: 'user', content: prompt });
    for (const step of steps) {
      const { id, tool, input } = step;
      await this.#ask([{ type: 'tool_use', id, name: tool, input }], 'tool_use');
      const { text, code } = await this.#run(step);
      const content = [
        { type: 'tool_result' as const, tool_use_id: id, content: text, is_error: code !== 0 },
      ];
      this.#messages.push({ role: 'user', content });
    }
    await this.#ask([{ type: 'text', text: message }], 'end_turn');
    return (await this.hook(this.session.stop(message))).body;
  }

  async #ask(content: readonly Json[], stop: string): Promise<void> {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const said = {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: stop,
      usage,
    };
    this.#answers.push(said);
    const answer = await this.#anthropic.messages.create({
      model: 'm',
      max_tokens: 64,
      messages: this.#messages,
    });
    this.#messages.push({ role: 'assistant', content: answer.content });
  }

  async #run({ id, tool, input, hooked = true, lie }: Step): Promise<Output> {
    if (hooked) await this.hook(this.session.call(id, input, tool));
    const output = await this.#tool(id, tool, input);
    const { text, code } = output;
    if (!hooked) return output;
    if (code !== 0 && lie === undefined) {
      await this.hook(this.session.failure(id, `Exit code ${code}\n${text}`, input));
      return output;
    }
    const response =
      tool === 'Bash'
        ? { stdout: lie ?? text, stderr: '', interrupted: false, isImage: false }
        : [{ type: 'text', text }];
    await this.hook(this.session.result(id, input, tool, { tool_response: response }));
    return output;
  }

  async #tool(id: string, tool: string, input: JsonObject): Promise<Output> {
    if (tool === 'Bash') return shell(String(input.command), this.project.work);
    if (tool === 'Write') {
      writeFileSync(join(this.project.work, String(input.file_path)), String(input.content));
      return { text: 'written', code: 0 };
    }
    const answer = (await this.#server.callTool({
      name: tool.replace('mcp__every__', ''),
      arguments: input as Record<string, unknown>,
      _meta: { 'claudecode/toolUseId': id },
    })) as { content: { text: string }[] };
    return { text: answer.content[0]?.text ?? '', code: 0 };
  }

  /** Everything over: what the verifier says. */
  async verified(): Promise<{ readonly code: number | null; readonly report: JsonObject }> {
    await this.hook(this.session.end());
    await this.#server.close();
    const { code, stdout } = await this.project.foil([
      'verify',
      '--ledger',
      this.project.directory,
      '--json',
    ]);
    return { code, report: JSON.parse(stdout) as JsonObject };
  }
}

function shell(command: string, cwd: string): Promise<Output> {
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', command], { cwd }, (_, stdout, stderr) =>
      resolve({ text: stdout + stderr, code: child.exitCode ?? 1 }),
    );
  });
}
