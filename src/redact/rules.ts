// The ids of all built-in rules, as `counterfoil.yaml` and the counts name them.
import { NAME_RULES } from './key-names.ts';
import { LONG_WORD_RULES } from './long-words.ts';
import { tokenIds } from './token-rules.ts';

const STRUCTURES = [
  'private-key',
  'jwt',
  'url-password',
  'url-signature',
  'command-password',
  'aws-secret-key',
];

/** The ids that `remove` may name. */
export function ruleIds(): string[] {
  return [...new Set([...tokenIds(), ...STRUCTURES, ...NAME_RULES, ...LONG_WORD_RULES])];
}
