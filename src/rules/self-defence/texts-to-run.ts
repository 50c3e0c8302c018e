// Text that one part of a line hands to a shell in another: it is a line by itself, decoded or not.
import { readPrograms } from '../command/read-command.ts';
import type { Started } from '../command/walk.ts';
import { programName } from '../command/wrappers.ts';
import { decodings } from './handed-text.ts';

const SHELL = /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh|pwsh|powershell|nu|elvish|xonsh)$/;
/** Those whose scripts the parser of a line does not follow. */
const OTHER_SHELL = /^(?:fish|csh|tcsh|pwsh|powershell|nu|elvish|xonsh)$/;
const DECODERS = /^(?:base64|base32|xxd|openssl|uudecode|rev|tr|gunzip|zcat)$/;

/** `texts` is what the line prints or hands over anywhere. */
export function textsToRun(started: readonly Started[], texts: readonly string[]): readonly string[] {
  const names = started.map(({ argv }) => programName(argv[0] ?? ''));
  const written = writtenIn(started);
  const runs = started.some(
    ({ argv, input }, at) =>
      (SHELL.test(names[at] ?? '') && isFed(argv, written, input)) ||
      /^(?:eval|source|\.|at|batch|crontab|xargs)$/.test(names[at] ?? '') ||
      written.has(plainPath(argv[0] ?? ' ')),
  );
  const scripts = started.flatMap(({ argv }, at) => (SHELL.test(names[at] ?? '') ? scriptOf(argv) : []));
  const decoded = names.some((name) => DECODERS.test(name)) ? texts.flatMap(decodings) : [];
  return [...scripts, ...(runs ? [...texts, ...decoded] : [])];
}

/** Is its script a file that the line itself writes? */
export function runsWritten(argv: readonly string[], started: readonly Started[]): boolean {
  const written = writtenIn(started);
  return argv.slice(1).some((word) => written.has(plainPath(word)));
}

function writtenIn(started: readonly Started[]): ReadonlySet<string> {
  return new Set(
    started
      .filter(({ argv }) => argv[0] === '>' || programName(argv[0] ?? '') === 'tee')
      .flatMap(({ argv }) => argv.slice(1).map(plainPath)),
  );
}

/** Does the shell read its script from somewhere else in the line? */
function isFed(argv: readonly string[], written: ReadonlySet<string>, input: readonly string[]): boolean {
  const script = argv.slice(1).find((word) => !word.startsWith('-'));
  return (
    script === undefined ||
    written.has(plainPath(script)) ||
    input.length > 0 ||
    /[$`]|^\/dev\/(?:stdin|fd\/)|^<\(/.test(script)
  );
}

/** `./x.sh` is x.sh. */
function plainPath(word: string): string {
  return word.replace(/^(?:\.\/)+/, '');
}

function scriptOf(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => /^-[a-zA-Z]*c$|^-Command$/i.test(word));
  const text = at < 0 ? undefined : argv[at + 1];
  if (text !== undefined && OTHER_SHELL.test(programName(argv[0] ?? ''))) return [text];
  // What the parser took apart was walked with the line; what it could not is looked at as text.
  return text !== undefined && readPrograms(text, { cwd: null, root: null }) === null ? [text] : [];
}
