// What a request says beside its body: the query, headers, the subprotocols of a WebSocket. Words can pass there as well
// as anywhere, so they are kept like all other content, redacted. But credentials travel there too: of what may be one, by
// its name or by its form, nothing but the length is told.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Kept } from '../../format/index.ts';
import { type Intake, Traces } from '../intake.ts';
import { shorten } from '../short.ts';

export type NamedValues = readonly (readonly [name: string, value: string])[];

const CREDENTIAL =
  /auth|key|token|secret|cookie|session|credential|passw|passphrase|signature|assertion|bearer|jwt|organi[sz]ation|project|account|tenant|^sig$|^code$|^sas$|^pw$/i;
/** One long word of letters and digits. */
const OPAQUE = /^(?=\S*[A-Za-z])(?=\S*\d)\S{16,}$/;
/** Headers that APIs define, whose values look like that and are none. */
const DEFINED =
  /^(?:anthropic-(?:beta|version)|openai-beta|user-agent|accept|content-type|x-stainless-[a-z-]+)$/;
/** `openai-insecure-api-key.…`: what it is for stays, what stands behind it does not. */
const CREDENTIAL_PROTOCOL = /^([\w-]*(?:auth|key|token|secret|bearer|jwt)[\w-]*[.=])(.+)$/i;
/** Shorter words of such a value may stand anywhere. */
const SHORTEST_CREDENTIAL = 8;
const MOST_NAMES = 64;
const LONGEST_NAME = { length: 100, bytes: 200 };

/** As it may be kept, before redaction. What is withheld is told under a name that nothing else has. */
export function toldValues(values: NamedValues): JsonObject {
  const told = new Map<string, string[]>();
  const withheld: JsonObject[] = [];
  const credentials = values
    .filter(([name]) => CREDENTIAL.test(name))
    .flatMap(([, value]) => value.split(/[\s=;,]/))
    .filter((word) => word.length >= SHORTEST_CREDENTIAL);
  for (const [name, value] of values) {
    // A client may hand over one credential under several names, of which some are not known for it.
    const isCredential =
      CREDENTIAL.test(name) ||
      (OPAQUE.test(value) && !DEFINED.test(name)) ||
      credentials.some((word) => value.includes(word));
    if (isCredential) withheld.push({ name, bytes: Buffer.byteLength(value) });
    else told.set(name, [...(told.get(name) ?? []), value]);
  }
  const shown = [...told].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]);
  return { ...Object.fromEntries(shown), ...(withheld.length === 0 ? {} : { '?withheld': withheld }) };
}

/** Those that a client offers, in a header of their own. */
export function toldProtocols(header: string): Json[] {
  return header.split(',').map((each) => {
    const [, what, value] = CREDENTIAL_PROTOCOL.exec(each.trim()) ?? [];
    return what === undefined || value === undefined
      ? each.trim()
      : { name: what, bytes: Buffer.byteLength(value) };
  });
}

/** A query as it was written: what can't be decoded stays as it is. */
export function queryValues(query: string): NamedValues {
  return query.split('&').map((each) => {
    const equals = each.indexOf('=');
    return equals < 0
      ? ['', decoded(each)]
      : [decoded(each.slice(0, equals)), decoded(each.slice(equals + 1))];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** What an entry says of a query: its names, its length, a hash of all of it under the session's salt, and its content. */
export async function queryFacts(
  intake: Intake,
  session: string,
  query: string,
  traces: Traces,
): Promise<JsonObject> {
  const values = queryValues(query);
  const names = values.slice(0, MOST_NAMES).map(([name]) => shorten(intake.word(name, traces), LONGEST_NAME));
  const [hash, kept] = await Promise.all([
    intake.hash(session, query),
    intake.keep(session, intake.clean(toldValues(values), traces)),
  ]);
  return { bytes: Buffer.byteLength(query), hash, names: intake.list(names, traces), content: kept.ref };
}

export function headerFacts({ hash, bytes, ref }: Kept): JsonObject {
  return { bytes, content: ref, hash };
}

/** Kept for an entry that tells of them. */
export async function keptHeaders(
  intake: Intake,
  session: string,
  headers: NamedValues,
): Promise<JsonObject> {
  return headerFacts(await intake.keep(session, intake.clean(toldValues(headers), new Traces())));
}
