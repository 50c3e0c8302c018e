// Where nobody can know whether a claim holds, though something was done that may have shown it: programs and requests whose
// end is unknown, failures that a later run of the same program overtook, edits that no check reads. Nobody is held to such
// a claim. What was made up, weakened or never run is not unknown. Part of what excuses a claim.
import { isCode, isPlain } from '../ecosystems/index.ts';
import { type Claim, isOwn } from '../format/index.ts';
import type { Evidence, Run } from './evidence.ts';
import { editsSince } from './freshness.ts';
import { onlyReads } from './only-reads.ts';
import type { Fail } from './validators/validator.ts';

const ENDS_UNKNOWN: readonly string[] = [
  'masked',
  'dry-run',
  'not-a-check',
  'stale',
  'no-status',
  'unclear-end',
  'unknown-exit',
  'another-directory',
  'another-target',
];

function runsOf({ evidence: seqs }: Fail, { runs }: Evidence): readonly Run[] {
  return runs.filter(({ seq }) => seqs.includes(seq));
}

/** It rests on programs and requests alone, of which nobody knows how they ended or what they showed. */
export function isOfPrograms(fail: Fail, evidence: Evidence): boolean {
  const asked = runsOf(fail, evidence);
  return (
    ENDS_UNKNOWN.includes(fail.code) &&
    asked.length > 0 &&
    asked.every(({ checks }) => checks.every(({ kind }) => kind === 'run' || kind === 'http'))
  );
}

/** Code that a check could read was changed. */
export function changesCode({ changes }: Pick<Evidence, 'changes'>): boolean {
  return changes.some(({ path }) => isCode(path) && !isPlain(path));
}

/** A folder of texts for people: what lies in it is read by no check, whatever its ending. */
const OF_TEXTS = /(?:^|\/)(?:docs?|specs|\.?planning|notes)\//i;

/** Plans and notes. */
export function isText(path: string): boolean {
  return OF_TEXTS.test(path) && isPlain(path);
}

/** It passed, and since then nothing was changed but such files. */
export function isOvertakenBy(isAside: (path: string) => boolean, fail: Fail, evidence: Evidence): boolean {
  const asked = fail.code === 'stale' ? runsOf(fail, evidence) : [];
  return (
    asked.length > 0 &&
    asked.every((run) => {
      const edits = editsSince(run, evidence) ?? [];
      return edits.length > 0 && edits.every(isAside);
    })
  );
}

/** A program failed, and the newest one passed: "it is healthy now" is said of that. Tests that fail are not answered so. */
export function isOvertakenByPass(fail: Fail, evidence: Evidence): boolean {
  const asked = fail.status === 'failed' ? runsOf(fail, evidence) : [];
  const last = evidence.runs.at(-1);
  return (
    last?.genuine === true &&
    last.exit.code === 0 &&
    last.checks.some(
      ({ flaw, kind, status }) => flaw === null && (kind !== 'http' || (status ?? 200) < 400),
    ) &&
    asked.length > 0 &&
    asked.every(
      ({ seq, checks }) =>
        seq < last.seq && checks.every(({ kind }) => kind === 'run' || kind === 'build' || kind === 'http'),
    )
  );
}

const REFUSED: readonly (number | null)[] = [401, 403];
const OF_PAGES =
  /\b(?:log ?in|auth\w*|access\w*|\d{3}|reach\w*|respon\w*|return\w*|pages?|urls?|endpoints?|routes?|api|servers?|sites?|health\w*|live|serv\w+)\b/i;

/** A page that wants a login says nothing of the work; and no page says anything of a build. */
export function isOfAnotherPage(fail: Fail, { type, quote }: Claim, evidence: Evidence): boolean {
  const asked = runsOf(fail, evidence).flatMap(({ checks }) => checks);
  const isOfBuild = type === 'checked' && /\b(?:buil[dt]s?|compil\w+|bundl\w+)\b/i.test(quote);
  return (
    fail.status === 'failed' &&
    asked.length > 0 &&
    asked.every(({ kind, status }) => kind === 'http' && (REFUSED.includes(status) || isOfBuild)) &&
    !OF_PAGES.test(quote)
  );
}

const LEAVES = /deploy|live/i;
const SENT = /^(?:ssh|scp|rsync|sftp|kubectl|helm|ansible|doctl|gcloud|aws|az)\b/;
/** How a push went on elsewhere. */
const GOES_ON =
  /\bgh (?:run|workflow|api\b.*\b(?:deployments?|actions))\b|\b(?:vercel|netlify|flyctl|railway|heroku|wrangler)\b|^curl\b.*\bhttps:\/\/(?!localhost|127\.)/;

/** A machine elsewhere was worked on; or the work was pushed, and then it was asked how that went on. */
export function mayBeDeployed({ about }: Claim, { runs, attempts }: Evidence): boolean {
  if (!LEAVES.test(about ?? '')) return false;
  const ended = runs.filter(({ exit, outcome }) => outcome === 'ok' && (exit.code ?? 0) === 0);
  const checks = ended.flatMap(({ seq, checks: all }) => all.map((check) => ({ ...check, seq })));
  const pushed = checks.findLast(
    (check) => check.runner === 'git push' && (isOwn(check) || check.summary === 'passed'),
  );
  const asked = [...checks.map(({ seq, command }) => ({ seq, target: command })), ...attempts];
  return (
    checks.some(({ runner, command }) => SENT.test(runner) && !onlyReads(command)) ||
    (pushed !== undefined && asked.some(({ seq, target }) => seq >= pushed.seq && GOES_ON.test(target)))
  );
}
