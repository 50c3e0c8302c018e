// The closing of a run by an independent gateway, for commands: HTTP is loaded only where there is something to close.
import type { JsonObject } from '../core/index.ts';
import type { ClientRun } from '../format/index.ts';
import type { GatewayAccess } from './gateway/address.ts';

/** The payload of a `gateway.closing`. Rejects with a message for the user where it can't be had. */
export async function askClosing(
  access: GatewayAccess,
  asked: { readonly client: ClientRun; readonly end: string },
): Promise<JsonObject> {
  const gateway = await import('./gateway/ask-closing.ts');
  return gateway.askClosing(access, asked);
}
