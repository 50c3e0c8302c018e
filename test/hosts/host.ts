// A real agent as the suite drives it: what a user sets up once, and how one prompt is given to it without a terminal.
import { type Ran, runBounded } from './bounded.ts';
import type { Place } from './place.ts';
import { type Agent, PROGRAMS } from './programs.ts';
import type { ShellCall, Step } from './stand-in/script.ts';
import { StandIn } from './stand-in/server.ts';

export interface Host {
  readonly agent: Agent;
  /** Its name in the table. */
  readonly name: string;
  /** The model that it is told to use, and that the stand-in answers as. */
  readonly model: string;
  readonly shell: ShellCall;
  /** Where `foil install` puts its hooks, from the project. */
  readonly hooksFile: string;
  /** Whether its calls are told to the local service, and not to a process of their own. */
  readonly served: boolean;
  /** Whether a turn can be held at its end. */
  readonly holds: boolean;
  /** Takes its prompt on the command line and ends with it. */
  readonly headless: boolean;
  /** What a user sets up after `foil install`, such as trust in the folder or in its hooks. */
  readonly setUp: (place: Place) => Promise<void> | void;
  /** Gives one prompt to the program, and waits until it is done with it. */
  readonly drive: (driven: Driven) => Promise<Ran>;
  readonly env: (api: string) => Readonly<Record<string, string>>;
  /** Before each prompt, where the API's address has to stand in a file. */
  readonly point?: (place: Place, api: string) => void;
}

export interface Driven {
  readonly place: Place;
  readonly prompt: string;
  /** Where the model is. */
  readonly api: string;
  readonly env: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** What starts it, such as `foil run --`. Empty where it is started by its own name. */
  readonly under: readonly string[];
}

/** For a program that takes its prompt on the command line and ends. */
export function onCommandLine(
  agent: Agent,
  words: (prompt: string, api: string) => readonly string[],
): Host['drive'] {
  return ({ place, prompt, api, env, seconds, under }) => {
    const [command = '', ...rest] = [...under, PROGRAMS[agent], ...words(prompt, api)];
    return runBounded(command, rest, { cwd: place.project, env, seconds });
  };
}

export interface Played extends Ran {
  readonly model: StandIn;
}

/** Far more than a prompt takes, and short enough to see a host that never ends. */
const LIMIT_SECONDS = 200;

export async function play(
  host: Host,
  place: Place,
  prompt: string,
  steps: readonly Step[],
  { seconds = LIMIT_SECONDS, under = [] }: Partial<Pick<Driven, 'seconds' | 'under'>> = {},
): Promise<Played> {
  const model = new StandIn(steps, host.shell);
  const api = await model.listen();
  try {
    host.point?.(place, api);
    const env = { ...place.env, ...host.env(api) };
    const ran = await host.drive({ place, prompt, api, env, seconds, under });
    if (model.fault !== undefined) throw model.fault;
    return { ...ran, model };
  } finally {
    model.close();
  }
}
