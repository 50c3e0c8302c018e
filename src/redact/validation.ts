// What a form's rules say about a password: Laravel's `required|min:8`. They stand where a value would.

const RULE =
  /^(?:(?:required|nullable|sometimes|string|bail|confirmed|present|filled|prohibited)(?:\||$)|(?:min|max|size|between|regex|same|different|exists|unique):)/;

export function isValidation(value: string): boolean {
  return RULE.test(value);
}
