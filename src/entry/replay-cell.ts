// The inside of a replay: a process in a sandbox that has the agent's modules and the events, but none of the recorded state
// hashes. It rebuilds the states and reports a hash for each event that leads to one; whoever started it compares. What it
// runs is hostile, and so is its report. runtime/replay.ts is its other side.
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { pathToFileURL } from 'node:url';
import { canonicalize, type JsonObject, parseHex, plainBlake3 } from '../core/index.ts';
import type { RunEventKind } from '../format/index.ts';
import {
  type Agent,
  asAgent,
  type CellInput,
  type CellLine,
  type CellPatch,
  type CellTools,
  decidedAction,
  declarationsIn,
  Machine,
  messageOf,
  REDUCED,
  REPLAY_FILES,
  type Tool,
  ToolCells,
  toolsFile,
  WatchedGlobals,
  writePayload,
} from '../runtime/index.ts';

/** Reports are written in pieces of about this many characters. */
const PIECE = 1 << 20;
/** Events that are reduced twice: the first ones all, of later ones every so many. */
const [ALL_TWICE, EVERY] = [256, 64];

async function main(): Promise<void> {
  const input = JSON.parse(readFileSync('input.json', 'utf8')) as CellInput;
  const report = new Report();
  try {
    await replay(await load('code', input), input, report);
  } catch (error) {
    report.line(`! ${JSON.stringify(messageOf(error))}`);
  }
  report.close();
}

async function load(folder: string, { entry }: CellInput): Promise<Agent> {
  const url = pathToFileURL(resolve(folder, entry)).href;
  return asAgent(((await import(url)) as { default?: unknown }).default);
}

async function replay(first: Agent, input: CellInput, report: Report): Promise<void> {
  const { run, capabilities, parameters, start, node, key, snapshot } = input;
  let agent = first;
  let folder = 'code';
  const hash = plainBlake3(key === null ? undefined : parseHex(key, 32));
  const watched = new WatchedGlobals();
  const options = { run, capabilities, parameters, start, node, hash, guard: watched.guard };
  const machine = new Machine(agent, options);
  if (snapshot !== null) {
    machine.restore(snapshot);
    // The snapshot's own event follows the one that it was taken behind.
    report.line(`s ${Number(snapshot.sequence) + 1} ${machine.hash}`);
  }
  let tools: Tools | undefined;
  for (const line of linesOf('events.jsonl')) {
    const [sequence, kind, payload] = JSON.parse(line) as CellLine;
    if (kind === 'Patch') {
      if (payload.code !== null) {
        agent = await load(payload.code, input);
        folder = payload.code;
        tools = undefined;
      }
      report.line(`p ${payload.number} ${patched(machine, payload, agent)}`);
      continue;
    }
    if (kind === 'Show') {
      report.line(`v ${sequence} ${machine.text}`);
      continue;
    }
    if (kind === 'Execute') {
      tools ??= new Tools(agent, folder);
      report.line(`x ${sequence} ${await tools.execute(payload, machine)}`);
      continue;
    }
    if (kind === 'AgentInit')
      report.line(`a ${sequence} ${JSON.stringify(declarationsIn(agent, resolve(folder)))}`);
    if (kind === 'MemoryWrite') report.line(`m ${sequence} ${written(machine)}`);
    watched.asked = null;
    if (kind === 'Decision') {
      const decided = machine.decide();
      report.line(`d ${sequence} ${decided === null ? '-' : machine.hashOfText(decided.payload)}`);
    } else {
      const twin = isReducedTwice(kind, sequence) ? twinOf(agent, options, machine) : undefined;
      machine.apply({ sequence, kind, payload });
      twin?.apply({ sequence, kind, payload });
      report.line(`s ${sequence} ${machine.hash}`);
      if (kind === 'Snapshot') report.line(`b ${sequence} ${snapshotBytes(machine, sequence)}`);
      if (kind === 'Final' && payload.fails === true)
        report.line(`f ${sequence} ${JSON.stringify(failureOf(machine))}`);
      if (kind === 'Final' && payload.stops === true)
        report.line(`f ${sequence} ${JSON.stringify(machine.failure)}`);
      if (twin !== undefined && twin.text !== machine.text) report.line(`t ${sequence}`);
    }
    if (watched.asked !== null) report.line(`g ${sequence} ${JSON.stringify(watched.asked)}`);
  }
}

/** How long the snapshot at this event is. It tells the state behind the event before. */
function snapshotBytes(machine: Machine, sequence: number): number {
  return Buffer.byteLength(canonicalize(machine.snapshot(sequence - 1)));
}

/** Why the agent's code fails here; null where it does not. */
function failureOf(machine: Machine): string | null {
  if (machine.failure !== null) return machine.failure;
  const decided = decidedAction(machine);
  return 'failed' in decided ? decided.failed : null;
}

/** The hashes of the payload that the next write of memory has, as it is and with its value withheld. */
function written(machine: Machine): string {
  const [write] = machine.pending;
  if (write === undefined) return '- -';
  const payload = writePayload(write);
  return `${machine.hashOf(payload)} ${machine.hashOf({ ...payload, value: null })}`;
}

/** The state behind it, or that there is none. */
function patched(machine: Machine, patch: CellPatch, agent: Agent): string {
  try {
    machine.patch(patch, agent);
    return machine.hash;
  } catch {
    return '-';
  }
}

/** Read piece by piece: all of them may be more than a text can hold. */
function* linesOf(path: string): Generator<string> {
  const fd = openSync(path, 'r');
  const piece = Buffer.alloc(PIECE);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
    const lines = (rest + decoder.write(piece.subarray(0, read))).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  closeSync(fd);
}

function isReducedTwice(kind: RunEventKind, sequence: number): boolean {
  return REDUCED.has(kind) && (sequence < ALL_TWICE || sequence % EVERY === 0);
}

function twinOf(agent: Agent, options: ConstructorParameters<typeof Machine>[1], machine: Machine): Machine {
  const twin = new Machine(agent, options);
  twin.restore(machine.snapshot(0));
  return twin;
}

class Tools {
  readonly #agent: Agent;
  readonly #inCells: CellTools;
  readonly #cells = new ToolCells({
    thread: resolve(REPLAY_FILES.thread),
    wasm: REPLAY_FILES.wasm,
    define: REPLAY_FILES.define,
  });

  /** `folder` is that of the agent's code. */
  constructor(agent: Agent, folder: string) {
    this.#agent = agent;
    this.#inCells = JSON.parse(readFileSync(toolsFile(folder), 'utf8')) as CellTools;
  }

  /** The hash of what a pure tool gives now, or why it gives nothing. */
  async execute({ tool: name, input }: JsonObject, machine: Machine): Promise<string> {
    const tool = this.#agent.tools.find((each) => each.name === name);
    try {
      return machine.hashOf({ output: (await this.#run(String(name), tool, input)) as never });
    } catch {
      return '-';
    }
  }

  async #run(name: string, tool: Tool | undefined, input: unknown): Promise<unknown> {
    const inCell = Object.hasOwn(this.#inCells, name) ? this.#inCells[name] : undefined;
    if (inCell === undefined)
      return (await tool?.run(input, { key: 'replay', signal: new AbortController().signal })) ?? null;
    const end = await this.#cells.run(inCell.code, name, input, inCell.limits);
    if (end.outcome !== 'ok') throw new Error(end.error ?? end.outcome);
    return end.output;
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
