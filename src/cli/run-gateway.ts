// How `foil run` points its agent at the gateway: the service that it is a part of, what the agent honours, and the
// independent gateway that the run is bound to.
import { type GatewaySettings, gatewaySettings } from '../capture/settings/index.ts';
import { UsageError } from '../core/index.ts';
import { type Located, readSettings } from '../ledger/index.ts';
import type { Context } from './command.ts';
import { startedService } from './hook-more.ts';
import { gatewayUrl, knownGateway } from './known-gateways.ts';

export interface RunGateway extends GatewaySettings {
  leave(): void;
}

/** The service leaves when nobody asks it anything; a person may think for longer than that. */
const KEEP_ALIVE = 60_000;

/** How the agent is pointed there. Throws where it can't be. */
export function gatewayOf(agent: string | null, base: string, { env }: Context): GatewaySettings {
  const settings = gatewaySettings(agent, { base, env });
  if (typeof settings === 'string') throw new UsageError(`--gateway: ${settings}`);
  return settings;
}

/** The independent gateway that the run is bound to; undefined where nobody asks for one. */
export function gatewayInForce(
  directory: string,
  context: Context,
  asked: string | undefined,
): string | undefined {
  if (asked === undefined) return readSettings(directory, context.env).through;
  return knownGateway(directory, context, gatewayUrl(asked, '--through'), false).url;
}

export async function gatewayService(directory: string): Promise<{ readonly port: number }> {
  const service = await startedService(directory);
  if (service === null)
    throw new Error('the gateway is part of the service, which has no port here. Run `foil status`.');
  return service;
}

export function gatewayFor(
  agent: string | null,
  session: string,
  { port }: { readonly port: number },
  { directory }: Located,
  context: Context,
): RunGateway {
  const settings = gatewayOf(agent, `http://127.0.0.1:${port}/session/${session}`, context);
  const timer = setInterval(() => void startedService(directory).catch(() => undefined), KEEP_ALIVE);
  timer.unref();
  return { ...settings, leave: () => clearInterval(timer) };
}
