// What a span says, by the kind of entry: the names of OpenTelemetry's conventions for generative AI where they have
// one, `counterfoil.…` for the rest. Facts alone: hashes, codes, counts, names. The words of prompts, arguments and
// output are content, and never here.
import type { JsonObject } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { double, flag, integer, type OtlpAttribute, text, texts } from './otlp.ts';

/** Where a span, or the end of one, stands in the ledger. */
export function placeAttributes({ seq, entry_hash }: Entry, prefix = 'counterfoil'): OtlpAttribute[] {
  return [...integer(`${prefix}.seq`, seq), ...text(`${prefix}.hash`, entry_hash)];
}

export function sessionAttributes({ payload }: Entry): OtlpAttribute[] {
  return [
    ...text('gen_ai.agent.name', payload.agent),
    ...text('counterfoil.agent_session', payload.agent_session),
    ...text('counterfoil.workspace_root', payload.workspace_root),
    ...text('counterfoil.mode', payload.mode),
    ...text('counterfoil.resumes', payload.resumes),
  ];
}

export function sessionEndAttributes({ payload }: Entry): OtlpAttribute[] {
  return [
    ...text('counterfoil.reason', payload.reason),
    ...integer('counterfoil.exit_code', payload.exit_code),
  ];
}

export function toolAttributes({ payload }: Entry): OtlpAttribute[] {
  const mcp = isObject(payload.mcp) ? payload.mcp : {};
  return [
    ...text('gen_ai.operation.name', 'execute_tool'),
    ...text('gen_ai.tool.name', payload.tool),
    ...text('gen_ai.tool.call.id', payload.tool_use_id),
    ...text('gen_ai.agent.id', payload.agent_id),
    ...text('mcp.method.name', mcp.method),
    ...text('counterfoil.mcp.server', mcp.server),
    ...text('counterfoil.role', payload.role),
    ...text('counterfoil.plan_hash', payload.plan_hash),
    ...text('counterfoil.phase_id', payload.phase_id),
    ...text('counterfoil.invariant_id', payload.invariant_id),
    ...text('counterfoil.args_hash', payload.args_hash),
  ];
}

export function toolResultAttributes({ payload }: Entry): OtlpAttribute[] {
  const tests = isObject(payload.tests) ? payload.tests : {};
  return [
    ...text('counterfoil.result', payload.result),
    ...text('counterfoil.result_hash', payload.result_hash),
    ...integer('counterfoil.exit_code', payload.exit_code),
    ...text('counterfoil.exit_origin', payload.exit_origin),
    ...integer('counterfoil.duration_ms', payload.duration_ms),
    ...integer('counterfoil.tests.passed', tests.passed),
    ...integer('counterfoil.tests.failed', tests.failed),
    ...integer('counterfoil.tests.skipped', tests.skipped),
  ];
}

/** What the conventions call an operation, by the API that was asked. */
export function modelOperation({ payload }: Entry): string {
  if (payload.api === 'gemini.generate') return 'generate_content';
  return payload.api === 'other' ? 'other' : 'chat';
}

export function modelAttributes(entry: Entry): OtlpAttribute[] {
  const { payload } = entry;
  const parameters = isObject(payload.parameters) ? payload.parameters : {};
  const { max_tokens, max_completion_tokens, max_output_tokens } = parameters;
  return [
    ...text('gen_ai.operation.name', modelOperation(entry)),
    ...text('gen_ai.provider.name', payload.provider === 'gemini' ? 'gcp.gemini' : payload.provider),
    ...text('gen_ai.request.model', payload.model),
    ...flag('gen_ai.request.stream', payload.stream),
    ...integer('gen_ai.request.max_tokens', max_tokens ?? max_completion_tokens ?? max_output_tokens),
    ...integer('gen_ai.request.seed', parameters.seed),
    ...double('gen_ai.request.temperature', parameters.temperature),
    ...double('gen_ai.request.top_p', parameters.top_p),
    ...double('gen_ai.request.top_k', parameters.top_k),
    ...double('gen_ai.request.frequency_penalty', parameters.frequency_penalty),
    ...double('gen_ai.request.presence_penalty', parameters.presence_penalty),
    ...serverAttributes(payload.upstream),
    ...text('counterfoil.prompt_hash', payload.prompt_hash),
    ...text('counterfoil.receipt_id', payload.receipt_id),
  ];
}

