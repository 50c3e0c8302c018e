// Commands that Claude Code (2.1) runs in the background. The start gives a name, in `backgroundTaskId`. How it ended is
// told later: by `TaskOutput` (`BashOutput` in older versions), or by a notice in the form of a prompt, after which the
// model reads the output from a file. All of these are members of the host's own; what a command prints is never looked at.
import type { Json } from '../../core/index.ts';
import type { HostCall, JobEnd } from '../../record/index.ts';
import { member } from './members.ts';

const OVER = /^(?:completed|failed)$/;

export function jobOf(
  tool: string,
  args: Json,
  output: Json | undefined,
): Pick<HostCall, 'leaves' | 'ends' | 'background'> {
  if (output === undefined) return {};
  if (tool === 'Bash' || tool === 'PowerShell') {
    const leaves = member(output, 'backgroundTaskId');
    // Also one that the user sent there while it ran.
    return typeof leaves === 'string' && leaves !== '' ? { leaves, background: true } : {};
  }
  if (tool !== 'TaskOutput' && tool !== 'BashOutput') return {};
  const asked = member(args, 'task_id') ?? member(args, 'bash_id') ?? member(args, 'shell_id');
  const task = member(output, 'task') ?? output;
  const job = member(task, 'task_id') ?? member(task, 'shellId');
  const [code, status] = [member(task, 'exitCode'), member(task, 'status')];
  return typeof job === 'string' && job === asked && OVER.test(String(status)) && Number.isSafeInteger(code)
    ? { ends: { job, code: code as number } }
    : {};
}

const TAGS = ['task-id', 'output-file', 'status', 'summary'] as const;

/**
 * The summary quotes what the model called the command, so every tag must stand there once, and the exit code at the
 * summary's end.
 */
export function noticeEnd(text: string): JobEnd | undefined {
  const [job, output, status, summary = ''] = TAGS.map((tag) => {
    const parts = text.split(`<${tag}>`);
    const [inside = '', ...more] = parts[1]?.split(`</${tag}>`) ?? [];
    return parts.length === 2 && more.length === 1 ? inside : undefined;
  });
  const [, how, code] = /" (completed|failed)(?: with| \()? ?exit code (\d{1,9})\)?$/.exec(summary) ?? [];
  if (job === undefined || code === undefined || how !== status) return undefined;
  return { job, code: Number(code), ...(output === undefined ? {} : { output }) };
}
