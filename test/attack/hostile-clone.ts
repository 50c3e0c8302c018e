// A user's machine in a directory of its own, with a project in it that somebody else wrote. Commands are called as
// functions, with the user's environment and not with ours.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseCommandLine } from '../../src/cli/arguments.ts';
import type { Command, Context } from '../../src/cli/command.ts';
import { createLedger } from '../../src/entry/index.ts';
import { locate, locateHere } from '../../src/ledger/index.ts';
import type { Paint } from '../../src/report/text.ts';
import { temporary } from '../temporary.ts';

const same = (text: string): string => text;
const paint: Paint = { bold: same, dim: same, red: same, green: same, yellow: same };

export interface Ran {
  readonly exit: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the output of any command
  readonly json: any;
  readonly warnings: readonly string[];
}

export class Machine {
  readonly root = realpathSync(temporary());
  readonly project = join(this.root, 'home/me/project');
  readonly env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: join(this.root, 'home/me'),
    XDG_STATE_HOME: join(this.root, 'home/me/state'),
    XDG_CONFIG_HOME: join(this.root, 'home/me/config'),
    XDG_RUNTIME_DIR: join(this.root, 'run'),
  };

  constructor() {
    mkdirSync(this.project, { recursive: true });
    mkdirSync(join(this.root, 'run'), { mode: 0o700 });
  }

  /** Rejects with what the command throws. */
  async run(command: Command, words: readonly string[] = [], cwd = this.project): Promise<Ran> {
    const warnings: string[] = [];
    const context: Context = {
      ...parseCommandLine(command, words),
      cwd,
      env: this.env,
      now: Date.now,
      paint,
      columns: undefined,
      stdin: async function* () {},
      progress: () => undefined,
      warn: (line) => void warnings.push(line),
      onInterrupt: () => () => undefined,
    };
    const { exit = 0, json, text = '' } = await command.run(context);
    let printed = '';
    if (typeof text === 'string') printed = text;
    else if (text instanceof Uint8Array) printed = Buffer.from(text).toString();
    else for await (const piece of text) printed += Buffer.from(piece as Uint8Array).toString();
    return { exit: typeof exit === 'function' ? exit() : exit, text: printed, json, warnings };
  }

  file(path: string, text: string, mode = 0o644): string {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text, { mode });
    return whole;
  }

  /** The `.foil/` that a clone brings: a whole ledger with keys, made by somebody else's foil. */
  async brought(folder = this.project): Promise<string> {
    const { directory } = locateHere(folder);
    const theirs = { XDG_STATE_HOME: join(this.root, 'attacker/state') };
    await (await createLedger(locateHere(folder, theirs), { env: theirs })).close();
    return directory;
  }

  /** The ledger that everything of this user's finds from the project. */
  located(cwd = this.project) {
    return locate({ cwd, env: this.env });
  }
}
