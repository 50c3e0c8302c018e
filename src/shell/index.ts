// The room's door: command lines read as evidence, what they run, check, write and print.

export { completeChecks } from './complete-checks.ts';
export { printsReport } from './decoys.ts';
export { type CommandFacts, MAX_COMMAND, MAX_WORDS, type Written } from './facts.ts';
export { isLineCode } from './inline-code.ts';
export { asRunOfLoaded, loadedIn } from './loaded-code.ts';
export { looksLikeCheck, namesTarget, readsFiles, triesSomething } from './looks-like-check.ts';
export { resolvePath } from './places.ts';
export { asBash } from './powershell.ts';
export { HARMLESS, isWord, programName, programOf } from './programs.ts';
export { readCommand, readPrograms } from './read-command.ts';
export { isInstall, isLook } from './runners/aside.ts';
export { triedBy } from './tried-ways.ts';
export type { Started } from './walk.ts';
export { bodyEnd, isHeavy, type Mark, markOf } from './weight.ts';
export { unwrap } from './wrappers.ts';
