// Whether a program that ran shows anything of what changed: it is what changed, loads it, would use it, or asks a server
// that the session started. A script that the session wrote beside the work shows the work only if it loads it.

import { belongsTo, isGenerated, isManifest, isPlain, samePath } from '../../ecosystems/index.ts';
import type { Check } from '../../format/index.ts';
import { isLineCode } from '../../shell/index.ts';
import { gapOf } from '../coverage.ts';
import type { ValidatorContext } from './validator.ts';

const ENTRY = /(?:^|\/)(?:main|index|app|cli|server|manage|__main__|start|program)\.[a-z]+$/i;

/** They run what they are given, which is the changed file or nothing of it. */
export const CLIENT = /^(?:psql|mysql|sqlite3|duckdb)$/;

/** On this machine: what is served here may be what was changed here. */
export function isLocal(url: string): boolean {
  return /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/]|$)/i.test(url);
}

/** A program that ran, but is neither what changed nor one that would use it. */
export function isProgramElsewhere(check: Check, { scope }: ValidatorContext): boolean {
  if (check.kind !== 'run') return false;
  if (CLIENT.test(check.runner) && check.targets.length === 0) return true;
  if (gapOf(check, scope) === null) return false;
  if (check.directory === null) return true;
  return !check.targets.some((target) => isGenerated(target) || ENTRY.test(target));
}

/** With the work in place of the servers that it asks, if the session started one; without them, if it did not. */
export function asServed(check: Check, seq: number, context: ValidatorContext): Check {
  if (!check.targets.some(isLocal)) return check;
  const files = check.targets.filter((target) => !isLocal(target));
  return { ...check, targets: isServedAt(seq, context) ? [...files, '.'] : files };
}

const STARTS =
  /^(?:docker|podman|pm2|systemctl|supervisorctl|service|kubectl)\b.*\b(?:up|run|start|restart|rollout)\b/;

/** The session had started a program by then that goes on, and neither wrote it beside the work nor has it from elsewhere. */
export function isServedAt(seq: number, context: ValidatorContext): boolean {
  return context.evidence.runs.some(
    (run) =>
      run.seq <= seq &&
      run.checks.some(
        (check) =>
          !/^(?:test|http)$/.test(check.kind) &&
          (check.flaw?.code === 'background' || STARTS.test(check.command)) &&
          !isLineCode(check) &&
          check.targets[0]?.startsWith('/') !== true &&
          !isScratch(check, context),
      ),
  );
}

/** A script of the session, run by itself, that neither is all that was made nor loads any of the rest. */
export function isScratch(check: Check, context: ValidatorContext): boolean {
  const { scope, evidence } = context;
  const [script, ...loaded] = check.targets;
  if (check.kind !== 'run' || isLineCode(check) || script === undefined) return false;
  const isMade = scope.changed.some((file) => samePath(file, script));
  if (!isMade || scope.named.some((file) => samePath(file, script))) return false;
  const others = scope.changed.filter(
    (file) => !samePath(file, script) && !isPlain(file) && !isManifest(file) && !belongsTo(file, script),
  );
  const rest = { ...context, scope: { ...scope, changed: others } };
  if (loaded.length > 0 && !isProgramElsewhere({ ...check, targets: loaded }, rest)) return false;
  const isRun = (file: string): boolean =>
    evidence.runs.some(({ checks }) =>
      checks.some(({ targets }) => targets.some((target) => samePath(target, file))),
    );
  return !others.every(isRun);
}
