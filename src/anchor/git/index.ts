// The door of the git anchor: a bare repository that tells of a ledger's sessions.
export { type CatchUpOptions, type CaughtUp, catchUp } from './catch-up.ts';
export { type EvidenceLimits, readGitEvidence } from './evidence.ts';
export type { GitProblem, GitProblemCode } from './git-problem.ts';
export { type Pushed, type PushedRef, type PushOptions, pushRepository } from './push.ts';
export { gitDirectory, readRefs } from './repository.ts';
export { type GitStanding, gitStanding } from './standing.ts';
export type { EntrySource } from './story-entries.ts';
