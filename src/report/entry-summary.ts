// What an entry says, in a few words for one line. Facts come from the payload. The words of a prompt or a command
// are content, which the caller looks up if it wants to. Nothing here is safe for a terminal yet: render-entry.ts
// makes it so.
import type { Json, JsonObject } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import { type Entry, originOf } from '../format/index.ts';
import { CONTENT_WORDS, type Content, contentValue, refOf } from './content.ts';
import { foilNotice, GATE_SUMMARIES } from './gate-summary.ts';
import { MODEL_SUMMARIES } from './model-summary.ts';
import { counted, lasted, moment, sized, thousands } from './text.ts';

/** The member whose content says in a word what the entry is about. */
export function telling({ kind }: Pick<Entry, 'kind'>): string | undefined {
  if (kind === 'tool.call') return 'args';
  if (kind === 'observation') return 'content';
  if (kind === 'claim' || kind === 'override') return 'quote';
  if (kind === 'contract') return 'objective';
  return ['prompt', 'response', 'notice', 'agent.end'].includes(kind) ? 'text' : undefined;
}

/** `content` is that member's, where it was looked up. */
export function summarize(entry: Entry, content?: Content): string {
  const { kind, payload } = entry;
  const ofGate = Object.hasOwn(GATE_SUMMARIES, kind) ? GATE_SUMMARIES[kind] : undefined;
  if (ofGate !== undefined) return ofGate(payload, wordsOf(content));
  const ofModel = Object.hasOwn(MODEL_SUMMARIES, kind) ? MODEL_SUMMARIES[kind] : undefined;
  const summary = Object.hasOwn(SUMMARIES, kind) ? SUMMARIES[kind] : ofModel && (() => ofModel(payload));
  const text = summary === undefined ? members(payload) : summary(entry, content);
  const redacted = isObject(payload.redacted)
    ? Object.values(payload.redacted).reduce<number>((sum, count) => sum + Number(count), 0)
    : 0;
  if (summary === undefined) return text;
  const notes = [
    ...(redacted > 0 ? [`${redacted} redacted`] : []),
    ...(payload.buffered === true ? ['buffered'] : []),
  ];
  return notes.length === 0 ? text : `${text}  (${notes.join(', ')})`;
}

