// The result of a call: what its tool gave, or how a call ended that ran elsewhere, cleaned and its content kept.
import type { JsonObject } from '../../core/index.ts';
import { encodeToolResult, type Kept, type ToolResult } from '../../format/index.ts';
import { outputText } from '../facts/facts.ts';
import { testCounts } from '../facts/test-counts.ts';
import { type Intake, Traces } from '../intake.ts';
import type { CallEnd, OpenToolCall } from './session.ts';
import { type Ended, errorCode, exitOf } from './tool-attempt.ts';

interface Encoded {
  readonly payload: JsonObject;
  readonly traces: Traces;
}

/** Of a call that ran here. */
export async function encodeRan(
  intake: Intake,
  session: string,
  call: OpenToolCall,
  ended: Ended,
  durationMs: number,
): Promise<Encoded> {
  const { options, file } = call.taken;
  const { outcome, value } = ended;
  const traces = new Traces();
  const told = intake.tidy(outcome === 'ok' ? value : { error: value ?? null }, traces);
  const hidden = outcome === 'ok' && file !== null ? file.resultMembers : new Set<string>();
  const output = intake.redact(await intake.withoutFiles(session, told, hidden, traces), traces);
  const code = errorCode(ended);
  const payload = encodeToolResult(call.facts, {
    result: outcome,
    errorCode: code === null ? null : intake.word(code, traces),
    output: await intake.keep(session, output),
    exit: exitOf(ended, options.exitCode),
    durationMs,
    tests: options.exitCode === undefined ? null : testCounts(outputText(output)),
    files: call.file === null ? [] : [call.file],
  });
  return { payload, traces };
}

/** Of a call that was seen on its way elsewhere. */
export async function encodeClosed(
  intake: Intake,
  session: string,
  call: OpenToolCall,
  end: CallEnd,
): Promise<Encoded> {
  const { file } = call.taken;
  const traces = new Traces();
  let output: Kept | null = null;
  if (end.digest !== undefined) output = await intake.digest(session, end.digest);
  else if (end.output !== undefined) {
    const told = intake.tidy(end.output, traces);
    const hidden = end.result === 'ok' && file !== null ? file.resultMembers : new Set<string>();
    const shown = await intake.withoutFiles(session, told, hidden, traces);
    output = await intake.keep(session, intake.redact(shown, traces));
  }
  const ended: ToolResult = {
    result: end.result,
    errorCode: end.errorCode === null ? null : intake.word(end.errorCode, traces),
    output,
    exit: { code: null, origin: 'unknown' },
    durationMs: end.durationMs,
    tests: null,
    files: call.file === null || end.result !== 'ok' ? [] : [call.file],
  };
  return { payload: encodeToolResult(call.facts, ended, end.beside), traces };
}
