// Labels of real turns that we dispute, for `npm run measure -- DIR --disputes FILE`: a line for each, with the id of the turn,
// the segment, what is right (`add` types that are as good, or `optional`), and why. No line holds a sentence of a turn.
const KNOWN = ['done', 'changed', 'tested', 'checked', 'shipped', 'blocked', 'delegation'];

export function parseDisputes(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line, at) => {
      const { id, seg, why, add, optional, ...others } = JSON.parse(line);
      const isOfTypes = Array.isArray(add) && add.length > 0 && add.every((type) => KNOWN.includes(type));
      const isOne = optional === undefined ? isOfTypes : optional === true && add === undefined;
      if (
        typeof id !== 'string' ||
        !Number.isInteger(seg) ||
        !why ||
        !isOne ||
        Object.keys(others).length > 0
      )
        throw new Error(`Line ${at + 1} is no dispute: give id, seg, why, and either add or optional.`);
      return { id, seg, why, add: add ?? [], optional: optional === true };
    });
}

/** A label as it would be if our disputes were granted. */
export function grant(label, disputes) {
  const of = ({ seg }) => disputes.filter((dispute) => dispute.id === label.id && dispute.seg === seg);
  const isOptional = (claim) => of(claim).some(({ optional }) => optional);
  return {
    ...label,
    claims: label.claims
      .filter((claim) => !isOptional(claim))
      .map((claim) => ({
        ...claim,
        types: [...new Set([...claim.types, ...of(claim).flatMap(({ add }) => add)])],
      })),
    optional: [...label.optional, ...label.claims.filter(isOptional)],
  };
}
