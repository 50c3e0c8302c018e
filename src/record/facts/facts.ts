// What is known of a call when it is over, taken from it while its content is at hand, so that a later judgement works
// when no content is kept: exit code and where it came from, test counts, paths and sizes.
import type { Json, JsonObject } from '../../core/index.ts';
import { commandText } from '../../format/index.ts';
import { asBash } from '../../shell/index.ts';
import { toContent } from '../content-form.ts';
import type { HostCall } from '../host/host-event.ts';
import { type ExitCode, exitCode, type Finished } from './exit-code.ts';
import { pathsOf } from './paths.ts';
import { type TestCounts, testCounts } from './test-counts.ts';

export interface Facts extends ExitCode {
  readonly tests: TestCounts | null;
  readonly paths: readonly string[];
}

/** `root` is the workspace, from which paths inside it are written. */
export function factsOf(call: Finished, agent: string, cwd: string | null, root: string | null = cwd): Facts {
  return {
    ...exitCode(call, agent),
    // A file that was read may hold any report; only a command can have run tests.
    tests: call.shell === true ? testCounts(outputText(call.output)) : null,
    paths: pathsOf(call.args ?? null, cwd, root),
  };
}

/** Bytes as content. Who has the content already takes its length instead. */
export function sizes(args: Json, output: Json): { args: number; output: number } {
  return { args: toContent(args).bytes.length, output: toContent(output).bytes.length };
}

/** Claude Code's Monitor runs a line as its Bash does, and tells later what that printed. */
export function runsLine({ shell, tool }: Pick<HostCall, 'shell' | 'tool'>): boolean {
  return shell === true || tool === 'Monitor';
}

/** The line that a call gave to a shell, in bash's words; null where it gave none. */
export function shellLine({ tool, shell, args }: Pick<HostCall, 'tool' | 'shell' | 'args'>): string | null {
  const line = shell === true ? commandText(args) : null;
  return line !== null && /^powershell$/i.test(tool) ? asBash(line) : line;
}

/** The text a command printed, as far as the host hands it on: both streams, the host's own lines among them. */
export function outputText(output: Json): string {
  if (typeof output === 'string') return output;
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return '';
  const {
    stdout,
    stderr,
    llmContent,
    text_result_for_llm,
    textResultForLlm,
    output: text,
    task,
    file,
  } = output as JsonObject;
  if (typeof stdout === 'string' || typeof stderr === 'string') return join(stdout, stderr);
  // What a command in the background printed is in a member of a member.
  const later = [memberOf(task, 'output'), memberOf(file, 'content')];
  for (const one of [llmContent, text_result_for_llm, textResultForLlm, text, ...later]) {
    if (typeof one === 'string') return one.replace(/^(?:<untrusted_context>\n)?(?:Output|Stdout): /, '');
  }
  return '';
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)[name]
    : undefined;
}

function join(stdout: Json | undefined, stderr: Json | undefined): string {
  return [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n');
}
