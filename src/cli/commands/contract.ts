// foil contract: what a prompt asked for, as it was read when it came, and what the agent's answer is held against.

import { findSession, keptValue, reading, textOf } from '../../app/index.ts';
import type { Json } from '../../core/index.ts';
import { UsageError } from '../../core/index.ts';
import { encodeContract, type RecordedContract } from '../../format/index.ts';
import { readSessionRecord } from '../../gate/index.ts';
import { contentReader, harmless, readEntry } from '../../report/index.ts';
import { parseSeq } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { contractYaml } from '../contract-yaml.ts';
import { place } from '../place.ts';

export const contract: Command = {
  name: 'contract',
  summary: 'show what the newest prompt of a session asked for, as the gate reads it (YAML)',
  usage: 'show [SESSION]',
  arguments: [1, 2],
  options: {
    seq: {
      type: 'string',
      value: 'SEQ',
      help: "show the contract in this entry, instead of the newest prompt's",
    },
  },
  examples: ['foil contract show', 'foil contract show 3f9a --json'],
  run,
};

/** The prompt's other words, as far as their content is still here. */
function withKeywords(contract: RecordedContract, words: Json | undefined): RecordedContract {
  const { keywords: _, ...rest } = contract;
  const keywords = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  return keywords.length === 0 ? rest : { ...rest, fields: { ...rest.fields, keywords } };
}

async function run(context: Context): Promise<Outcome> {
  const [action, given] = context.arguments;
  if (action !== 'show') throw new UsageError(`Unknown subcommand "${action}". Use \`foil contract show\`.`);
  const wanted = context.values.text('seq');
  const located = place(context);
  return reading(located, async (ledger) => {
    const seq = wanted === undefined ? null : parseSeq(wanted, '--seq');
    // The entry knows its session.
    const own = seq === null ? undefined : ((await readEntry(ledger.store, seq))?.session_id ?? undefined);
    const session = await findSession(ledger, context, given ?? own);
    const record = await readSessionRecord(ledger.store, session.id);
    const found = seq === null ? [...record.contracts.values()].at(-1) : record.contracts.get(seq);
    if (found === undefined)
      return {
        exit: 3,
        json: { session: session.id, contract: null },
        text:
          seq === null
            ? `Session ${session.id.slice(0, 12)} has no contract, because none of its prompts asks for anything that the gate can check.\n`
            : `Entry ${seq} isn't a contract of session ${session.id.slice(0, 12)}. See \`foil log --kind contract\`.\n`,
      };
    const { entry } = found;
    const read = contentReader(ledger, located);
    const objective = await textOf(read, entry, 'objective');
    const value = withKeywords(found.value, await keptValue(read, entry, 'keywords'));
    const newest = record.contract === found ? '' : ', not of the newest prompt';
    return {
      json: { session: session.id, seq: entry.seq, contract: encodeContract(value), objective },
      text: `# session ${session.id.slice(0, 12)}, entry ${entry.seq}${newest}\n${contractYaml(
        value,
        objective,
      )
        .split('\n')
        .map(harmless)
        .join('\n')}`,
    };
  });
}
