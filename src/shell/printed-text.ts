// What a line prints by itself, apart from its checks: text that looks like a check or like a report, a file that was
// saved, text that is decoded. A line that does so makes the counts in its output worthless.
import type { Command } from 'unbash';
import { decodes, printsReport, saysPassed } from './decoys.ts';
import { clip } from './facts.ts';
import { inWorkspace, resolvePath } from './places.ts';
import { mayBeProgram, programName } from './programs.ts';
import { isRunnerName } from './runner-names.ts';
import { tidiesBlanks } from './views.ts';
import type { Walk } from './walk.ts';
import { hereDocs } from './words.ts';
import { unwrap } from './wrappers.ts';

/** Text a command is given, which may look like a check or like a report of one. */
export function remember(walk: Walk, node: Command, words: readonly string[], cwd: string | null): void {
  const name = programName(words[0] ?? '');
  const bodies = hereDocs(node).map((doc) => doc.body.text.slice(0, 4096));
  const strings = node.redirects.flatMap((redirect) =>
    redirect.type === 'HereString' ? [redirect.target?.value ?? ''] : [],
  );
  // A runner that is asked for something else than a check (`alembic history`) does not pretend to be one.
  const [own = '', ...rest] = unwrap(words).argv;
  const given = mayBeProgram(name) && isRunnerName(programName(own)) ? rest : words;
  const text = [...given, ...strings, ...bodies].join(' ').slice(0, 8192);
  const looks = /^(?:grep|egrep|fgrep|rg|ag|ack|sed|git|find|fd|ls)$/.test(name);
  const files = node.redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && redirect.operator.includes('>') && redirect.descriptor === undefined
      ? [redirect.target?.value ?? '']
      : [],
  );
  if (name === 'tee') files.push(...words.slice(1).filter((word) => !word.startsWith('-')));
  if (
    isSaved(walk, name, words, cwd) ||
    (files.length === 0 && isTurned(walk, words, [...strings, ...bodies]))
  )
    walk.pasted ??= clip(text, 120);
  const isReport = !looks && (printsReport(text) || decodes([name, ...words.slice(1)]));
  if (!looks && saysPassed(words.slice(1).join(' '))) walk.says = true;
  const isShown = files.length === 0 || name === 'tee';
  // What is written to a file is nothing that a reader of the output could take for a check.
  if (isShown) walk.texts.push(text);
  if (isReport && isShown) walk.pasted ??= clip(text, 120);
  else if (isReport) for (const file of files) walk.pastedFiles.add(file);
  else if (words.slice(1).some((word) => walk.pastedFiles.has(word))) walk.pasted ??= clip(text, 120);
}

/** Text of the line that a program turns into another text: what comes out is nobody's report. */
function isTurned(walk: Walk, [path = '', ...args]: readonly string[], given: readonly string[]): boolean {
  const name = programName(path);
  if (name === 'tr' && walk.piped && !tidiesBlanks(args)) return true;
  return /^(?:tr|sed|awk|gawk|rev|cut|paste)$/.test(name) && given.some((text) => /\d/.test(text));
}

const PRINTERS = /^(?:cat|head|tail|less|more|bat|tac|nl|grep|egrep|rg|sed|awk)$/;
const REPORT_FILE = /(?:^|\/)[^/.]+$|\.(?:txt|log|out|tap|xml|html)$/i;

/** It shows a file that this line did not write, and that may hold any report: one of this session, or of /tmp. */
function isSaved(walk: Walk, name: string, words: readonly string[], cwd: string | null): boolean {
  if (!PRINTERS.test(name)) return false;
  return words.slice(1).some((word) => {
    if (word === '' || word.startsWith('-')) return false;
    const path = resolvePath(word, cwd);
    const inside = path === null ? word : (inWorkspace(path, walk.where.root) ?? path);
    const session = walk.where.changed?.includes(inside) === true || /^\/(?:var\/)?tmp\//.test(inside);
    return session && REPORT_FILE.test(inside) && !walk.wrote.some(({ effect }) => effect.path === inside);
  });
}

/** Code on the command line that prints, and knows the word of a report. */
export const PRINTS_PASSED = /\b(?:print|println|puts|say|echo|log|write)\b[\s\S]{0,400}\bpass(?:ed|ing)?\b/i;
