// Help, made from the table of commands, so that it can't say what is not so.

import { columns } from '../report/index.ts';
import { COMMON, type Command, type Option } from './command.ts';

export function generalHelp(groups: Readonly<Record<string, readonly Command[]>>): string {
  const names = Object.values(groups).flatMap((commands) => commands.map(({ name }) => name.length));
  const sections = Object.entries(groups).map(
    ([title, commands]) =>
      `${title}\n${columns(
        commands.map(({ name, summary }) => [name, summary]),
        '  ',
        Math.max(...names),
      )}`,
  );
  return `foil: a tamper-evident ledger that anyone can check

usage: foil COMMAND [options]

${sections.join('\n\n')}

A ledger belongs to a project and lives in your state directory, out of reach of the work tree; foil finds it from
anywhere in the project. --ledger DIR or FOIL_LEDGER names another, and init --here makes one in .foil/.

Exit codes: 0 fine · 1 could not do it · 2 wrong usage · 3 not found · 4 BROKEN · 5 VIOLATION · 6 below what was required
Every command takes --json, and --help with an example.
`;
}

export function commandHelp(command: Command): string {
  const own = Object.entries(command.options);
  return `foil ${command.name}: ${command.summary}

usage: foil ${[command.name, command.usage].filter((word) => word !== '').join(' ')}

options
${columns([...own, ...Object.entries<Option>(COMMON)].map(describe))}

${command.examples.length === 1 ? 'example' : 'examples'}
${command.examples.map((example) => `  ${example}`).join('\n')}
${command.notes === undefined ? '' : `\n${command.notes.join('\n')}\n`}`;
}

function describe([name, { short, value, help }]: readonly [string, Option]): [string, string] {
  return [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ];
}
