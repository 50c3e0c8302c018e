// A ledger with sessions that a program recorded, bound to real blocks from a file: for tests of what reads it.
import { writeFileSync } from 'node:fs';
import { openRecorder } from '../../src/entry/index.ts';
import type { BlockFact } from '../../src/format/index.ts';
import type { Sandbox } from './foil.ts';

export interface Spoken {
  readonly turns?: readonly (readonly [prompt: string, answer: string])[];
  /** Of counterfoil.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The newest block that there is. */
  readonly block?: BlockFact;
  /** What to do before it ends. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Gives the session's id. */
export async function speak(sandbox: Sandbox, spoken: Spoken = {}): Promise<string> {
  const { turns = [], config = {}, block } = spoken;
  const file = sandbox.path('headers.json');
  if (block !== undefined) writeFileSync(file, JSON.stringify([block]));
  const anchor = block === undefined ? {} : { anchor: { blocks: [{ file }] } };
  const recorder = await openRecorder({
    cwd: sandbox.work,
    place: { directory: sandbox.path('.foil'), keyDirectory: sandbox.path('.foil/keys') },
    config: { ...config, ...anchor },
  });
  const session = await recorder.session();
  for (const [prompt, answer] of turns) {
    await session.prompt(prompt);
    await session.response(answer, { model: 'opus-5, |fast|' });
  }
  await spoken.meanwhile?.();
  await session.end();
  await recorder.close();
  return session.id;
}
