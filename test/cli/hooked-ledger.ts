// A ledger that hooks write to and commands read, all in this process: a hook's answer and a command's outcome are
// values, and no process is started for either.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostPlace } from '../../src/app/hook/host-place.ts';
import { judgeMaker } from '../../src/app/hook/judge-maker.ts';
import { wholeLedger } from '../../src/app/hook/whole-ledger.ts';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import { parseCommandLine } from '../../src/cli/arguments.ts';
import type { Command, Outcome } from '../../src/cli/command.ts';
import { openTally } from '../../src/cli/hook-more.ts';
import { parseYaml } from '../../src/config/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { createLedger } from '../../src/entry/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { type Located, locate, type Mode } from '../../src/ledger/index.ts';
import { answerHook, type HookOutcome, runtimeDirectory } from '../../src/record/index.ts';
import { plain } from '../../src/report/text.ts';
import { type FileStore, openFileStore } from '../../src/store/files/index.ts';
import { parseLines } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';

export interface Said {
  readonly exit: number;
  readonly json: unknown;
  readonly text: string;
}

export class HookedLedger {
  readonly root = temporary(fastDirectory);
  readonly work = join(this.root, 'work');
  readonly env = {
    HOME: join(this.root, 'home'),
    XDG_STATE_HOME: join(this.root, 'state'),
    XDG_CONFIG_HOME: join(this.root, 'config'),
    XDG_RUNTIME_DIR: join(this.root, 'run'),
    PATH: process.env.PATH,
  };
  readonly located: Located;
  now = Date.now();

  constructor() {
    for (const name of ['work', 'home', 'state', 'config']) mkdirSync(join(this.root, name));
    mkdirSync(join(this.root, 'run'), { mode: 0o700 });
    this.located = locate({ cwd: this.work, env: this.env });
  }

  get directory(): string {
    return this.located.directory;
  }

  get runtime(): string {
    return runtimeDirectory(this.directory, this.env);
  }

  /** One event of Claude Code's. With `judged`, the gate reads prompts too. */
  async hook(
    event: JsonObject,
    { mode = 'observe', judged = false, deadline }: { mode?: Mode; judged?: boolean; deadline?: number } = {},
  ): Promise<HookOutcome> {
    const adapter = adapterOf('claude-code');
    if (adapter === undefined) throw new Error('there is no such agent');
    const { located, env, work } = this;
    const stores: FileStore[] = [];
    const outcome = await answerHook({
      adapter,
      body: new TextEncoder().encode(JSON.stringify({ session_id: 's', cwd: work, ...event })),
      event: null,
      pinned: mode,
      ...(deadline === undefined ? {} : { deadline }),
      place: () =>
        hostPlace({
          located,
          cwd: work,
          pinned: mode,
          env,
          pid: null,
          timeout: 200,
          parseYaml,
          open() {
            const store = openFileStore(located.directory);
            stores.push(store);
            return store;
          },
          tally: (session, first) => openTally(located.directory, session, first),
          cipher: () => Promise.reject(new Error('nothing is encrypted here')),
          blocks: () => undefined,
          ...(judged ? { makeJudge: () => judgeMaker(() => wholeLedger) } : {}),
        }),
    });
    for (const store of stores) await store.close();
    return outcome;
  }

  prompt(text: string): JsonObject {
    return { hook_event_name: 'UserPromptSubmit', prompt: text };
  }

  call(id = 'c1'): JsonObject {
    const tool_input = { command: 'ls' };
    return { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input, tool_use_id: id };
  }

  async run(command: Command, ...words: string[]): Promise<Said> {
    const { work: cwd, env } = this;
    const outcome: Outcome = await command.run({
      ...parseCommandLine(command, words),
      cwd,
      env,
      now: () => this.now,
      paint: plain,
      columns: undefined,
      stdin: async function* () {},
      progress: () => undefined,
      warn: () => undefined,
      onInterrupt: () => () => undefined,
    });
    const { exit = 0, text = '', json } = outcome;
    let printed = '';
    if (typeof text === 'string') printed = text;
    else if (text instanceof Uint8Array) printed = new TextDecoder().decode(text);
    else
      for await (const piece of text)
        printed += typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
    return { exit: typeof exit === 'function' ? exit() : exit, json, text: printed };
  }

  /** As they lie there, whoever may write. */
  entries(): Entry[] {
    const folder = join(this.directory, 'ledger');
    return readdirSync(folder)
      .sort()
      .flatMap((name) => parseLines(readFileSync(join(folder, name))));
  }
}

/** With its keys and its first checkpoint. */
export async function hookedLedger(): Promise<HookedLedger> {
  const made = new HookedLedger();
  await (await createLedger(made.located)).close();
  return made;
}