export function modelResultAttributes({ payload }: Entry, provider: string | null): OtlpAttribute[] {
  const first = payload.first_byte_ms;
  return [
    ...text('gen_ai.response.model', payload.model),
    ...text('gen_ai.response.id', payload.response_id),
    ...texts(
      'gen_ai.response.finish_reasons',
      typeof payload.stop_reason === 'string' ? [payload.stop_reason] : [],
    ),
    ...double('gen_ai.response.time_to_first_chunk', typeof first === 'number' ? first / 1000 : null),
    ...usageAttributes(isObject(payload.tokens) ? payload.tokens : {}, provider),
    ...integer('http.response.status_code', payload.status),
    ...text('counterfoil.result', payload.result),
    ...text('counterfoil.request_id', payload.request_id),
    ...text('counterfoil.response_hash', payload.response_hash),
    ...text('counterfoil.understood', payload.understood),
  ];
}

/** The conventions count cached tokens among those of the input; Anthropic counts them apart. */
function usageAttributes(tokens: JsonObject, provider: string | null): OtlpAttribute[] {
  const { input, output, cache_read: read, cache_write: write, reasoning } = tokens;
  const cached = provider === 'anthropic' ? Number(read ?? 0) + Number(write ?? 0) : 0;
  return [
    ...integer('gen_ai.usage.input_tokens', typeof input === 'number' ? input + cached : null),
    ...integer('gen_ai.usage.output_tokens', output),
    ...integer('gen_ai.usage.cache_read.input_tokens', read),
    ...integer('gen_ai.usage.cache_creation.input_tokens', write),
    ...integer('gen_ai.usage.reasoning.output_tokens', reasoning),
  ];
}

function serverAttributes(upstream: unknown): OtlpAttribute[] {
  const found =
    typeof upstream === 'string' ? /^(https?):\/\/([^/:]+|\[[^\]]+\])(?::(\d{1,5}))?$/.exec(upstream) : null;
  if (found === null) return [];
  const [, scheme, host, port = scheme === 'https' ? '443' : '80'] = found;
  return [...text('server.address', host), ...integer('server.port', Number(port))];
}

export function validationAttributes({ payload }: Entry): OtlpAttribute[] {
  return [
    ...text('gen_ai.evaluation.name', payload.validator),
    ...text('gen_ai.evaluation.score.label', payload.outcome),
    ...integer('counterfoil.claim', payload.claim),
    ...text('counterfoil.grade', payload.grade),
    ...text('counterfoil.code', payload.code),
    ...text('counterfoil.tree', payload.tree),
    ...text('counterfoil.policy_hash', payload.policy_hash),
  ];
}

/** Members of entries that are events within a span; what users write of their own accord stays where it is. */
const EVENT_WORDS: Readonly<Record<string, readonly string[]>> = {
  approval: ['state'],
  claim: ['claim'],
  compaction: ['phase', 'trigger'],
  'config.change': ['what'],
  contract: ['intent'],
  crash: ['hook', 'event'],
  gap: ['reason'],
  gate: ['verdict', 'why', 'mode'],
  notice: ['origin'],
  observation: ['event', 'problem'],
  prompt: ['prompt_hash'],
  response: ['response_hash'],
  'tool.result': ['result', 'result_hash'],
};

export function eventAttributes(entry: Entry): OtlpAttribute[] {
  const { kind, payload } = entry;
  const words = Object.hasOwn(EVENT_WORDS, kind) ? (EVENT_WORDS[kind] ?? []) : [];
  const ofTool = kind.startsWith('tool.') || kind === 'approval' || kind === 'model.tool_use';
  return [
    ...placeAttributes(entry),
    ...(ofTool
      ? [...text('gen_ai.tool.name', payload.tool), ...text('gen_ai.tool.call.id', payload.tool_use_id)]
      : []),
    ...words.flatMap((name) => text(`counterfoil.${name}`, payload[name])),
  ];
}