const SUMMARIES: Readonly<Record<string, (entry: Entry, content?: Content) => string>> = {
  'ledger.open': ({ payload, entry_hash }) => `${originOf(entry_hash)}, key ${short(payload.public_key)}`,
  'key.rotate': ({ payload }) => `new key ${short(payload.public_key)}`,
  gap: ({ payload }) => summarizeGap(payload),
  'harness.change': ({ payload: { changes } }) =>
    Array.isArray(changes) && changes.length > 0
      ? `${counted(changes.length, 'file')} of the harness changed: ${changes.map((each) => (isObject(each) ? word(each.path) : null) ?? '?').join(', ')}`
      : 'the harness changed',
  commit: ({ payload: { commit } }) => word(commit) ?? '',
  'run.base': ({ payload: { commit, dirty } }) =>
    joined(
      typeof commit === 'string' ? `from commit ${commit.slice(0, 12)}` : 'without a commit',
      typeof dirty === 'number' && dirty > 0 ? `${counted(dirty, 'file')} changed since` : null,
    ),
  'run.artifacts': ({ payload: { files, artifact_hash_b64u: hash } }) =>
    joined(typeof files === 'number' ? counted(files, 'artifact') : null, word(hash)),
  'replay.policy': ({ payload: { replay, accepted_by: by } }) =>
    joined(`replay: ${word(replay) ?? '?'}`, `accepted by ${word(by) ?? '?'}`),
  'replay.start': ({ payload: { files, bytes } }) =>
    joined('kept for replay', typeof files === 'number' ? counted(files, 'file') : null, sizeOf(bytes)),
  'replay.answer': ({ payload: { kept, problem } }) =>
    isObject(kept)
      ? joined('answer kept for replay', sizeOf(kept.bytes))
      : `answer not kept: ${word(problem) ?? '?'}`,
  'judge.vote': ({ payload: { vote, votes, score, problem, model } }) =>
    joined(
      `vote ${vote} of ${votes}: ${typeof score === 'number' ? `${score} of 100` : `none (${word(problem)})`}`,
      word(model),
    ),
  custody: ({ payload: { form, file, by, recipient } }) =>
    joined(
      `${word(form) ?? 'something'} given out${typeof file === 'string' ? ` as ${file}` : ''}`,
      typeof recipient === 'string' ? `for ${recipient}` : null,
      typeof by === 'string' ? `by ${by}` : null,
    ),
  release: ({ payload: { name, files, by } }) =>
    joined(
      `release ${word(name) ?? '?'}`,
      Array.isArray(files) ? counted(files.length, 'file') : null,
      typeof by === 'string' ? `by ${by}` : null,
    ),
  archive: ({ payload }) =>
    Array.isArray(payload.files) ? `${counted(payload.files.length, 'segment')} gzipped` : members(payload),
  'anchor.stamp': ({ payload: { size, state, calendars, block } }) =>
    joined(
      typeof size === 'number' ? `a stamp of ${counted(size, 'entry', 'entries')}` : null,
      word(state),
      isObject(block)
        ? blockWords(block)
        : Array.isArray(calendars)
          ? counted(calendars.length, 'calendar')
          : null,
    ),
  'anchor.block': ({ payload }) => blockWords(payload),
  erase: ({ payload }) =>
    Array.isArray(payload.sessions)
      ? joined(`content of ${counted(payload.sessions.length, 'session')} erased`, word(payload.reason))
      : members(payload),
  'session.start': ({ payload: { agent, workspace_root, trigger, resumes } }) =>
    joined(
      `${word(agent) ?? 'an agent'}${typeof workspace_root === 'string' ? ` in ${workspace_root}` : ''}`,
      trigger === 'startup' ? null : word(trigger),
      typeof resumes === 'string' ? `resumes ${resumes.slice(0, 8)}` : null,
    ),
  'session.end': ({ payload: { counts, reason, exit_code } }) =>
    joined(
      isObject(counts) ? summarizeCounts(counts) : null,
      typeof exit_code === 'number' ? `exit ${exit_code}` : null,
      word(reason),
    ),
  'session.cut': ({ payload: { reason, pid, interactions } }) =>
    joined(
      reason === 'rebooted'
        ? 'the machine was restarted'
        : `process ${typeof pid === 'number' ? pid : '?'} is gone`,
      typeof interactions === 'number' ? counted(interactions, 'interaction') : null,
    ),
  'session.sum': ({ payload: { entries, root } }) =>
    joined(
      typeof entries === 'number' ? `${counted(entries, 'entry', 'entries')} up to here` : null,
      `root ${short(root)}`,
    ),
  'auth.ok': ({ payload: { key, name, at } }) =>
    joined(`key ${word(name) ?? '?'} ${short(key)}`, word(at) && `at the ${word(at)}`),
  'auth.fail': ({ payload: { reason, key, at } }) =>
    joined(
      AUTH_FAILURES.get(word(reason) ?? '') ?? word(reason) ?? 'no good key',
      typeof key === 'string' ? `key ${short(key)}` : null,
      word(at) && `at the ${word(at)}`,
    ),
  'branch.create': ({ payload: { branch } }) => `first session on ${word(branch) ?? '?'}`,
  'branch.switch': ({ payload: { from, to } }) => `from ${word(from) ?? '?'} to ${word(to) ?? '?'}`,
  prompt: ({ payload }, content) => said(payload, content),
  response: ({ payload }, content) => said(payload, content),
  notice: ({ payload }, content) =>
    foilNotice(payload) ?? joined(word(payload.origin), said(payload, content)),
  'tool.call': ({ payload }, content) => joined(tool(payload), summarizeArgs(payload, content)),
  'tool.result': ({ payload }) => summarizeResult(payload),
  'tool.denied': ({ payload }) =>
    joined(tool(payload), `by ${word(payload.by) ?? 'somebody'}${because(payload.reason)}`),
  approval: ({ payload }) =>
    joined(
      tool(payload),
      `${word(payload.state) ?? '?'}${typeof payload.waited_ms === 'number' ? ` after ${lasted(payload.waited_ms)}` : ''}`,
    ),
  'agent.start': ({ payload }) =>
    joined(word(payload.agent_type) ?? word(payload.agent) ?? 'subagent', word(payload.agent_id)),
  'agent.end': ({ payload }, content) =>
    joined(
      word(payload.agent_type) ?? word(payload.agent) ?? 'subagent',
      word(payload.agent_id),
      payload.text === undefined || payload.text === null ? null : said(payload, content),
    ),
  compaction: ({ payload }) => joined(word(payload.phase), word(payload.trigger)),
  'config.change': ({ payload }) => summarizeChange(payload),
  observation: ({ payload }, content) =>
    joined(word(payload.event), word(payload.problem), summarizeObserved(payload, content)),
};

const AUTH_FAILURES: ReadonlyMap<string, string> = new Map([
  ['unknown-key', 'an unknown key'],
  ['revoked', 'a revoked key'],
  ['malformed', "what was presented isn't a key"],
  ['too-many-attempts', 'too many wrong keys'],
  ['none-presented', 'no key presented'],
  ['unreadable', "the key file can't be trusted"],
]);

