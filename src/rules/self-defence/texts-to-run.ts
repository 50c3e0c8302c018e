// Text that one part of a line hands to a shell in another: it is a line by itself, decoded or not.

import { programName, readPrograms, type Started } from '../../shell/index.ts';
import { decodings } from './handed-text.ts';
import { linesIn } from './spoken.ts';

const SHELL = /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh|pwsh|powershell|nu|elvish|xonsh)$/;
/** Those whose scripts the parser of a line does not follow. */
const OTHER_SHELL = /^(?:fish|csh|tcsh|pwsh|powershell|nu|elvish|xonsh)$/;
const DECODERS = /^(?:base64|base32|xxd|openssl|uudecode|rev|tr|gunzip|zcat)$/;

const PRINTS = /^(?:[gm]?awk|python[\d.]*|perl|ruby|node|php|lua|jq)$/;

/** Files that git and shells run by themselves. */
const RUN_LATER =
  /(?:^|\/)(?:\.git\/hooks\/\w[\w-]*|\.(?:bash|zsh)rc|\.(?:bash_|z)?profile|\.zshenv|\.bash_login|\.envrc)$/;

/** `texts` is what the line prints or hands over anywhere. */
export function textsToRun(started: readonly Started[], texts: readonly string[]): readonly string[] {
  const written = writtenIn(started);
  const programs = started.map((each) => ({ ...each, name: programName(each.argv[0] ?? '') }));
  const runs =
    programs.some(
      ({ name, argv, input }) =>
        (SHELL.test(name) && isFed(argv, written, input)) ||
        /^(?:eval|source|\.|at|batch|crontab|xargs)$/.test(name) ||
        (/^(?:sudo|su|doas|runuser|chroot|unshare|nsenter|fakeroot|script)$/.test(name) &&
          input.length > 0) ||
        (/^g?make$/.test(name) && argv.some((word) => /^(?:-f)?-$|^\/dev\/(?:stdin|fd\/\d+)$/.test(word))) ||
        written.has(plainPath(argv[0] ?? ' ')),
    ) || [...written].some((path) => RUN_LATER.test(path));
  const scripts = programs.flatMap(({ name, argv }) => (SHELL.test(name) ? scriptOf(argv) : []));
  const decoded = programs.some(({ name }) => DECODERS.test(name)) ? texts.flatMap(decodings) : [];
  // What other code of the line prints, as far as it stands in it.
  const printed = programs.flatMap(({ name, argv, input }) =>
    PRINTS.test(name) ? linesIn([...argv.slice(1), ...input].join('\n')) : [],
  );
  return [...scripts, ...(runs ? [...texts, ...decoded, ...printed] : [])];
}

/** Does an interpreter read its code from somewhere else in the line: a pipe, or a file that the line writes? */
export function readsCode(argv: readonly string[], started: readonly Started[]): boolean {
  const written = writtenIn(started);
  const words = argv.slice(1);
  const bare = words.filter((word) => !word.startsWith('-') || word === '-');
  return (
    bare.length === 0 ||
    words.some((word) => written.has(plainPath(word)) || /^-$|^<\(|^\/dev\/(?:stdin|fd\/)/.test(word))
  );
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
