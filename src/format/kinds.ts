// The kinds of entry. A kind is a dotted noun; an entry of a kind that is not listed is intact, and makes the
// checks that would depend on it say unknown. `note` and `x.…` are the ones anybody may write.

const KINDS = new Set(
  `ledger.open key.rotate policy grants operator.enrol operator.revoke session.start session.end session.cut session.sum auth.ok auth.fail anchor.block anchor.stamp
  branch.create branch.switch prompt response model.call model.tool_use model.tool_result model.result receipt tool.call tool.result tool.denied
  approval config.change agent.start agent.end compaction observation decision state memory.write memory.read
  snapshot run.event run.replay contract validation validator.key gateway.key gateway.receipt gateway.closing run.base run.artifacts run.closing replay.policy replay.start replay.answer claim gate override crash notice pack harness.change commit attestation judge.vote custody release gap erase
  archive note`.split(/\s+/),
);
const FAMILIES = ['plan.', 'patch.', 'x.'];
const GRAMMAR = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/;
const MAX_KIND = 64;

/** Could this be a kind? Dotted lower-case words of letters, digits and `_`, at most 64 characters. */
export function isKind(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_KIND && GRAMMAR.test(text);
}

/** Is it a kind this version knows? */
export function isKnownKind(kind: string): boolean {
  return KINDS.has(kind) || FAMILIES.some((family) => kind.startsWith(family));
}

/** Kinds that `foil append` writes: the others mean something, and only their recorders may say it. */
export function isUserKind(kind: string): boolean {
  return isKind(kind) && (kind === 'note' || kind.startsWith('x.'));
}
