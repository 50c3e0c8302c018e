// What a claim of a structured final block refers to: a validator, an entry, the hash of a file. The agent wrote them down,
// so each must exist and be about that very claim: the validator passes now, the pass rests on that entry, the file is one
// that the claim speaks of, as it is at this moment. A reference that is left out is no problem; a wrong one is. The files
// that its object names must be those that were worked on.
import { join, normalize } from 'node:path';
import { aboutText, type FoilFinal, type FoilFinalClaim } from '../claims/index.ts';
import { isHash } from '../core/index.ts';
import type { Claim } from '../format/index.ts';
import { type ClaimPolicy, DEFAULT_POLICY, VALIDATOR_IDS, validatorId } from '../policy/index.ts';
import {
  askValidator,
  type Evidence,
  lastingChanges,
  type Outcome,
  readContract,
  scopeOf,
  speaksOf,
  type ValidatorContext,
} from '../rules/index.ts';
import { lookAt } from './file-content.ts';
import type { SessionRecord } from './ledger-evidence.ts';

export interface Referred {
  readonly policy: ClaimPolicy;
  readonly contract: ValidatorContext['contract'];
  /** As it stands now. */
  readonly evidence: Evidence;
  readonly root: string | null;
  /** The session as the ledger has it. */
  readonly record: SessionRecord;
}

export function hasReferences(final: FoilFinal): boolean {
  return final.claims.some((claim) =>
    [claim.validator, claim.entry, claim.artifact].some((each) => each !== null),
  );
}

/** The first claim that speaks of other files than those that were changed, or that there are, in a sentence; null where none does. */
export function objectProblem(final: FoilFinal, evidence: Evidence): string | null {
  for (const [index, claim] of final.claims.entries()) {
    const others = otherFiles(claim, evidence);
    const missing = missingFiles(claim, evidence);
    const why =
      others.length > 0
        ? `${others.join(', ')}, and no change to ${others.length === 1 ? 'it' : 'them'} is on record in this session`
        : `${missing.join(', ')}, and there is no such file`;
    if (others.length + missing.length > 0)
      return `Claim ${index + 1} of the foil_final block is about ${why}. Correct that, or leave it out.`;
  }
  return null;
}

/** What is tested or checked is there, or was until it was deleted here. */
function missingFiles({ claim_type: type, object }: FoilFinalClaim, evidence: Evidence): readonly string[] {
  if (type !== 'tested' && type !== 'checked') return [];
  const known = [...changedIn(evidence, object), ...targetsIn(evidence)];
  return filesIn(object).filter(
    (name) => evidence.isThere?.(name) === false && !known.some((path) => isFile(name, path)),
  );
}

function targetsIn({ runs }: Evidence): readonly string[] {
  return runs.flatMap(({ checks }) => checks.flatMap(({ targets }) => targets));
}

/** "changed" is said of each file that is named, "done" of one of them at least, or of what was run. */
function otherFiles({ claim_type: type, object }: FoilFinalClaim, evidence: Evidence): readonly string[] {
  if ((type !== 'changed' && type !== 'done') || evidence.changes.length === 0) return [];
  const named = filesIn(object);
  const changed = changedIn(evidence, object);
  const known = type === 'changed' ? changed : [...changed, ...targetsIn(evidence)];
  const others = named.filter((name) => !known.some((path) => isFile(name, path)));
  return type === 'done' && others.length < named.length ? [] : others;
}

/** The files that a text names, read as those of a prompt are. */
function filesIn(text: string): readonly string[] {
  return readContract(text, DEFAULT_POLICY).fields.paths.filter((path) => /\.\w+$/.test(path));
}

/** Files whose change is still there, as far as the words say that it is. */
function changedIn(evidence: Evidence, words: string): string[] {
  const changes = lastingChanges(words, evidence);
  return [...new Set([...changes.map(({ path }) => path), ...(evidence.changed ?? [])])];
}

/** A name is the whole of the path, or the end of it: `sum.js` is any of that name, `lib/sum.js` is in a `lib`. */
function isFile(name: string, path: string): boolean {
  return `/${normalize(path)}`.endsWith(`/${normalize(name)}`);
}

/** The first reference that does not hold, in a sentence; null where all do. */
export function referenceProblem(final: FoilFinal, on: Referred): string | null {
  for (const [index, claim] of final.claims.entries()) {
    const problem = problemOf(claim, on);
    if (problem !== null)
      return `Claim ${index + 1} of the foil_final block ${problem}. Correct that, or leave it out.`;
  }
  return null;
}

