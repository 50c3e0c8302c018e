// A contract as YAML, for people. A prompt may hold anything: the writer quotes what YAML would read as something else.
import { stringify } from 'yaml';
import type { Contract } from '../format/index.ts';

/** `objective` is the prompt, or null where its content is not kept. */
export function contractYaml(contract: Contract, objective: string | null): string {
  const { intent, fields, ladder, expected, responseMode, allowsWeakening } = contract;
  const members = {
    intent,
    objective,
    target_fields: fields,
    ladder: ladder.map(({ capability, target }) => ({ [capability]: target })),
    expected_verification: expected,
    required_response_mode: responseMode,
    allows_weakening: allowsWeakening,
  };
  return stringify(members, { lineWidth: 0, blockQuote: false, aliasDuplicateObjects: false });
}
