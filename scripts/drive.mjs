// Drives the real gate, in guard, with what transcripts tell: for each session a scratch repository and ledger, and each
// event told to the hook's own function as the host would tell it. Edits are made for real, so that a change is one; the
// commands are not run: what they printed and how they ended is the transcript's. For `npm run measure -- DIR --drive`.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = `
export { adapterOf } from './src/capture/hooks/index.ts';
export { readPieces } from './src/report/transcript-files.ts';
export { createLedger, locate } from './src/entry/index.ts';
export { readCommand } from './src/shell/index.ts';
export { hookHere } from './test/e2e/hook-here.ts';
`;

/** The hook's function of these sources. */
async function loadHook() {
  const out = await build({
    stdin: { contents: SOURCES, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['fs-native-extensions'],
    logOverride: { 'empty-import-meta': 'silent' },
    write: false,
    logLevel: 'error',
  });
  const file = join(root, 'dist/driven.cjs');
  const module = { exports: {} };
  const run = new Function(
    'require',
    'module',
    'exports',
    '__filename',
    '__dirname',
    out.outputFiles[0].text,
  );
  run(createRequire(import.meta.url), module, module.exports, file, dirname(file));
  return module.exports;
}

/** Which events are told before a tool runs, and where a session begins, by host. */
const BEFORE = { 'claude-code': 'PreToolUse', codex: 'PreToolUse', gemini: 'BeforeTool' };
/** Tools that change nothing are told once, when they are over. */
const LOOKS = /^(?:Read|Glob|Grep|LS|Todo\w*|Web\w+|(?:read|list|glob|grep|search)_\w+|update_plan|Task\w+)$/;

class Driven {
  #rooms;
  #home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drive-'));
  #work = join(this.#home, 'work');
  #located;
  #agent;
  #edits = 0;

  constructor(rooms, agent) {
    this.#rooms = rooms;
    this.#agent = agent;
    for (const name of ['work', 'home', 'state', 'config', 'run', 'tmp']) mkdirSync(join(this.#home, name));
    this.#located = rooms.locate({ ledger: join(this.#home, 'state/ledger'), env: this.#env });
  }

  get #env() {
    const under = (name) => join(this.#home, name);
    return {
      PATH: process.env.PATH,
      HOME: under('home'),
      XDG_STATE_HOME: under('state'),
      XDG_CONFIG_HOME: under('config'),
      XDG_RUNTIME_DIR: under('run'),
      TMPDIR: under('tmp'),
    };
  }

  get transcript() {
    return join(this.#home, 'home/session.jsonl');
  }

  remove() {
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The files that the session will change, as they were before; then its first event. */
  async begin(before) {
    for (const [path, text] of before) this.#write(path, text);
    this.#write('README.md', '# A project\n');
    writeFileSync(this.transcript, '');
    const git = (...words) => execFileSync('git', words, { cwd: this.#work, env: this.#env });
    git('init', '-q', '-b', 'main', '--template=');
    git('add', '-A');
    git('-c', 'user.name=dev', '-c', 'user.email=dev@example.com', 'commit', '-qm', 'first');
    await (await this.#rooms.createLedger(this.#located)).close();
    const settings = { v: 1, mode: 'guard', port: null, runtime: join(this.#home, 'run/counterfoil') };
    writeFileSync(join(this.#located.directory, 'settings'), `${JSON.stringify(settings)}\n`);
    await this.#tell({ hook_event_name: 'SessionStart', source: 'startup' });
  }

  keep(line) {
    appendFileSync(this.transcript, `${line}\n`);
  }

  /** As a path of the project; null where it lies elsewhere. */
  within(path, cwd) {
    // Some transcripts don't tell where a session worked.
    const whole = path.startsWith('/') ? path : join(cwd?.startsWith(this.#work) ? cwd : this.#work, path);
    return whole.startsWith(`${this.#work}/`) && !/(?:^|\/)\.git\//.test(whole)
      ? whole.slice(this.#work.length + 1)
      : null;
  }

  /** The same words with the scratch directory in the place of the session's. */
  moved(text, from) {
    return from === null ? text : text.replaceAll(JSON.stringify(from).slice(1, -1), this.#work);
  }

  async tell(input, event) {
    if (event?.type === 'tool.result') {
      const told = this.#agent === 'codex' ? this.#codexCall(input) : input;
      const { tool_response: _, error: __, ...call } = told;
      if (!LOOKS.test(event.tool)) await this.#tell({ ...call, hook_event_name: BEFORE[this.#agent] });
      this.#change(event);
      await this.#tell(told);
    } else await this.#tell(input);
  }

  /** Codex tells its hooks no exit code; it writes it into its own record. A call without an id is not looked for there. */
  #codexCall({ tool_use_id: id, ...input }) {
    const exit = input.tool_response?.metadata?.exit_code;
    if (typeof exit !== 'number') return input;
    const item = { type: 'CommandExecution', id, exit_code: exit };
    this.keep(JSON.stringify({ type: 'event_msg', payload: { type: 'item_completed', item } }));
    return { ...input, tool_use_id: id };
  }

  /** A subagent's own transcript. */
  keepSide(place) {
    copyFileSync(place, join(dirname(this.transcript), basename(place)));
  }

  /** What became of the turn's end. */
  async stop(input) {
    const gates = () => this.#entries().filter(({ kind }) => kind === 'gate');
    const before = gates().length;
    const { code, stderr } = await this.#tell(input);
    const last = gates().slice(before).at(-1);
    if (last === undefined && code !== 0) throw new Error(`the hook ended with ${code}: ${stderr.trim()}`);
    return last?.payload.verdict ?? 'silent';
  }

  #entries() {
    const folder = join(this.#located.directory, 'ledger');
    return readdirSync(folder)
      .sort()
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
      .filter((line) => line.includes('"gate"'))
      .map((line) => JSON.parse(line));
  }

  async #tell(input) {
    const told = { ...input, session_id: 'driven', transcript_path: this.transcript };
    const cwd = typeof input.cwd === 'string' && input.cwd.startsWith(this.#work) ? input.cwd : this.#work;
    mkdirSync(cwd, { recursive: true });
    const body = Buffer.from(JSON.stringify({ ...told, cwd }));
    const words = [this.#agent, '--ledger', this.#located.directory, '--mode', 'guard'];
    return this.#rooms.hookHere(words, body, { env: this.#env, cwd });
  }

  #change(event) {
    const failed = event.outcome !== 'ok';
    for (const { path, op, pieces, content } of failed ? [] : changesIn(event, this.#rooms)) {
      const inside = this.within(path, event.cwd);
      if (inside === null) continue;
      const old = this.#read(inside);
      if (op === 'delete') rmSync(join(this.#work, inside), { recursive: true, force: true });
      else this.#write(inside, content ?? edited(old ?? '', pieces, `\n# edit ${++this.#edits}\n`));
    }
  }

  #read(path) {
    try {
      return readFileSync(join(this.#work, path), 'utf8');
    } catch {
      return null;
    }
  }

  #write(path, text) {
    const place = join(this.#work, path);
    try {
      if (existsSync(place) && statSync(place).isDirectory()) return;
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
    } catch {
      // A folder where the transcript has a file, or a name that this system does not take.
    }
  }
}

function edited(text, pieces, otherwise) {
  let now = text;
  for (const [from, to] of pieces)
    now = from !== '' && now.includes(from) ? now.replace(from, () => to) : now;
  return now === text ? text + otherwise : now;
}

/** What a call changed, by the tool's own arguments or by the words of a command. */
function changesIn({ args, files, shell, cwd, output }, { readCommand }) {
  const changes = [];
  for (const { path, op } of files ?? []) {
    if (op === 'read') continue;
    const { content, input, patch, edits } = args ?? {};
    const text = [input, patch].find((each) => typeof each === 'string' && each.includes('*** '));
    const pieces = text === undefined ? piecesOf(edits ?? [args]) : patchPieces(text, path);
    const isNew = text?.includes(`*** Add File: ${path}`) || output?.type === 'create';
    changes.push({
      path,
      op,
      pieces,
      content: typeof content === 'string' ? content : undefined,
      isNew,
      output,
    });
  }
  const command = shell === true ? commandOf(args) : null;
  if (command !== null && command.length < 20_000)
    for (const { path, op } of readCommand(command, { cwd, root: cwd, changed: [] }).wrote)
      if (path !== '') changes.push({ path, op, pieces: [], isNew: op === 'write', byCommand: true });
  return changes;
}

function commandOf({ command, cmd }) {
  const given = command ?? cmd;
  return Array.isArray(given) ? (given.at(-1) ?? null) : typeof given === 'string' ? given : null;
}

function piecesOf(edits) {
  return edits
    .filter((edit) => typeof edit?.old_string === 'string' && typeof edit?.new_string === 'string')
    .map(({ old_string, new_string }) => [old_string, new_string]);
}

function patchPieces(patch, path) {
  const [before, after] = [[], []];
  let inside = false;
  for (const line of patch.split('\n')) {
    const file = /^\*\*\* (?:Update|Add|Delete) File: (.*)$/.exec(line)?.[1]?.trim();
    if (file !== undefined) inside = path.endsWith(file) || file.endsWith(path);
    else if (inside && !/^(?:@@|\*\*\*)/.test(line)) {
      if (!line.startsWith('+')) before.push(line.slice(1));
      if (!line.startsWith('-')) after.push(line.slice(1));
    }
  }
  return before.length + after.length === 0 ? [] : [[before.join('\n'), after.join('\n')]];
}

/** The files that are changed, as they were: whole where the host shows that, else what its edits take away. */
function filesBefore(events, driven, rooms) {
  const files = new Map();
  const made = new Set();
  for (const event of events)
    for (const { path, op, pieces, content, isNew, output } of changesIn(event, rooms)) {
      const inside = driven.within(path, event.cwd);
      if (inside === null || made.has(inside)) continue;
      const whole = output?.originalFile ?? output?.originalFileContents;
      if (isNew || (op === 'write' && content !== undefined && typeof whole !== 'string')) {
        if (!files.has(inside)) made.add(inside);
      } else if (typeof whole === 'string' && !files.has(inside)) files.set(inside, whole);
      else {
        const known = files.get(inside) ?? '';
        const lost = pieces.map(([from]) => from).filter((from) => !known.includes(from));
        files.set(inside, `${[known, ...lost].filter((text) => text !== '').join('\n') || 'one line'}\n`);
      }
    }
  return files;
}

/** Verdicts by label id; `choose(label, messages)` says which end of a prompt is meant. */
export async function drive(jobs, choose, progress = () => undefined) {
  const rooms = await loadHook();
  const verdicts = new Map();
  for (const [index, { file, labels }] of jobs.entries()) {
    try {
      for (const [id, verdict] of await driveOne(file, labels, choose, rooms)) verdicts.set(id, verdict);
    } catch (error) {
      for (const { id } of labels) verdicts.set(id, `error: ${error.message}`);
    }
    // It takes minutes: whoever ends it early has what is known by then.
    const said = labels.map(({ id }) => `${id} ${verdicts.get(id) ?? 'lost'}`).join(', ');
    progress(`${index + 1} of ${jobs.length}: ${said}`);
  }
  return verdicts;
}

async function driveOne({ kind, path }, labels, choose, rooms) {
  const adapter = rooms.adapterOf(kind.agent);
  const driven = new Driven(rooms, kind.agent);
  try {
    const steps = stepsOf(kind, path, rooms);
    const from =
      steps.map(({ input }) => input?.cwd).find((cwd) => typeof cwd === 'string' && cwd !== '/') ?? null;
    const told = [];
    let turn = 0;
    for (const { line, side, input } of steps) {
      if (input === undefined) {
        told.push(side === undefined ? { line: driven.moved(line, from) } : { side });
        continue;
      }
      const moved = JSON.parse(driven.moved(JSON.stringify(input), from));
      for (const event of adapter.read(moved, null)) {
        if (event.type === 'prompt') turn++;
        told.push({ input: moved, event, turn });
      }
    }
    const stops = told.filter(({ event }) => event?.type === 'stop');
    const wanted = new Map();
    for (const label of labels) {
      const ends = stops.filter((stop) => stop.turn === label.turn);
      const chosen = choose(
        label,
        ends.map(({ event }) => ({ turn: label.turn, message: event.message ?? '' })),
      );
      if (chosen >= 0) wanted.set(ends[chosen], label.id);
    }
    const last = told.findLastIndex((each) => wanted.has(each));
    const used = told.slice(0, last + 1);
    const results = used.flatMap(({ event }) => (event?.type === 'tool.result' ? [event] : []));
    await driven.begin(filesBefore(results, driven, rooms));
    const verdicts = [];
    for (const each of used) {
      if (each.line !== undefined) driven.keep(each.line);
      else if (each.side !== undefined) driven.keepSide(each.side);
      else if (each.event.type !== 'stop') await driven.tell(each.input, each.event);
      // The ends of other turns would use up how often a turn may be held.
      else if (wanted.has(each)) verdicts.push([wanted.get(each), await driven.stop(each.input)]);
    }
    return verdicts;
  } finally {
    driven.remove();
  }
}

/** Lines of the transcript and the events that they tell, in the order in which a host would write and tell them. */
function stepsOf(kind, path, { readPieces }) {
  const steps = [];
  const reader = kind.open(path, {});
  const take = (each) => {
    steps.push({ input: each.input });
    if (each.subagent === undefined) return;
    const session = String(each.input.session_id);
    for (const place of kind.subagents?.(path, session, each.subagent) ?? [])
      if (existsSync(place)) {
        steps.push({ side: place });
        const side = kind.open(place, { side: true });
        for (const piece of readPieces(place, kind.whole)) for (const one of side.line(piece)) take(one);
        return;
      }
  };
  const isEnd = ({ input }) => /^(?:Stop|AfterAgent)$/.test(input.hook_event_name);
  for (const piece of readPieces(path, kind.whole)) {
    // The end of a turn is told by the prompt that follows it; all else is written before a hook hears of it.
    const told = [...reader.line(piece)];
    for (const each of kind.whole ? told : told.filter(isEnd)) take(each);
    if (kind.whole) continue;
    steps.push({ line: piece.toString() });
    for (const each of told) if (!isEnd(each)) take(each);
  }
  for (const each of reader.end()) take(each);
  return steps;
}
