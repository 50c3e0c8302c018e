// test/hosts/place.ts
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync as existsSync2, mkdirSync, mkdtempSync as mkdtempSync2, readFileSync as readFileSync2, realpathSync, writeFileSync } from "node:fs";
import { tmpdir as tmpdir2 } from "node:os";
import { dirname, join as join3 } from "node:path";

// test/temporary.ts
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
var diskDirectory = tmpdir();
var fastDirectory = isUsable("/dev/shm") ? "/dev/shm" : diskDirectory;
function isUsable(directory) {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const [, , , options = "noexec"] = mounts.find((line) => line.split(" ")[1] === directory)?.split(" ") ?? [];
    return bavail * bsize > 2 ** 30 && !options.split(",").includes("noexec");
  } catch {
    return false;
  }
}
function removeDirectory(directory) {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(directory, { recursive: true, force: true });
      removeNotes(directory);
      return;
    } catch (error) {
      if (tries === 50 || error.code !== "ENOTEMPTY") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
function removeNotes(directory) {
  const base = `/tmp/counterfoil-${process.getuid?.() ?? 0}`;
  const names = existsSync(base) ? readdirSync(base) : [];
  for (const name of names)
    if (name.startsWith(encodeURIComponent(`${directory}/`)))
      rmSync(join(base, name), { recursive: true, force: true });
}

// test/hosts/bounded.ts
import { spawn } from "node:child_process";
function runBounded(command, words, { cwd, env, seconds, input = "" }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd, env, detached: true, stdio: "pipe" });
    let [stdout, stderr, killed] = ["", "", false];
    child.stdout.on("data", (piece) => {
      stdout += piece.toString();
    });
    child.stderr.on("data", (piece) => {
      stderr += piece.toString();
    });
    const killGroup = () => {
      try {
        if (child.pid !== void 0) process.kill(-child.pid, "SIGKILL");
      } catch {
      }
    };
    const limit = setTimeout(() => {
      killed = true;
      killGroup();
    }, seconds * 1e3);
    child.on("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.on("exit", killGroup);
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve({ code, stdout, stderr, killed });
    });
    child.stdin.on("error", () => {
    });
    child.stdin.end(input);
  });
}

// test/hosts/programs.ts
import { join as join2 } from "node:path";
var ROOT = "/work/wt/hosts/test/hosts";
var PROGRAMS = {
  "claude-code": "claude",
  gemini: "gemini",
  codex: "codex",
  copilot: "copilot",
  opencode: "opencode"
};
var PROGRAM_DIRECTORY = join2(ROOT, "node_modules/.bin");

