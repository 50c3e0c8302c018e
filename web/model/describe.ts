// What a row says of an entry: a lane, a short title, one line of text, a tone.
import { isObject, type JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { contentJson, contentText, type Lane, type Row, type Shown, type Tone, textOf } from './session.ts';

type Words = Pick<Row, 'lane' | 'title' | 'text' | 'tone'>;

export function describe({ kind, payload }: Entry, shown: Shown, absent: string): Words {
  switch (kind) {
    case 'prompt':
      return row('user', 'Prompt', spoken(payload, shown, absent));
    case 'response':
      return row('model', 'Answer', spoken(payload, shown, absent));
    case 'tool.call':
      return row('tools', toolOf(payload), argumentsOf(payload, shown, absent), verdictTone(payload));
    case 'tool.result':
      return row('tools', `${toolOf(payload)} result`, outcomeOf(payload), outcomeTone(payload));
    case 'tool.denied':
      return row(
        'gate',
        `${toolOf(payload)} denied`,
        textOf(payload.reason) ?? `by ${deniers(textOf(payload.by))}, without a reason on record`,
        'bad',
      );
    case 'approval':
      return row('user', `${toolOf(payload)} permission`, approvalOf(payload));
    case 'claim':
      return row(
        'gate',
        `Claim: ${textOf(payload.claim) ?? '?'}`,
        contentText(payload.quote, shown) ?? absent,
      );
    case 'contract':
      return row('gate', 'Kind of task', textOf(payload.intent) ?? '');
    case 'validation':
      return row(
        'gate',
        `Check: ${textOf(payload.validator) ?? '?'}`,
        [textOf(payload.outcome), textOf(payload.code)].filter((each) => each !== null).join(', '),
        payload.outcome === 'pass' ? 'good' : 'bad',
      );
    case 'gate':
      return row('gate', 'Gate', gateWords(payload), GATE_TONES[String(payload.verdict)] ?? 'doubt');
    case 'override':
      return row('user', 'Override', textOf(payload.phrase) ?? '', 'doubt');
    case 'gap':
      return row('ledger', 'Gap', textOf(payload.why) ?? textOf(payload.reason) ?? '', 'bad');
    case 'crash':
      return row('ledger', 'Crash of a hook', textOf(payload.error) ?? '', 'bad');
    case 'session.start':
      return row(
        'ledger',
        'Session began',
        [textOf(payload.agent), textOf(payload.mode)].filter(Boolean).join(', '),
      );
    case 'session.end':
      return row('ledger', 'Session ended', payload.reason === 'other' ? '' : (textOf(payload.reason) ?? ''));
    case 'session.cut':
      return row('ledger', 'Session was cut off', textOf(payload.reason) ?? '', 'doubt');
    case 'agent.start':
      return row('model', 'Subagent began', textOf(payload.agent_type) ?? '');
    case 'agent.end':
      return row('model', 'Subagent ended', textOf(payload.agent_type) ?? '');
    case 'compaction':
      return row(
        'model',
        'Compaction',
        [textOf(payload.phase), textOf(payload.trigger)].filter(Boolean).join(', '),
      );
    case 'model.call':
      return row('model', 'Model call', textOf(payload.model) ?? '');
    case 'model.result':
      return row('model', 'Model result', textOf(payload.stop_reason) ?? '');
    case 'receipt':
      return row('ledger', 'Receipt of a gateway', '');
    default:
      return row(kind.startsWith('model.') ? 'model' : 'ledger', kind, '');
  }
}

function row(lane: Lane, title: string, text: string, tone: Tone = 'plain'): Words {
  return { lane, title, text: text.replace(/\s+/g, ' ').trim().slice(0, 400), tone };
}

function spoken(payload: JsonObject, shown: Shown, absent: string): string {
  return contentText(payload.text, shown) ?? `${absent}, ${payload.text_bytes ?? '?'} bytes`;
}

function toolOf(payload: JsonObject): string {
  return textOf(payload.tool) ?? 'A tool';
}

function argumentsOf(payload: JsonObject, shown: Shown, absent: string): string {
  const args = contentJson(payload.args, shown);
  if (!isObject(args)) return contentText(payload.args, shown) ?? pathsOf(payload, absent);
  for (const name of ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'prompt', 'description'])
    if (typeof args[name] === 'string') return args[name];
  return JSON.stringify(args);
}

function pathsOf({ paths }: JsonObject, absent: string): string {
  const known = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
  return known.length === 0 ? absent : known.join(', ');
}

function deniers(by: string | null): string {
  return by === 'host' ? 'the host' : (by ?? 'somebody');
}

function verdictTone({ verdict }: JsonObject): Tone {
  if (verdict === 'deny') return 'bad';
  return verdict === 'would-deny' ? 'doubt' : 'plain';
}

function outcomeOf(payload: JsonObject): string {
  const { result, exit_code: exit, duration_ms: took, tests, error_code: error } = payload;
  const parts = [
    typeof exit === 'number' ? `exit ${exit}` : (textOf(result) ?? 'unknown'),
    typeof exit === 'number' ? null : (textOf(error)?.toLowerCase().replaceAll('_', ' ') ?? null),
    isObject(tests) ? testsOf(tests) : null,
    typeof took === 'number' && took > 0
      ? took < 1000
        ? `${took} ms`
        : `${(took / 1000).toFixed(1)} s`
      : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function testsOf(tests: JsonObject): string | null {
  const parts = ['passed', 'failed', 'skipped'].flatMap((name) =>
    typeof tests[name] === 'number' && tests[name] > 0 ? `${tests[name]} ${name}` : [],
  );
  return parts.length === 0 ? null : parts.join(', ');
}

function outcomeTone({ result, exit_code: exit, tests, checks }: JsonObject): Tone {
  const failed = isObject(tests) && typeof tests.failed === 'number' && tests.failed > 0;
  const told = Array.isArray(checks) && checks.some((check) => isObject(check) && check.summary === 'failed');
  if (failed || told || (typeof exit === 'number' && exit !== 0)) return 'bad';
  if (result !== 'ok' && result !== undefined && result !== null) return 'bad';
  return isObject(tests) && Number(tests.passed) > 0 ? 'good' : 'plain';
}

function approvalOf({ state, waited_ms: waited }: JsonObject): string {
  const after = typeof waited === 'number' ? ` after ${(waited / 1000).toFixed(1)} s` : '';
  return `${textOf(state) ?? '?'}${after}`;
}

const GATE_TONES: Readonly<Record<string, Tone>> = {
  pass: 'good',
  silent: 'plain',
  block: 'bad',
  unproven: 'bad',
};
const GATE_WORDS: Readonly<Record<string, string>> = {
  pass: 'let the turn end: no claim is open',
  silent: 'had nothing to judge',
  warn: 'warned, and let the turn end',
  block: 'refused to let the turn end',
  unproven: 'let the turn end with claims that are not proven',
  ungated: 'could not judge the turn',
};

function gateWords({ verdict }: JsonObject): string {
  return GATE_WORDS[String(verdict)] ?? String(verdict);
}
