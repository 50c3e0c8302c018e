// The inside of a replay: a process in a sandbox that has the agent's modules and the events, but none of the recorded state
// hashes. It rebuilds the states and reports a hash for each event that leads to one; whoever started it compares. What it
// runs is hostile, and so is its report. runtime/replay.ts is its other side.
import { closeSync, createReadStream, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type JsonObject, openBlake3, parseHex } from '../core/index.ts';
import type { RunEventKind } from '../format/index.ts';
import {
  type Agent,
  asAgent,
  type CellInput,
  type CellLine,
  Machine,
  messageOf,
  WatchedGlobals,
} from '../runtime/index.ts';

/** Reports are written in pieces of about this many characters. */
const PIECE = 1 << 20;
/** Events that are reduced twice: the first ones all, of later ones every so many. */
const [ALL_TWICE, EVERY] = [256, 64];

async function main(): Promise<void> {
  const input = JSON.parse(readFileSync('input.json', 'utf8')) as CellInput;
  const report = new Report();
  try {
    const url = pathToFileURL(resolve('code', input.entry)).href;
    const agent = asAgent(((await import(url)) as { default?: unknown }).default);
    await replay(agent, input, report);
  } catch (error) {
    report.line(`! ${JSON.stringify(messageOf(error))}`);
  }
  report.close();
}

async function replay(agent: Agent, input: CellInput, report: Report): Promise<void> {
  const { run, capabilities, parameters, start, node, key, snapshot, debugAt } = input;
  const hash = await openBlake3(key === null ? undefined : parseHex(key, 32));
  const watched = new WatchedGlobals();
  const options = { run, capabilities, parameters, start, node, hash, guard: watched.guard };
  const machine = new Machine(agent, options);
  if (snapshot !== null) {
    machine.restore(snapshot);
    // The snapshot's own event follows the one that it was taken behind.
    report.line(`s ${Number(snapshot.sequence) + 1} ${machine.hash}`);
  }
  const lines = createInterface({
    input: createReadStream('events.jsonl'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    const [sequence, kind, payload] = JSON.parse(line) as CellLine;
    if (kind === 'Execute') {
      report.line(`x ${sequence} ${await execute(agent, payload, machine)}`);
      continue;
    }
    watched.asked = null;
    if (kind === 'Decision') {
      const action = machine.decide();
      report.line(`d ${sequence} ${action === null ? '-' : machine.hashOf({ action })}`);
    } else {
      const twin = isReducedTwice(kind, sequence) ? twinOf(agent, options, machine) : undefined;
      machine.apply({ sequence, kind, payload });
      twin?.apply({ sequence, kind, payload });
      report.line(`s ${sequence} ${machine.hash}`);
      if (twin !== undefined && twin.text !== machine.text) report.line(`t ${sequence}`);
    }
    if (watched.asked !== null) report.line(`g ${sequence} ${JSON.stringify(watched.asked)}`);
  }
  // The events end with the one whose state is asked for.
  if (debugAt !== null) report.line(`v ${debugAt} ${machine.text}`);
}

function isReducedTwice(kind: RunEventKind, sequence: number): boolean {
  return kind !== 'AgentInit' && kind !== 'MemoryWrite' && (sequence < ALL_TWICE || sequence % EVERY === 0);
}

function twinOf(agent: Agent, options: ConstructorParameters<typeof Machine>[1], machine: Machine): Machine {
  const twin = new Machine(agent, options);
  twin.restore(machine.snapshot(0));
  return twin;
}

/** The hash of what a pure tool gives now, or why it gives nothing. */
async function execute(agent: Agent, { tool: name, input }: JsonObject, machine: Machine): Promise<string> {
  const tool = agent.tools.find((each) => each.name === name);
  try {
    const { signal } = new AbortController();
    const output = await tool?.run(input, { key: 'replay', signal });
    return machine.hashOf({ output: (output ?? null) as never });
  } catch {
    return '-';
  }
}

class Report {
  readonly #fd = openSync('report', 'w');
  #text = '';

  line(text: string): void {
    this.#text += `${text}\n`;
    if (this.#text.length > PIECE) this.#flush();
  }

  close(): void {
    this.line('.');
    this.#flush();
    closeSync(this.#fd);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    this.#text = '';
  }
}

await main();
process.exit(0);
