// A contract as YAML, for people. Every text is quoted where YAML would read it as something else: a prompt may hold
// anything.
import type { Contract } from '../format/index.ts';

/** `objective` is the prompt, or null where its content is not kept. */
export function contractYaml(contract: Contract, objective: string | null): string {
  const { fields } = contract;
  return `${[
    `intent: ${contract.intent}`,
    objective === null ? 'objective: null' : `objective: ${scalar(objective)}`,
    'target_fields:',
    ...list('paths', fields.paths, '  '),
    ...list('urls', fields.urls, '  '),
    ...list('backtick_tokens', fields.backtick_tokens, '  '),
    ...list('command_hints', fields.command_hints, '  '),
    ...list('keywords', fields.keywords, '  '),
    ...(contract.ladder.length === 0
      ? ['ladder: []']
      : [
          'ladder:',
          ...contract.ladder.map(({ capability, target }) => `  - ${capability}: ${scalar(target)}`),
        ]),
    ...list('expected_verification', contract.expected, ''),
    `required_response_mode: ${contract.responseMode}`,
    `allows_weakening: ${contract.allowsWeakening}`,
  ].join('\n')}\n`;
}

function list(name: string, items: readonly string[], indent: string): string[] {
  if (items.length === 0) return [`${indent}${name}: []`];
  return [`${indent}${name}:`, ...items.map((item) => `${indent}  - ${scalar(item)}`)];
}

/** Plain where that is surely text; else in double quotes, whose escapes are JSON's, which YAML shares. */
function scalar(text: string): string {
  const plain =
    /^[A-Za-z_./][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/.test(text) &&
    !/^(?:[yn]|yes|no|on|off|true|false|null|nan|~|\.{1,3}|\.nan|\.inf)$/i.test(text);
  // JSON leaves these as they are, YAML takes them for line breaks or refuses them.
  return plain
    ? text
    : JSON.stringify(text).replace(
        /[\u007f-\u009f\u2028\u2029\ufeff]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
}
