// foil validate --execute: a check run again in a sandbox, by the service if the ledger is locked, or else here.
import { executeHere } from '../app/index.ts';
import { DEFAULT_TIMEOUT_MS, refuse } from '../gate/index.ts';
import { type Located, readSettings } from '../ledger/index.ts';
import { harmless } from '../report/index.ts';
import { postValidate, type ValidateAnswer, type ValidateRequest } from '../service/index.ts';
import { EXIT, type Outcome } from './command.ts';

export const EXECUTE_EXIT = { PASS: EXIT.FINE, FAIL: 2, REFUSED: 3 } as const;

export interface RunExecute {
  readonly located: Located;
  readonly request: ValidateRequest;
  /** The service's socket, where it is to be run by the service. */
  readonly socket?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Exit 0 where it passes, 2 where it fails, 3 where nothing was run. */
export async function runExecute(run: RunExecute): Promise<Outcome> {
  const answer = await answered(run);
  const { PASS, FAIL, REFUSED } = EXECUTE_EXIT;
  const exit = answer.outcome === 'pass' ? PASS : answer.outcome === 'fail' ? FAIL : REFUSED;
  return { exit, json: answer, text: render(answer) };
}

async function answered({ located, request, socket, signal }: RunExecute): Promise<ValidateAnswer> {
  if (socket !== undefined) {
    // Others may be waiting before us.
    const patienceMs = 6 * ((request.timeoutMs ?? DEFAULT_TIMEOUT_MS) + 60_000);
    try {
      return await postValidate({ socket, request, patienceMs, signal });
    } catch (error) {
      return refuse('no-service', `foil couldn't ask the service: ${(error as Error).message}.`);
    }
  }
  if (isLocked(located))
    return refuse(
      'locked',
      'The ledger is locked, so only its service runs checks. Name its socket with --socket PATH.',
    );
  return executeHere({ located, source: 'foil', locked: false }, request, signal);
}

/** One whose settings can't be read is another user's. */
function isLocked({ directory }: Located): boolean {
  try {
    return readSettings(directory).mode === 'locked';
  } catch {
    return true;
  }
}

function render(answer: ValidateAnswer): string {
  if (answer.outcome === 'refused') return `refused (${answer.code}): ${harmless(answer.reason)}\n`;
  const { command, sandbox, exit, tests, durationMs, validation, validator } = answer;
  const counts = tests === null ? '' : `, ${tests.passed} passed, ${tests.failed} failed`;
  const how = `\`${harmless(command)}\` in ${sandbox}: ${exit === null ? 'did not end' : `exit ${exit}`}${counts}, ${Math.round(durationMs / 100) / 10} s`;
  return answer.outcome === 'pass'
    ? `pass (${validator}, re-executed, entry ${validation}): ${how}\n`
    : `fail (${answer.code}, entry ${validation}): ${harmless(answer.reason)}\n${how}\n${harmless(answer.output.split('\n').slice(-20).join('\n'))}\n`;
}
