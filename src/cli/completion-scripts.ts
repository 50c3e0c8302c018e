// Scripts that tell a shell how a line of foil may go on, made of what the commands say of themselves.
import { COMMON, type Command } from './command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow the name of a command. */
interface Completion {
  readonly name: string;
  readonly summary: string;
  readonly subcommands: readonly string[];
  readonly options: readonly (readonly [name: string, help: string])[];
}

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const completions = commands.map(completionOf);
  return { bash, zsh, fish }[shell](completions);
}

function completionOf({ name, summary, usage, options }: Command): Completion {
  return {
    name,
    summary,
    subcommands: subcommandsOf(usage),
    options: Object.entries({ ...COMMON, ...options }).map(([option, { help }]) => [`--${option}`, help]),
  };
}

/** The words that a usage line lets a person choose from: `list | rotate [options]`, `[30m | off]`. */
export function subcommandsOf(usage: string): string[] {
  const alternatives = usage.replace(/^\[([^\]]*)\]/, '$1').split(' | ');
  const words = alternatives.flatMap((each) => (/^\S+/.exec(each)?.[0] ?? '').split('|'));
  return [...new Set(words.filter((word) => /^[a-z][a-z-]*$/.test(word)))];
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(completions: readonly Completion[]): string {
  const cases = completions.map(
    ({ name, subcommands, options }) =>
      `    ${name}) words='${[...subcommands, ...options.map(([option]) => option)].join(' ')}' ;;`,
  );
  return `# foil completions bash: put this line into ~/.bashrc
#   source <(foil completions bash)
_foil() {
  local words current=\${COMP_WORDS[COMP_CWORD]}
  if ((COMP_CWORD == 1)); then
    words='${completions.map(({ name }) => name).join(' ')} --help --version'
  else
    case \${COMP_WORDS[1]} in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _foil foil
`;
}

function zsh(completions: readonly Completion[]): string {
  const described = (word: string, help: string): string => quoted(`${word.replaceAll(':', '\\:')}:${help}`);
  const cases = completions.map(({ name, subcommands, options }) => {
    const words = [...subcommands.map(quoted), ...options.map(([option, help]) => described(option, help))];
    return `    ${name}) choices=(${words.join(' ')}) ;;`;
  });
  return `#compdef foil
# foil completions zsh: put these lines into ~/.zshrc, after compinit
#   source <(foil completions zsh)
_foil() {
  local name=$words[2]
  local -a choices
  if ((CURRENT == 2)); then
    choices=(${completions.map(({ name, summary }) => described(name, summary)).join(' ')})
    _describe command choices
    return
  fi
  case $name in
${cases.join('\n')}
  esac
  _describe argument choices || _files
}
compdef _foil foil
`;
}

function fish(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ name, summary, subcommands, options }) => [
    `complete -c foil -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...subcommands.map((word) => `complete -c foil -n '__fish_seen_subcommand_from ${name}' -a ${word}`),
    ...options.map(
      ([option, help]) =>
        `complete -c foil -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)} -d ${quoted(help)}`,
    ),
  ]);
  return `# foil completions fish: foil completions fish > ~/.config/fish/completions/foil.fish\n${lines.join('\n')}\n`;
}
