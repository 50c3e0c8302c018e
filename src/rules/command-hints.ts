// Commands that a prompt names: in backticks, in fenced blocks, or after "run". A word is a command where its program
// is one that people run to check or ship something; nothing is executed or expanded here.
import type { CodeSpan, FencedBlock } from './prompt-markup.ts';

const MAX_HINTS = 32;
const MAX_HINT = 256;

const PROGRAMS = new Set(
  (
    'npm npx pnpm yarn bun bunx deno node tsx ts-node tsc vitest jest mocha ava eslint biome prettier playwright cypress ' +
    'python python3 py pytest tox nox poetry uv uvx pipenv pip pip3 ruff mypy pyright black flake8 hatch django-admin ' +
    'go cargo rustc make cmake ctest ninja bazel gradle gradlew mvn mvnw sbt dotnet swift xcodebuild zig mix rebar3 ' +
    'bundle rake rspec rails ruby composer php phpunit pest artisan docker docker-compose podman kubectl helm terraform ' +
    'git gh curl wget http bash sh just task turbo nx lerna ansible-playbook vercel netlify fly heroku wrangler psql sqlite3 foil'
  ).split(' '),
);
/** Programs that check something when called by their name alone. */
const ALONE = new Set(
  'pytest make tsc vitest jest mocha rspec phpunit tox nox eslint mypy pyright just'.split(' '),
);
const SHELLS = new Set(['', 'sh', 'bash', 'zsh', 'shell', 'console', 'terminal', 'shell-session']);
const STOPS = new Set(
  'and then to until so but or before after again in on for with which please it from when if because since first once'.split(
    ' ',
  ),
);

/** Does a line begin with a program that is run, with something to do? */
export function isCommand(line: string): boolean {
  const words = line.trim().split(/\s+/, 8);
  let i = 0;
  while (
    i < words.length &&
    (/^[A-Za-z_]\w*=/.test(words[i] ?? '') || ['sudo', 'time', 'env'].includes(words[i] ?? ''))
  )
    i++;
  const program = words[i] ?? '';
  if (/^[\w.-]*(?:\/[\w.-]+)+$/.test(program))
    return words.length > i + 1 || program.startsWith('./') || /\.(?:sh|bash)$/.test(program);
  return (
    PROGRAMS.has(program) &&
    (words.length > i + 1 ? /^[\w./@:~"'$-]/.test(words[i + 1] ?? '') : ALONE.has(program))
  );
}

export function commandHints(
  prose: readonly string[],
  spans: readonly CodeSpan[],
  fenced: readonly FencedBlock[],
): string[] {
  const found = new Set<string>();
  const add = (command: string) => {
    const text = command.replace(/\s+/g, ' ').trim().slice(0, MAX_HINT);
    if (text !== '' && found.size < MAX_HINTS) found.add(text);
  };
  for (const { text } of spans) {
    const command = text.replace(/^\$ /, '');
    if (isCommand(command)) add(command);
  }
  for (const line of prose) for (const command of afterRun(line)) add(command);
  for (const { language, text } of fenced) {
    if (!SHELLS.has(language.toLowerCase())) continue;
    for (const line of text.split('\n').slice(0, 256)) {
      const prompted = /^\s*\$ (.*)$/.exec(line)?.[1];
      // Without a language or a prompt sign a block may be output.
      if (prompted !== undefined ? isCommand(prompted) : language !== '' && isCommand(line))
        add(prompted ?? line);
    }
  }
  return [...found];
}

/** "run npm test and …": the words after it, up to one that is no part of a command. */
function afterRun(line: string): string[] {
  const words = line.slice(0, 4096).split(/\s+/);
  const found: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (!/^[("]?(?:re-?run|run|runs|execute|running)$/i.test(words[i] ?? '')) continue;
    const taken: string[] = [];
    for (let j = i + 1; j < words.length && taken.length < 16; j++) {
      const word = words[j] ?? '';
      if (STOPS.has(word.toLowerCase())) break;
      const bare = word.replace(/[.,;:!?)"]+$/, '');
      if (bare !== '') taken.push(bare);
      if (bare !== word) break;
    }
    if (isCommand(taken.join(' '))) found.push(taken.join(' '));
  }
  return found;
}