function problemOf(final: FoilFinalClaim, on: Referred): string | null {
  const { claim_type: type, validator, entry, artifact } = final;
  const allowed = on.policy.claims[type].validators;
  if (validator !== null) {
    const id = validatorId(validator);
    if (id === null)
      return `names the unknown validator "${validator.slice(0, 64)}" (known are ${VALIDATOR_IDS.join(', ')})`;
    if (!allowed.includes(id)) return `names ${id}, which does not settle a claim of type ${type}`;
  }
  const ids = validator === null ? allowed : allowed.filter((id) => id === validatorId(validator));
  const asked = ids.map((id) => ask(id, final, on.evidence, on));
  const passed = asked.flatMap((outcome) => (outcome.outcome === 'pass' ? [outcome] : []));
  if (validator !== null && passed.length === 0) {
    const [{ reason } = { reason: '' }] = asked.filter((outcome) => outcome.outcome !== 'pass');
    return `names ${validator}, which does not pass: ${reason.replace(/\.$/, '')}`;
  }
  const rests = passed.flatMap(({ evidence }) => evidence);
  if (entry !== null && !isAboutEntry(Number(entry), final, ids, rests, on))
    return `names entry ${entry.slice(0, 20)}, which isn't an entry of this session that shows it`;
  if (artifact !== null && !isAboutArtifact(artifact, final, entry === null ? rests : [Number(entry)], on))
    return "has an artifact_hash that isn't the SHA-256 of any file that the claim is about, as it is now";
  return null;
}

type Ids = ClaimPolicy['claims'][Claim['type']]['validators'];

function ask(id: Ids[number], final: FoilFinalClaim, evidence: Evidence, on: Referred, args = {}): Outcome {
  const { policy, contract } = on;
  const { claim_type: type, object: quote } = final;
  const claim = { type, quote, ...aboutText(type, quote) };
  const context = { evidence, contract, claim, scope: scopeOf(evidence, contract) };
  return askValidator({ validator: id, args, asked: false }, context, policy);
}

/** The pass rests on it, or would if it were the only one of its sort; or it is a validation that would pass again. */
function isAboutEntry(
  seq: number,
  final: FoilFinalClaim,
  ids: Ids,
  rests: readonly number[],
  on: Referred,
): boolean {
  const { record } = on;
  const validation = record.validations.get(seq)?.value;
  if (validation !== undefined) {
    const id = ids.find((each) => each === validation.validator);
    const isSame = record.claims.get(validation.claim)?.value.type === final.claim_type;
    if (id === undefined || !isSame || validation.outcome !== 'pass') return false;
    return ask(id, final, on.evidence, on, validation.args).outcome === 'pass';
  }
  if (!record.results.has(seq)) return false;
  if (rests.includes(seq)) return true;
  const isIt = (each: { readonly seq: number }): boolean => each.seq === seq;
  const { runs, changes } = whole(on);
  return ids.some((id) => {
    const alone =
      id === 'file_diff_present'
        ? { ...on.evidence, changes: changes.filter(isIt) }
        : { ...on.evidence, runs: runs.filter(isIt) };
    const outcome = ask(id, final, alone, on);
    return outcome.outcome === 'pass' && outcome.evidence.includes(seq);
  });
}

/** With every run of the session: the gate itself remembers only the newest of those that are alike. */
function whole({ evidence, record }: Referred): Evidence {
  const forged = evidence.runs.filter(({ genuine }) => !genuine).map(({ seq }) => seq);
  const { tree, changed = null, weakened, editedSince } = evidence;
  return record.evidence.evidence({ tree, changed, weakened, editedSince, forged });
}

/** A file that was changed here, and which the claim speaks of if it speaks of any; or what one of these entries gave. */
function isAboutArtifact(
  artifact: string,
  { object }: FoilFinalClaim,
  seqs: readonly number[],
  { evidence, record, root }: Referred,
): boolean {
  const hash = artifact.replace(/^sha256:/i, '').toLowerCase();
  if (!isHash(hash)) return false;
  if (seqs.some((seq) => record.results.get(seq)?.payload.result_hash === hash)) return true;
  const changed = changedIn(evidence, object);
  const named = filesIn(object);
  const spoken = changed.filter((path) =>
    named.length > 0 ? named.some((name) => isFile(name, path)) : speaksOf(object, path),
  );
  return (spoken.length + named.length > 0 ? spoken : changed).some((path) => {
    const place = path.startsWith('/') ? path : root === null ? null : join(root, path);
    return place !== null && lookAt(place)?.content.replace(/^x:/, '') === hash;
  });
}
