// One run of an agent with two durable entries a step, beside the same agent on LangGraph.js with its SQLite checkpointer.
// LangGraph.js is no dependency, not even of the bench: it is taken from a folder that you name.
//
//     mkdir /tmp/langgraph && cd /tmp/langgraph && npm init -y
//     npm install @langchain/langgraph@1.4.17 @langchain/core@1.2.13 @langchain/langgraph-checkpoint-sqlite@1.0.4
//     node bench/langgraph.mjs /tmp/langgraph [STEPS]
//
// Both count down from STEPS: a decision, then a call of a tool that adds. LangGraph.js saves a checkpoint behind each of the
// two, before it goes on (`durability: 'sync'`), in a database with `synchronous=FULL`. It prints a line of JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRuntime } from '../dist/runtime.js';
import { agent, inProject } from './replay.mjs';

const WARM_UP = 50;

/** Steps a second, and microseconds of processor time for each. */
export async function besideLangGraph(installed, steps = 300) {
  const peer = await langGraph(installed);
  try {
    return await inProject(async (place, folder) => {
      const runtime = await openRuntime({ place, cwd: folder });
      const run = await runtime.startRun({ agent });
      await run.observe({ calls: WARM_UP });
      await peer.go(WARM_UP);
      const ours = await measured(steps, () => run.observe({ calls: steps }));
      const theirs = await measured(steps, () => peer.go(steps));
      await runtime.close();
      return { steps, ours, theirs, ratio: ours.perSecond / theirs.perSecond, versions: peer.versions };
    });
  } finally {
    peer.close();
  }
}

async function langGraph(installed) {
  const require = createRequire(join(resolve(installed), 'package.json'));
  const { Annotation, END, START, StateGraph } = require('@langchain/langgraph');
  const { SqliteSaver } = require('@langchain/langgraph-checkpoint-sqlite');
  const Database = require('better-sqlite3');
  const folder = mkdtempSync(join(tmpdir(), 'langgraph-bench-'));
  const database = new Database(join(folder, 'checkpoints.db'));
  const checkpointer = new SqliteSaver(database);
  checkpointer.setup();
  database.pragma('synchronous = FULL');
  const State = Annotation.Root({ sum: Annotation(), left: Annotation(), call: Annotation() });
  const graph = new StateGraph(State)
    .addNode('decide', ({ sum, left }) => ({ call: left > 0 ? { a: sum, b: left } : null }))
    .addNode('add', ({ call: { a, b }, left }) => ({ sum: a + b, left: left - 1 }))
    .addEdge(START, 'decide')
    .addConditionalEdges('decide', ({ call }) => (call === null ? END : 'add'))
    .addEdge('add', 'decide')
    .compile({ checkpointer });
  let threads = 0;
  return {
    versions: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'].map((name) =>
      versionOf(require, name),
    ),
    async go(left) {
      const configurable = { thread_id: String(threads++) };
      const options = { configurable, recursionLimit: 2 * left + 10, durability: 'sync' };
      const { sum } = await graph.invoke({ sum: 0, left, call: null }, options);
      if (sum !== (left * (left + 1)) / 2) throw new Error('LangGraph.js came to another sum');
    },
    close() {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function versionOf(require, name) {
  return `${name} ${require(`${name}/package.json`).version}`;
}

async function measured(steps, work) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (steps / (performance.now() - begun)) * 1000, cpuMicros: (user + system) / steps };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [installed, steps = '300'] = process.argv.slice(2);
  if (installed === undefined) {
    console.error('Name the folder in which LangGraph.js is installed. The head of this file says how.');
    process.exitCode = 2;
  } else console.log(JSON.stringify(await besideLangGraph(installed, Number(steps))));
}
