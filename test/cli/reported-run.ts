// A run that a program recorded, for tests of its report: two prompts with the same words, a tool, an end.
import { openRecorder } from '../../src/entry/index.ts';
import type { Sandbox } from './foil.ts';

export const PROMPT = 'say <b>hello</b> & </script><script>window.__ran = 1</script>';
export const RESULT = 'hello\u2028there\r\n\u0000';

export interface ReportedRun {
  readonly id: string;
  readonly vkey: string;
}

export async function recordRun(sandbox: Sandbox): Promise<ReportedRun> {
  const vkey = sandbox.ledger();
  const recorder = await openRecorder({
    cwd: sandbox.work,
    place: { directory: sandbox.path('.foil'), keyDirectory: sandbox.path('.foil/keys') },
  });
  const session = await recorder.session();
  await session.prompt(PROMPT);
  await session.tool('greet', { name: '\\u003c' }, async () => RESULT);
  await session.prompt(PROMPT);
  await session.end({ reason: 'exit' });
  await recorder.close();
  return { id: session.id, vkey };
}
