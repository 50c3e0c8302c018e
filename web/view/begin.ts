// Evaluated before everything else of the viewer: its first question is under way while the rest is made ready.
import { followCode } from './api.ts';

/** Resolves once the first rows can be seen, where a page has any. What nobody waits for comes then. */
export const isBegun: Promise<void> = followCode();
