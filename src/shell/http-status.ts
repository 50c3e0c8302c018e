// The status of an HTTP answer, where the client itself printed it. A body may hold any text, so a status is read only at the
// place where the client writes it. With --fail an exit code of 0 means below 400, which is not a status: that stays null.
import { parse } from 'unbash';
import type { Check } from '../format/index.ts';
import { type Tells, tellsOf } from './runners/http.ts';
import { argv, NO_LOOKUP } from './words.ts';
import { unwrap } from './wrappers.ts';

function tells(check: Check): Tells | null {
  try {
    const [statement] = parse(check.command).commands;
    const node = statement?.command;
    if (node?.type !== 'Command') return null;
    const words = unwrap(argv(node, NO_LOOKUP)).argv;
    return tellsOf(check.runner, words.slice(1));
  } catch {
    return null;
  }
}

export function statusOf(check: Check, text: string): number | null {
  const told = tells(check);
  if (told === null) return null;
  if (told.written !== null) return writtenStatus(told.written, text);
  return told.headers ? headerStatus(text, check.runner) : null;
}

/**
 * With several requests in a line nobody can say which status is whose, unless all that write it write it alike, and each
 * did: where others print what came, on lines of their own.
 */
export function statusesOf(asked: readonly Check[], text: string): (number | null)[] {
  const written = asked.map((check) => tells(check)?.written ?? null);
  const formats = [...new Set(written.filter((format) => format !== null))];
  const [, before, after] =
    /^([^%]*)%\{(?:http_code|response_code)\}(\s|\\n)[^%]*$/.exec(formats[0] ?? '') ?? [];
  if (formats.length > 1 || before === undefined || after === undefined) return [];
  const head = before.replace(/\\n/g, '\n').replace(/[.*+?^$(){}|[\]\\]/g, '\\$&');
  const isMixed = written.includes(null);
  const form = isMixed ? `^${head}(\\d{3})$` : `${head}(\\d{3})(?=\\s)`;
  const codes = [...`${text}\n`.matchAll(new RegExp(form, 'gm'))].map(([, code = '']) => status(code));
  // Who asks until an answer comes gets none at first.
  if (codes.length !== written.filter((format) => format !== null).length || codes.includes(NO_REPLY))
    return [];
  return written.map((format) => (format === null ? null : (codes.shift() ?? null)));
}

/** `-w 'status: %{http_code}\n'`: the code stands between what stands around it there, last in the output. */
function writtenStatus(format: string, text: string): number | null {
  const match = /^([\s\S]*?)%\{(?:http_code|response_code)\}([\s\S]*)$/.exec(format);
  if (match === null) return null;
  const plain = (part: string): string =>
    part.replace(/\\n/g, '\n').replace(/\\t/g, '\t').replace(/\\r/g, '');
  const before =
    plain(match[1] ?? '')
      .split(/%\{[a-z_]+\}/)
      .at(-1) ?? '';
  const after = plain(match[2] ?? '').split(/%\{[a-z_]+\}/)[0] ?? '';
  const tail = text.trimEnd();
  const [head, end] = [before.trimStart(), after.trimEnd()];
  // Without words before it the code stands before what follows it, or at the very end.
  if (head === '') {
    const at = end === '' ? tail.length : tail.lastIndexOf(end);
    return at < 3 ? null : status(tail.slice(at - 3, at));
  }
  for (let at = tail.length; at > 0; ) {
    at = tail.lastIndexOf(head, at - 1);
    const code = at < 0 ? '' : tail.slice(at + head.length, at + head.length + 3);
    if (/^\d{3}$/.test(code) && tail.startsWith(end, at + head.length + 3)) return status(code);
  }
  return null;
}

/** The first answer, and where it sends us on to another, that one. */
function headerStatus(text: string, runner: string): number | null {
  let code: string | null = null;
  let inside = false;
  for (const line of text.split('\n', 4000)) {
    const match = /^(?:< ?|\s{0,4})HTTP\/[\d.]{1,3} (\d{3})\b/.exec(line);
    const awaited = runner === 'wget' ? /awaiting response\.\.\. (\d{3})\b/.exec(line) : null;
    if (match !== null || awaited !== null) {
      // After the head of an answer comes its body, and what a body says is not a status: unless we are sent on.
      if (code !== null && !inside && !/^[13]/.test(code)) return status(code);
      code = (match ?? awaited)?.[1] ?? null;
      inside = true;
    } else if (/^(?:< ?)?\r?$/.test(line)) inside = false;
  }
  return code === null ? null : status(code);
}

/** What curl writes where no answer came. */
export const NO_REPLY = 0;

function status(code: string): number | null {
  return /^(?:[1-5]\d\d|000)$/.test(code) ? Number(code) : null;
}
