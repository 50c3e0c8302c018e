// What a form says about a password where a value would stand: Laravel's `required|min:8`, or the message that is shown,
// such as `Password is required` and `must be at least 8 characters`.

const RULE =
  /^(?:(?:required|nullable|sometimes|string|bail|confirmed|present|filled|prohibited)(?:\||$)|(?:min|max|size|between|regex|same|different|exists|unique):)/;
const MESSAGE =
  /^(?:(?:(?:the|your|a|this) )?(?:(?:new|current|old) )?(?:passwords?|passphrase|token|secret|(?:api )?key|field) )?(?:is|are|was|must|can't|cannot|should|has|doesn't|does not|do not|don't|may not|needs|too|please|enter|invalid|incorrect) [a-z0-9 ,.'!()-]{2,120}$/i;

export function isValidation(value: string): boolean {
  return RULE.test(value) || MESSAGE.test(value);
}
