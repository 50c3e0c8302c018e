// Takes the place of parts of the verifier that few runs need, in the viewer's build alone: the rules of packs, which hold the
// grammar of a shell, and the audit of runs of our own runtime. They are loaded when a run first asks for them. Both take and
// give plain values, so that nothing but the time of loading depends on it.
import type { RunAuditor as Auditor } from '../src/verify/run-audit.ts';
import { scriptUrls } from './script-urls.ts';
import type * as More from './verify-more.ts';

declare const verifyMore: typeof More | undefined;
declare function importScripts(url: string): void;

function more(): typeof More {
  if (typeof verifyMore === 'undefined') importScripts(scriptUrls.createScriptURL('/verify-more.js'));
  if (typeof verifyMore === 'undefined') throw new Error('A part of the verifier did not load.');
  return verifyMore;
}

export const judgeTool: typeof More.judgeTool = (...given) => more().judgeTool(...given);

/** Called with `new`: what a constructor returns takes the place of what it made. */
export function RunAuditor(...given: ConstructorParameters<typeof Auditor>): Auditor {
  return new (more().RunAuditor)(...given);
}