/** `go test 12 passed, 1 failed` */
export function summarizeTests(tests: Json | undefined): string | null {
  if (!isObject(tests)) return null;
  const part = (name: string): string | null =>
    typeof tests[name] === 'number' && tests[name] > 0 ? `${tests[name]} ${name}` : null;
  const parts = [part('passed'), part('failed'), part('skipped')].filter((text) => text !== null);
  return `${word(tests.runner) ?? 'tests'} ${parts.length === 0 ? 'no tests' : parts.join(', ')}`;
}

/** An unknown exit code is said to be unknown where a command ran: a host's `ok` is not a success. */
export function summarizeExit(payload: JsonObject): string {
  const { exit_code: code, exit_origin: origin, result, error_code: error } = payload;
  const outcome = word(result) ?? 'unknown';
  const failed = outcome !== 'ok' || (typeof error === 'string' && error !== '');
  const exit =
    typeof code === 'number'
      ? `exit ${code} (${word(origin) ?? 'unknown'})`
      : SHELL.test(String(payload.tool))
        ? 'exit unknown'
        : null;
  if (exit === null || outcome === 'aborted' || outcome === 'timeout' || (failed && code === 0))
    return joined(typeof error === 'string' && error !== '' ? `${outcome} ${error}` : outcome, exit);
  return exit;
}

export function summarizeGap(payload: JsonObject): string {
  const { reason, since, until, events, why, from, to } = payload;
  if (reason === 'off' || reason === 'unrecorded') {
    const span = Date.parse(String(until)) - Date.parse(String(since));
    const time = Number.isFinite(span) && span > 0 ? ` ${lasted(span)}` : '';
    const missing = typeof events === 'number' ? counted(events, 'event') : 'events';
    return `${reason === 'off' ? `recording was off${time}` : `${missing} not recorded${time === '' ? '' : ` in${time}`}`}${because(why)}`;
  }
  if (reason === 'lost') return from === to ? `entry ${from} lost` : `entries ${from} to ${to} lost`;
  return `${payload.bytes} torn bytes in ${payload.file}`;
}

export function summarizeCounts(counts: JsonObject): string {
  const of = (name: string): number => Number(counts[name] ?? 0);
  return [
    counted(of('prompts'), 'prompt'),
    counted(of('calls'), 'call'),
    ...(of('denied') > 0 ? [`${of('denied')} denied`] : []),
  ].join(', ');
}

function summarizeChange(payload: JsonObject): string {
  const { what, from, to, until } = payload;
  if (what === 'mode') return `mode ${word(from) ?? '?'} → ${word(to) ?? '?'}`;
  if (what === 'pause') return typeof until === 'string' ? `paused until ${until}` : 'pause ended';
  if (what === 'refused')
    return `refused to ${word(payload.agent) ?? 'an agent'}: ${word(payload.command) ?? '?'}`;
  if (what === 'hooks' && Array.isArray(payload.missing))
    return `hooks are gone: ${payload.missing.join(', ')}`;
  if ((what === 'uninstall' || what === 'install') && Array.isArray(payload.hooks)) {
    const agents = payload.hooks
      .filter(isObject)
      .map(({ agent, scope }) => `${word(agent)} (${word(scope)})`);
    return `hooks were ${what === 'install' ? 'installed' : 'removed'}: ${agents.join(', ')}`;
  }
  return members(payload);
}

function summarizeResult(payload: JsonObject): string {
  const files = Array.isArray(payload.files) ? payload.files.filter(isObject) : [];
  const [file] = files;
  const touched =
    file === undefined
      ? null
      : `${word(file.op) ?? ''} ${relative(payload, String(file.path))}${typeof file.bytes === 'number' ? ` (${sized(file.bytes)})` : ''}${files.length > 1 ? ` and ${files.length - 1} more` : ''}`.trim();
  return joined(
    tool(payload),
    summarizeExit(payload),
    summarizeTests(payload.tests),
    touched,
    typeof payload.duration_ms === 'number' ? lasted(payload.duration_ms) : null,
  );
}

/** What a call is about: the command, else the file, else the first words of the arguments. */
function summarizeArgs(payload: JsonObject, content: Content | undefined): string {
  const value = content?.state === 'kept' ? contentValue(content.bytes, content.ref.type) : undefined;
  const main = isObject(value)
    ? MAIN_ARGUMENTS.map((name) => value[name]).find((member) => typeof member === 'string')
    : value;
  if (typeof main === 'string') return firstLine(relative(payload, main));
  const [path] = Array.isArray(payload.paths) ? payload.paths : [];
  if (typeof path === 'string') return relative(payload, path);
  return value === undefined
    ? `<${size(payload.args, payload.args_bytes, content)}>`
    : JSON.stringify(value).slice(0, 1000);
}

