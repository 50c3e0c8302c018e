// What a command line says of an attester's judge.

import { resolve } from 'node:path';
import { readTrust, type Trust, userTrustFile } from '../config/index.ts';

import { UsageError } from '../core/index.ts';
import type { Judge } from '../harness/index.ts';
import type { Context } from './command.ts';

/** `usual`: the provider where --judge is not given; undefined for no judge then. */
export async function judgeOf(
  { values, cwd, env }: Context,
  state: string,
  usual: string | undefined,
): Promise<Judge | undefined> {
  const provider = values.text('judge') ?? usual;
  const given = values.text('trust');
  const takesSecrets = values.flag('secret-rubrics');
  if (provider === undefined) {
    if (given !== undefined || takesSecrets)
      throw new UsageError('--trust and --secret-rubrics need --judge.');
    return undefined;
  }
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(provider))
    throw new UsageError('--judge: use auto, anthropic, openai, gemini, or the name of an upstream.');
  const { makeJudge } = await import('../app/attest/rubric-judge.ts');
  const gateways = async (): Promise<Trust['gateways']> => {
    const trust = await readTrust(given === undefined ? userTrustFile(env) : resolve(cwd, given));
    if (trust === undefined && given !== undefined)
      throw new UsageError(`--trust: there is no file ${given}.`);
    return trust?.gateways ?? [];
  };
  return makeJudge({ state, env, provider, gateways, takesSecrets });
}
