// Commands and tools of a transcript by their words: what may write, what moves the work tree, what goes on in the background
// and what only looks.
import type { Json } from '../core/index.ts';
import { type Check, commandText } from '../format/index.ts';
import type { HostEvent } from '../record/index.ts';
import { bearsOnTests } from '../rules/index.ts';
import { type CommandFacts, looksLikeCheck } from '../shell/index.ts';

export const NOTHING: Omit<CommandFacts, 'feedsHooks' | 'writes' | 'unparsed'> = {
  views: new Map(),
  told: [],
  reached: new Set(),
  after: new Map(),
  single: true,
  foreign: 0,
  pasted: null,
  says: false,
  checks: [],
  attempts: [],
  background: false,
  wrote: [],
};
/** Of commands that are no checks, those that may write files by their words are taken apart, and no others. */
export const MAY_WRITE =
  />(?!&|\s*\/dev\/)|\b(?:g?sed|perl|ruby)\b[^|;&\n]*\s-{1,2}\w*i|\bfind\b[^|;&\n]*\s-(?:delete|exec|ok)|\b(?:tee|sponge|truncate|rm|unlink|mv|cp|patch)\b|&\s*$/;
export const MOVES_TREE =
  /\bpatch\b|\bgit\b[^;&|\n]*\b(?:pull|merge|rebase|stash|switch|checkout|reset|revert|cherry-pick|am|apply|rm|mv|restore|clean)\b/;
/** The tree was as it should be already. */
export const LEFT_AS_IT_WAS = /Already up to date|Already on '|No local changes to save|is up to date\.$/m;
/** What tells of a command or an agent in the background, and how it says that it is over. */
export const ASKS_AFTER = /^(?:BashOutput|TaskOutput|AgentOutputTool|KillShell|KillBash|TaskStop)$/;
/** The file in which a host keeps what a command in the background printed. */
const JOB_OUTPUT = /[/\\]\w{1,64}\.output$/;
export const IS_OVER = /completed|failed|killed|stopped|exited|success/i;
export const LONGEST_COMMAND = 4096;

/** Does what a call gave matter, beyond how it ended? Most of a transcript is what does not. */
export function resultMatters(tool: string, input: Json): boolean {
  const command = commandText(input);
  if (command !== null) return outputMatters(command);
  if (typeof input === 'object' && input !== null && 'file_path' in input)
    return tool === 'Read'
      ? JOB_OUTPUT.test(String(input.file_path))
      : /^(?:Edit|MultiEdit|Write)$/.test(tool) && bearsOnTests(String(input.file_path));
  return /^(?:Agent|Task)/.test(tool) || ASKS_AFTER.test(tool);
}

/** Of a command that is no check and moves no work tree, nothing that it printed is looked at. */
export function outputMatters(command: string): boolean {
  return looksLikeCheck(command) || MOVES_TREE.test(command);
}

/** What such programs print may look like a report of tests, and is none. */
export function isLook({ kind, runner }: Check): boolean {
  return (
    kind === 'run' && /^(?:cat|sed|rg|grep|find|ls|head|tail|nl|wc|git|gh|jq|ps|diff|sleep)\b/.test(runner)
  );
}

/** The commands of a line, roughly: each as it is written. */
export function commandsIn(line: string): string[] {
  return line
    .split(/&&|\|\||[;\n]/)
    .map((command) => command.trim())
    .filter((command) => /^(?:git|gh|npm|pnpm|yarn|bun|cargo|poetry|uv|twine) /.test(command));
}

export function isBackground({ background, output }: HostEvent & { readonly type: 'tool.result' }): boolean {
  if (background === true) return true;
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return false;
  const { isAsync, status, backgroundTaskId } = output as Readonly<Record<string, unknown>>;
  return isAsync === true || status === 'async_launched' || typeof backgroundTaskId === 'string';
}

export function inBackground(check: Check, detail = 'the host ran it in the background'): Check {
  const flaw = { code: 'background', detail } as const;
  return { ...check, flaw: check.flaw ?? flaw };
}
