// The exit code of a command, and where it came from. What a command prints is in the hands of whoever wrote it, so a
// code is read only where the host itself writes it, never out of the output: `echo "exit code 0"` proves nothing. In
// doubt the code is null, and null is never success.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Outcome } from '../host/host-event.ts';

export interface ExitCode {
  readonly exit_code: number | null;
  /** The host's own member; read from text the host wrote; concluded from what the host did; or not known. */
  readonly exit_origin: 'host' | 'parsed' | 'inferred' | 'unknown';
}

/** What an adapter says of a call that is over. */
export interface Finished {
  readonly tool: string;
  readonly shell?: boolean;
  readonly outcome: Outcome;
  readonly args?: Json;
  readonly output: Json;
}

const UNKNOWN: ExitCode = { exit_code: null, exit_origin: 'unknown' };

export function exitCode(call: Finished, agent: string): ExitCode {
  // Other tools have no exit code, whatever their output says: an MCP server can call a member what it likes.
  if (call.shell !== true || isBackground(call)) return UNKNOWN;
  const found = hostMember(call.output) ?? hostText(call, agent);
  // A command that was cut off, or that the host calls failed, did not succeed.
  return found.exit_code === 0 && call.outcome !== 'ok' ? UNKNOWN : found;
}

function hostText(call: Finished, agent: string): ExitCode {
  switch (agent) {
    case 'claude-code':
      return claudeCode(call);
    case 'gemini':
      return gemini(call.output);
    case 'copilot':
      return copilot(call.output);
    default:
      // Codex gives the bare output as a string, without a code: a line `Exit code: 0` in it was printed by the
      // command. Cursor's shell events are the same; its tool events have a member, once the adapter parsed them.
      return UNKNOWN;
  }
}

/** It was started, and that is all that is known. */
function isBackground({ args, output }: Finished): boolean {
  const given = asObject(args);
  const got = asObject(output);
  return (
    given.run_in_background === true ||
    given.is_background === true ||
    given.mode === 'async' ||
    given.detach === true ||
    isSet(got.backgroundTaskId) ||
    got.isAsync === true
  );
}

/** `exitCode` or `exit_code`, or OpenCode's `metadata.exit`. */
function hostMember(output: Json): ExitCode | undefined {
  const { exitCode, exit_code, metadata } = asObject(output);
  const { exit, exitCode: inner, exit_code: innerSnake } = asObject(metadata);
  for (const code of [exitCode, exit_code, exit, inner, innerSnake]) {
    if (typeof code === 'number' && isCode(code)) return { exit_code: code, exit_origin: 'host' };
  }
  return undefined;
}

const NOT_FOUND = /CommandNotFoundException|is not recognized as (?:the|a) name of a cmdlet/;

/**
 * A command that fails ends in PostToolUseFailure, whose text the host begins with `Exit code N`. One that succeeds
 * ends in PostToolUse without a code, but so does one whose failure the host explains away, such as a grep that found
 * nothing: then there is a member returnCodeInterpretation.
 */
function claudeCode({ tool, outcome, output }: Finished): ExitCode {
  if (outcome === 'error' && typeof output === 'string') {
    return parsed(/^Exit code (-?\d{1,10})(?:\n|$)/.exec(output)?.[1]);
  }
  const { interrupted, returnCodeInterpretation, stdout, stderr } = asObject(output);
  if (outcome !== 'ok' || interrupted !== false || isSet(returnCodeInterpretation)) return UNKNOWN;
  // PowerShell ends with the code of the newest program, and goes on behind one that it did not find.
  if (/^powershell$/i.test(tool) && NOT_FOUND.test(`${stdout}\n${stderr}`)) return UNKNOWN;
  return { exit_code: 0, exit_origin: 'inferred' };
}

/** The last line of the text, which is the host's: `<shellId: 0 completed with exit code 0>`. */
function copilot(output: Json): ExitCode {
  const { text_result_for_llm, textResultForLlm } = asObject(output);
  const text = text_result_for_llm ?? textResultForLlm;
  if (typeof text !== 'string') return UNKNOWN;
  const last = text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - 200));
  return parsed(/^<(?:shellId: \S{1,100} completed|exited) with exit code (-?\d{1,10})>$/.exec(last)?.[1]);
}

/**
 * The host writes the output and then lines of its own: `Error`, `Exit Code`, `Signal`, `Background PIDs`, `Process
 * Group PGID`. Old versions write all of them, after `Command: …`; new ones leave out what says nothing, so a code of
 * 0 is not written but follows from the other lines.
 */
function gemini(output: Json): ExitCode {
  const { llmContent, returnDisplay, error } = asObject(output);
  if (typeof llmContent !== 'string' || isSet(error)) return UNKNOWN;
  const text = unwrapped(llmContent);
  if (text.startsWith('Command: ')) return oldGemini(text);
  if (!text.startsWith(GEMINI_OUTPUT)) return UNKNOWN;
  const shown = `${GEMINI_OUTPUT}${typeof returnDisplay === 'string' && returnDisplay !== '' ? returnDisplay : '(empty)'}`;
  // Where the host also gives the output alone, what follows it is known to be the host's, to the byte. Else the last
  // lines are, and the lines before them may be the command's.
  const exact = text.startsWith(`${shown}\n`);
  const lines = exact ? text.slice(shown.length + 1).split('\n') : lastLines(text, 4);
  if (!/^Process Group PGID: \d+$/.test(lines.pop() ?? '')) return UNKNOWN;
  if (/^Background PIDs: [\d, ]+$/.test(lines.at(-1) ?? '')) lines.pop();
  const last = lines.at(-1) ?? '';
  const code = /^Exit Code: (-?\d{1,10})$/.exec(last)?.[1];
  if (code !== undefined) return Number(code) === 0 ? UNKNOWN : parsed(code);
  if (exact ? lines.length > 0 : /^(?:Signal|Error): /.test(last)) return UNKNOWN;
  return { exit_code: 0, exit_origin: 'inferred' };
}

const GEMINI_OUTPUT = 'Output: ';

function oldGemini(text: string): ExitCode {
  const [code = '', signal = '', background = '', group = ''] = lastLines(text, 4);
  if (signal !== 'Signal: (none)' || !background.startsWith('Background PIDs: ')) return UNKNOWN;
  if (!group.startsWith('Process Group PGID: ')) return UNKNOWN;
  return parsed(/^Exit Code: (-?\d{1,10})$/.exec(code)?.[1]);
}

function unwrapped(text: string): string {
  const open = '<untrusted_context>\n';
  const close = '\n</untrusted_context>';
  return text.startsWith(open) && text.endsWith(close) ? text.slice(open.length, -close.length) : text;
}

function lastLines(text: string, count: number): string[] {
  let at = text.length;
  for (let i = 0; i < count && at > 0; i++) at = text.lastIndexOf('\n', at - 1);
  return text.slice(Math.max(0, at + 1)).split('\n');
}

function parsed(digits: string | undefined): ExitCode {
  const code = Number(digits);
  return digits !== undefined && isCode(code) ? { exit_code: code, exit_origin: 'parsed' } : UNKNOWN;
}

/** Signed or unsigned, of 32 bits at most: Windows has such. */
function isCode(code: number): boolean {
  return Number.isInteger(code) && !Object.is(code, -0) && code >= -(2 ** 31) && code < 2 ** 32;
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false;
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