// test/hosts/place.ts
var FOIL = join3("/work/wt/hosts/test/hosts", "../../dist/foil.cjs");
var PROJECT = {
  "package.json": '{ "name": "sum", "type": "module", "scripts": { "test": "node --test" } }\n',
  "sum.js": "export const sum = (a, b) => a + b;\n",
  "sum.test.js": `import assert from 'node:assert';
import test from 'node:test';
import { sum } from './sum.js';
test('sum', () => assert.equal(sum(1, 2), 3));
`
};
var Place = class {
  /** On a disk, where a file can be made immutable. */
  root = realpathSync(mkdtempSync2(join3(tmpdir2(), "foil-hosts-")));
  home = join3(this.root, "home");
  project = join3(this.root, "project");
  env;
  #frozen = false;
  constructor() {
    const bin = join3(this.root, "bin");
    const run = join3(this.root, "run");
    for (const directory of [this.home, this.project, bin]) mkdirSync(directory);
    mkdirSync(run, { mode: 448 });
    const foil = `#!/bin/sh
exec '${process.execPath}' '${FOIL}' "$@"
`;
    writeFileSync(join3(bin, "foil"), foil, { mode: 493 });
    this.env = {
      HOME: this.home,
      PATH: [bin, PROGRAM_DIRECTORY, dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(":"),
      XDG_RUNTIME_DIR: run,
      LANG: "C.UTF-8",
      TERM: "dumb"
    };
    for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join3(this.project, name), text);
    const as = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
    this.#git("init", "-q", "-b", "main");
    this.#git("add", ".");
    this.#git(...as, "commit", "-q", "-m", "A sum");
  }
  /** Must end with 0; gives what it printed. */
  async foil(...words) {
    const options = { cwd: this.project, env: this.env, seconds: 60 };
    const { code, stdout, stderr } = await runBounded("foil", words, options);
    if (code !== 0) throw new Error(`foil ${words.join(" ")}: exit ${code}
${stdout}${stderr}`);
    return stdout;
  }
  async log() {
    const lines = (await this.foil("log", "--json")).trim().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }
  async ledger() {
    const { ledger } = JSON.parse(await this.foil("status", "--json"));
    return ledger;
  }
  has(name) {
    return existsSync2(join3(this.project, name));
  }
  write(name, text) {
    const path = join3(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  /** From now on nothing in the ledger can be written. Root ignores permissions, so root takes the attribute. */
  freeze(ledger) {
    this.#frozen = true;
    if (process.getuid?.() === 0) execFileSync("chattr", ["-R", "+i", ledger], { stdio: "ignore" });
    else execFileSync("chmod", ["-R", "a-w", ledger]);
  }
  thaw() {
    if (!this.#frozen) return;
    this.#frozen = false;
    const state = join3(this.home, ".local/state");
    if (process.getuid?.() === 0) execFileSync("chattr", ["-R", "-i", state], { stdio: "ignore" });
    else execFileSync("chmod", ["-R", "u+w", state]);
  }
  /** kill -9. False where none runs. */
  killService(ledger) {
    try {
      const { pid } = JSON.parse(readFileSync2(join3(ledger, "service/state"), "utf8"));
      process.kill(pid, "SIGKILL");
      return true;
    } catch {
      return false;
    }
  }
  async remove() {
    this.thaw();
    this.killService(await this.ledger().catch(() => this.root));
    chmodSync(this.root, 448);
    removeDirectory(this.root);
  }
  #git(...words) {
    execFileSync("git", words, { cwd: this.project, env: this.env });
  }
};

// test/hosts/stand-in/server.ts
import { createServer } from "node:http";

// test/hosts/stand-in/dialect.ts
var ids = 0;
function newId(prefix) {
  ids += 1;
  return `${prefix}_${ids.toString(36).padStart(24, "0")}`;
}
function sendJson(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
function sendEvents(response, events) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events) {
    if (name !== null) response.write(`event: ${name}
`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}

`);
  }
  response.end();
}
function textsOf(list, name) {
  return list.map((each) => each[name]).filter((text) => typeof text === "string");
}

// test/hosts/stand-in/anthropic.ts
var USAGE = { input_tokens: 5, output_tokens: 5 };
var anthropic = {
  isTurn: (path) => path === "/v1/messages",
  aside: (path) => path === "/v1/messages/count_tokens" ? { input_tokens: 5 } : void 0,
  tools: ({ tools = [] }) => textsOf(tools, "name"),
  answer({ body }, reply, response) {
    const block = blockOf(reply);
    const stop_reason = block.type === "tool_use" ? "tool_use" : "end_turn";
    const message = { id: newId("msg"), type: "message", role: "assistant", model: body.model };
    if (body.stream !== true) {
      sendJson(response, { ...message, content: [block], stop_reason, stop_sequence: null, usage: USAGE });
      return;
    }
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: USAGE };
    const empty = block.type === "tool_use" ? { ...block, input: {} } : { ...block, text: "" };
    const delta = block.type === "tool_use" ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) } : { type: "text_delta", text: block.text };
    const events = [
      ["message_start", { message: start }],
      ["content_block_start", { index: 0, content_block: empty }],
      ["content_block_delta", { index: 0, delta }],
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }],
      ["message_stop", {}]
    ];
    sendEvents(
      response,
      events.map(([type, data]) => [type, { type, ...data }])
    );
  }
};
function blockOf(reply) {
  return "text" in reply ? { type: "text", text: reply.text } : { type: "tool_use", id: newId("toolu"), name: reply.name, input: reply.args };
}

// test/hosts/stand-in/chat.ts
var USAGE2 = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
var chat = {
  isTurn: (path) => path === "/v1/chat/completions",
  tools: ({ tools = [] }) => textsOf(
    tools.map((each) => each.function ?? {}),
    "name"
  ),
  answer({ body }, reply, response) {
    const whole = { id: newId("chatcmpl"), created: 0, model: body.model };
    const finish_reason = "text" in reply ? "stop" : "tool_calls";
    const message = { role: "assistant", ...contentOf(reply) };
    if (body.stream !== true) {
      const choices = [{ index: 0, message, finish_reason }];
      sendJson(response, { ...whole, object: "chat.completion", choices, usage: USAGE2 });
      return;
    }
    const chunk = { ...whole, object: "chat.completion.chunk" };
    sendEvents(response, [
      [null, { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] }],
      [null, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] }],
      [null, { ...chunk, choices: [], usage: USAGE2 }],
      [null, "[DONE]"]
    ]);
  }
};
function contentOf(reply) {
  if ("text" in reply) return { content: reply.text };
  const called = { name: reply.name, arguments: JSON.stringify(reply.args) };
  return {
    content: null,
    tool_calls: [{ index: 0, id: newId("call"), type: "function", function: called }]
  };
}

// test/hosts/stand-in/gemini.ts
var TURN = /^\/v1\w*\/models\/([^:]+):(streamGenerateContent|generateContent)$/;
var gemini = {
  isTurn: (path) => TURN.test(path),
  aside: (path) => path.endsWith(":countTokens") ? { totalTokens: 5 } : void 0,
  tools: ({ tools = [] }) => tools.flatMap((each) => {
    const { functionDeclarations = [] } = each;
    return textsOf(functionDeclarations, "name");
  }),
  answer({ path }, reply, response) {
    const [, modelVersion, method] = TURN.exec(path) ?? [];
    const part = "text" in reply ? { text: reply.text } : { functionCall: { name: reply.name, args: reply.args } };
    const answer = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
      modelVersion
    };
    if (method === "streamGenerateContent") sendEvents(response, [[null, answer]]);
    else sendJson(response, answer);
  }
};

// test/hosts/stand-in/responses.ts
var USAGE3 = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 10
};
var responses = {
  isTurn: (path) => path === "/v1/responses",
  tools: ({ tools = [] }) => textsOf(tools, "name"),
  answer({ body }, reply, response) {
    const item = itemOf(reply);
    const whole = { id: newId("resp"), object: "response", created_at: 0, model: body.model, usage: USAGE3 };
    const done = { ...whole, status: "completed", output: [item] };
    if (body.stream !== true) {
      sendJson(response, done);
      return;
    }
    const events = [
      ["response.created", { response: { ...whole, status: "in_progress", output: [] } }],
      ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } }],
      ...partsOf(item),
      ["response.output_item.done", { output_index: 0, item }],
      ["response.completed", { response: done }]
    ];
    sendEvents(
      response,
      events.map(([type, data], sequence_number) => [type, { type, sequence_number, ...data }])
    );
  }
};
function itemOf(reply) {
  if ("text" in reply) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    return { id: newId("msg"), type: "message", role: "assistant", status: "completed", content };
  }
  const { name, args } = reply;
  const call = { id: newId("fc"), call_id: newId("call"), status: "completed", name };
  return { type: "function_call", ...call, arguments: JSON.stringify(args) };
}
function partsOf(item) {
  const at = { item_id: item.id, output_index: 0 };
  return item.type === "message" ? [["response.output_text.delta", { ...at, content_index: 0, delta: item.content[0]?.text }]] : [["response.function_call_arguments.delta", { ...at, delta: item.arguments }]];
}

// test/hosts/stand-in/script.ts
var PAST_THE_END = "There is nothing more in the script.";

// test/hosts/stand-in/server.ts
var DIALECTS = [anthropic, gemini, responses, chat];
var StandIn = class {
  /** Requests of the main loop, oldest first. */
  turns = [];
  /** Everything else that was asked for: `METHOD /path`. */
  asides = [];
  #steps;
  #shell;
  #server;
  constructor(steps2, shell) {
    this.#steps = steps2;
    this.#shell = shell;
    this.#server = createServer((request, response) => {
      const pieces = [];
      request.on("data", (piece) => pieces.push(piece));
      request.on("end", () => {
        const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
        const dialect = DIALECTS.find(({ isTurn }) => isTurn(pathname));
        if (request.method !== "POST" || dialect === void 0) {
          this.asides.push(`${request.method} ${pathname}`);
          const known = DIALECTS.map(({ aside }) => aside?.(pathname)).find((answer) => answer !== void 0);
          sendJson(response, known ?? {}, known === void 0 ? 404 : 200);
          return;
        }
        const body = JSON.parse(Buffer.concat(pieces).toString());
        const asked = { path: pathname, body };
        dialect.answer(asked, this.#reply(asked, dialect.tools(body)), response);
      });
    });
  }
  /** How many requests came after the last step. */
  get beyond() {
    return Math.max(0, this.turns.length - this.#steps.length);
  }
  /** In which requests, counted from 0, the model was told this. The first one is what matters: hosts repeat all of it. */
  told(words) {
    const wanted = JSON.stringify(words).slice(1, -1);
    return this.turns.flatMap(({ body }, index) => JSON.stringify(body).includes(wanted) ? [index] : []);
  }
  async listen() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }
  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
  #reply(asked, tools) {
    if (this.#shell("true", tools) === void 0) {
      this.asides.push(`POST ${asked.path}`);
      return { text: "ok" };
    }
    const step = this.#steps[this.turns.push(asked) - 1];
    if (step === void 0) return { text: PAST_THE_END };
    step.before?.();
    if ("say" in step) return { text: step.say };
    return this.#shell(step.run, tools) ?? { text: PAST_THE_END };
  }
};

// test/hosts/host.ts
var LIMIT_SECONDS = 100;
async function play(host2, place2, prompt, steps2, seconds = LIMIT_SECONDS) {
  const model = new StandIn(steps2, host2.shell);
  const api = await model.listen();
  try {
    host2.point?.(place2, api);
    const env = { ...place2.env, ...host2.env(api) };
    const ran2 = await runBounded(PROGRAMS[host2.agent], host2.words(prompt), {
      cwd: place2.project,
      env,
      seconds
    });
    return { ...ran2, model };
  } finally {
    model.close();
  }
}

// test/hosts/agents/claude-code.ts
var claudeCode = {
  agent: "claude-code",
  model: "claude-sonnet-4-5-20250929",
  shell: (command, tools) => tools.includes("Bash") ? { name: "Bash", args: { command, description: "Runs it" } } : void 0,
  setUp: () => {
  },
  words: (prompt) => ["-p", prompt, "--model", claudeCode.model, "--dangerously-skip-permissions"],
  env: (api) => ({
    ANTHROPIC_BASE_URL: api,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    IS_SANDBOX: "1"
  })
};

// test/hosts/agents/gemini.ts
import { join as join4 } from "node:path";
var SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false }
};
var gemini2 = {
  agent: "gemini",
  model: "gemini-2.5-pro",
  shell: (command, tools) => tools.includes("run_shell_command") ? { name: "run_shell_command", args: { command, description: "Runs it" } } : void 0,
  setUp(place2) {
    place2.write("home/.gemini/settings.json", JSON.stringify(SETTINGS));
    place2.write("home/.gemini/trustedFolders.json", JSON.stringify({ [join4(place2.project)]: "TRUST_FOLDER" }));
  },
  words: (prompt) => ["-p", prompt, "-m", gemini2.model, "--approval-mode", "yolo"],
  env: (api) => ({ GOOGLE_GEMINI_BASE_URL: api, GEMINI_API_KEY: "none" })
};

// test/hosts/agents/codex.ts
import { spawn as spawn2 } from "node:child_process";
import { createInterface } from "node:readline";
var MODEL = "gpt-5.2";
var codex = {
  agent: "codex",
  model: MODEL,
  shell(command, tools) {
    if (tools.includes("exec_command")) return { name: "exec_command", args: { cmd: command } };
    if (tools.includes("shell_command")) return { name: "shell_command", args: { command } };
    if (tools.includes("shell")) return { name: "shell", args: { command: ["bash", "-lc", command] } };
    return void 0;
  },
  async setUp(place2) {
    place2.write("home/.codex/config.toml", configOf(place2, "http://127.0.0.1:1"));
    await trustHooks(place2);
  },
  words: (prompt) => ["exec", "--sandbox", "danger-full-access", prompt],
  env: (api) => ({ STAND_IN_KEY: "none", STAND_IN_URL: api })
};
function configOf({ project }, api) {
  return `model = "${MODEL}"
model_provider = "stand-in"
[model_providers.stand-in]
name = "stand-in"
base_url = "${api}/v1"
env_key = "STAND_IN_KEY"
wire_api = "responses"
[projects."${project}"]
trust_level = "trusted"
`;
}
async function trustHooks(place2) {
  const server = spawn2("codex", ["app-server"], { cwd: place2.project, env: place2.env, stdio: "pipe" });
  try {
    const ask = asker(server);
    await ask("initialize", { clientInfo: { name: "foil-hosts", version: "0" } });
    const listed = await ask("hooks/list", { cwds: [place2.project] });
    const hooks = listed.data.flatMap((each) => each.hooks);
    const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await ask("config/batchWrite", { edits, reloadUserConfig: true });
  } finally {
    server.kill("SIGKILL");
  }
}
function asker(server) {
  const waiting = /* @__PURE__ */ new Map();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const answer = JSON.parse(line);
    if (answer.id !== void 0) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  return (method, params) => new Promise((resolve, reject) => {
    last += 1;
    waiting.set(
      last,
      ({ result, error }) => error === void 0 ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`))
    );
    server.on("exit", () => reject(new Error(`codex app-server ended during ${method}`)));
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}
`);
  });
}

// test/hosts/agents/copilot.ts
var copilot = {
  agent: "copilot",
  model: "gpt-4.1",
  shell: (command, tools) => tools.includes("bash") ? { name: "bash", args: { command, description: "Runs it" } } : void 0,
  setUp: (place2) => place2.write("home/.copilot/config.json", JSON.stringify({ trusted_folders: [place2.project] })),
  words: (prompt) => ["-p", prompt, "--allow-all-tools", "--no-color"],
  env: (api) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${api}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: copilot.model
  })
};

// test/hosts/agents/opencode.ts
var opencode = {
  agent: "opencode",
  model: "scripted",
  shell: (command, tools) => tools.includes("bash") ? { name: "bash", args: { command, description: "Runs it" } } : void 0,
  setUp: () => {
  },
  point: (place2, api) => place2.write(
    "home/.config/opencode/opencode.json",
    JSON.stringify({
      autoupdate: false,
      share: "disabled",
      model: `stand-in/${opencode.model}`,
      small_model: `stand-in/${opencode.model}`,
      provider: {
        "stand-in": {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${api}/v1`, apiKey: "none" },
          models: { [opencode.model]: {} }
        }
      }
    })
  ),
  words: (prompt) => ["run", prompt],
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" })
};

// ../../../tmp/hx/explore.ts
var hosts = { claude: claudeCode, gemini: gemini2, codex, copilot, opencode };
var host = hosts[process.argv[2]];
var mode = process.argv[3];
var steps = JSON.parse(process.argv[4]);
var place = new Place();
console.log(place.root);
console.log(await place.foil("install", host.agent));
if (mode !== "observe") console.log(await place.foil("mode", mode));
await host.setUp(place);
var t = Date.now();
var ran = await play(host, place, process.argv[5] ?? "Is the sum right? Just answer.", steps, 60);
console.log("took", Date.now() - t, "code", ran.code, "killed", ran.killed);
console.log("STDOUT", ran.stdout.slice(0, 3e3));
console.log("STDERR", ran.stderr.slice(0, 3e3));
console.log("asides", ran.model.asides, "turns", ran.model.turns.length, "beyond", ran.model.beyond);
var fs = await import("node:fs");
fs.writeFileSync("/tmp/hx/turns.json", JSON.stringify(ran.model.turns, null, 1));
console.log(await place.foil("log"));
console.log("first", JSON.stringify((await place.log())[2]));
if (!process.env.KEEP) await place.remove();
process.exit(0);