function summarizeObserved(payload: JsonObject, content: Content | undefined): string | null {
  const ref = refOf(payload.content);
  const value =
    content?.state === 'kept'
      ? contentValue(content.bytes, content.ref.type)
      : ref === undefined
        ? payload.content
        : undefined;
  if (value === null || (value === undefined && ref === undefined)) return null;
  if (value === undefined) return `<${size(payload.content, payload.content_bytes, content)}>`;
  if (!isObject(value)) return firstLine(typeof value === 'string' ? value : JSON.stringify(value));
  const own = Object.entries(value).filter(([name]) => !EVERY_EVENT.test(name));
  return own.length === 0 ? null : firstLine(JSON.stringify(Object.fromEntries(own)));
}

/** Members that a host puts into every event: they tell nothing about this one. */
const EVERY_EVENT = /^(?:hook_event_name|cwd|transcript_path|timestamp|\w+_id)$/;

/** What hosts call the argument that a person would ask for first. */
const MAIN_ARGUMENTS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];
const SHELL = /^(?:bash|shell|sh|powershell|terminal|run_shell_command|exec(?:_command)?|local_shell)$/i;

function said(payload: JsonObject, content: Content | undefined): string {
  const value =
    content?.state === 'kept'
      ? contentValue(content.bytes, 'text/plain')
      : typeof payload.text === 'string'
        ? payload.text
        : undefined;
  if (typeof value === 'string') return `"${firstLine(value)}"`;
  return payload.text === null && payload.text_bytes === null
    ? '(nothing)'
    : `<${size(payload.text, payload.text_bytes, content)}>`;
}

/** `2.1 kB, not kept` */
export function size(
  member: Json | undefined,
  bytes: Json | undefined,
  content: Content | undefined,
): string {
  // What is kept may be ciphertext, which is longer.
  const length = typeof bytes === 'number' ? bytes : refOf(member)?.bytes;
  const state =
    content === undefined
      ? refOf(member) === undefined
        ? 'not kept'
        : null
      : { ...CONTENT_WORDS, kept: 'not text', large: null }[content.state];
  return joinedBy(', ', typeof length === 'number' ? sized(length) : null, state) || 'not shown';
}

function wordsOf(content: Content | undefined): string | null {
  const value = content?.state === 'kept' ? contentValue(content.bytes, 'text/plain') : undefined;
  return typeof value === 'string' ? firstLine(value) : null;
}

function firstLine(text: string): string {
  const trimmed = text.slice(0, 4096).trim();
  const end = trimmed.search(/[\r\n]/);
  return end < 0 ? trimmed : `${trimmed.slice(0, end).trimEnd()} …`;
}

/** A path within the work tree is shown from its root on. */
function relative({ workspace_root: root }: JsonObject, path: string): string {
  return typeof root === 'string' && root.length > 1 && path.startsWith(`${root}/`)
    ? path.slice(root.length + 1)
    : path;
}

function tool(payload: JsonObject): string {
  const by = word(payload.agent_id);
  return `${word(payload.tool) ?? '?'}${by === null ? '' : ` [${by.slice(0, 8)}]`}`;
}

function because(reason: Json | undefined): string {
  return typeof reason === 'string' && reason !== '' ? `: ${firstLine(reason)}` : '';
}

/** The text where there is one, then the other members as name=value. */
function members(payload: JsonObject): string {
  const { text, ...rest } = payload;
  const others = Object.entries(typeof text === 'string' ? rest : payload).map(
    ([name, value]) => `${name}=${brief(value)}`,
  );
  return [...(typeof text === 'string' ? [text] : []), ...others].join(' ');
}

function brief(value: Json): string {
  if (typeof value === 'object' && value !== null && '$content' in value) {
    return `<${counted(Number(value.bytes), 'byte')}${typeof value.type === 'string' ? ` ${value.type}` : ''}>`;
  }
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}

function joined(...parts: readonly (string | null)[]): string {
  return joinedBy('  ', ...parts);
}

function joinedBy(between: string, ...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(between);
}

function word(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Height and time, as far as they are told. */
function blockWords({ height, time }: JsonObject): string {
  return joinedBy(
    ', ',
    typeof height === 'number' ? `block ${thousands(height)}` : null,
    typeof time === 'number' && time >= 0 && time < 2 ** 32
      ? moment(new Date(time * 1000).toISOString())
      : null,
  );
}

function short(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, 16) : '?';
}

function sizeOf(bytes: Json | undefined): string | null {
  return typeof bytes === 'number' ? sized(bytes) : null;
}
