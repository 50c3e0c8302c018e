// Asks an independent gateway to close a run: from then on it takes no calls of it, and says how many there were.
import { type JsonObject, ParseError } from '../../core/index.ts';
import { type ClientRun, parseGatewayClosing } from '../../format/index.ts';
import type { GatewayAccess } from './address.ts';
import { askGateway, parseObject } from './ask-gateway.ts';
import { closingTarget, END_HEADER, PACK_HEADER } from './independent.ts';
import { Sender } from './send.ts';
import { failureIn, GatewayFailed, unreachable } from './through.ts';

const PATIENCE = 10_000;

/** The payload of a `gateway.closing`. Throws GatewayFailed, or ParseError where the answer is of another run or end. */
export async function askClosing(
  access: GatewayAccess,
  { client, end }: { readonly client: ClientRun; readonly end: string },
): Promise<JsonObject> {
  const sender = new Sender();
  try {
    const pack = client.pack === null ? [] : [PACK_HEADER, client.pack];
    const { status, headers, body } = await askGateway(sender, access, {
      method: 'POST',
      target: closingTarget(client.run),
      headers: [END_HEADER, end, ...pack],
      patienceMs: PATIENCE,
    }).catch((error) => {
      throw unreachable(access.url, error);
    });
    if (status !== 200)
      throw (
        failureIn(access.url, headers) ??
        new GatewayFailed('GATEWAY_UNKNOWN', 502, `it answered with status ${status}`)
      );
    const payload = parseObject(body, 'closing');
    const { closing } = parseGatewayClosing(payload);
    if (closing.client.run !== client.run || closing.client.pack !== client.pack || closing.end !== end)
      throw new ParseError(
        'MALFORMED',
        'the gateway closed this run with a different end or pack',
        'closing',
      );
    return payload;
  } finally {
    sender.close();
  }
}
