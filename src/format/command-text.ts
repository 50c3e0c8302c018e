// What the arguments of a call give to a shell.
import type { Json, JsonObject } from '../core/index.ts';

/** The words of a command as the host passed them on; null where there are none. A list of words is a shell's own line. */
export function commandText(args: Json): string | null {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const { command, cmd, args: more, arguments: others = more } = args as JsonObject;
  const alone = command ?? cmd;
  // A program and its words, as `foil run` and others pass them on.
  const given = typeof alone === 'string' && Array.isArray(others) ? [alone, ...(others as Json[])] : alone;
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) return null;
  const words = (given as readonly Json[]).filter((word) => typeof word === 'string');
  const [shell = '', flag = '', script] = words;
  if (
    script !== undefined &&
    words.length === 3 &&
    /(?:^|\/)(?:ba|z|da|k)?sh$/.test(shell) &&
    /^-\w*c$/.test(flag)
  )
    return script;
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
