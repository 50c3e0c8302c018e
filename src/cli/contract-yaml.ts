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

/**
 * Controls, format characters (bidi, zero width, tags), separators, lone surrogates, private use, and what is no character:
 * YAML refuses some, a terminal might act on others.
 */
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\ufffe\uffff]/gu;

/** Plain where that is surely text; else in double quotes, whose escapes are JSON's, which YAML shares. */
function scalar(text: string): string {
  const plain =
    /^[A-Za-z_./][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/.test(text) &&
    !/^(?:[yn]|yes|no|on|off|true|false|null|nan|~|\.{1,3}|\.nan|\.inf)$/i.test(text);
  return plain ? text : JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd')).replace(ODD, escaped);
}

/** As YAML writes it. JSON has no code for what takes two of its own. */
function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
