// The independent gateways that a ledger's settings know, changed by commands that a person runs.
import { isAbsolute, resolve } from 'node:path';
import { openAccess } from '../app/index.ts';
import { ParseError, UsageError } from '../core/index.ts';
import { type KnownGateway, readSettings, writeSettings } from '../ledger/index.ts';
import { parseGatewayAddress } from '../service/index.ts';
import type { Context } from './command.ts';

/** The URL in the one form in which it is kept and on record. */
export function gatewayUrl(text: string, option: string): string {
  try {
    return parseGatewayAddress(text).url;
  } catch (error) {
    if (error instanceof ParseError) throw new UsageError(`${option}: ${error.message}.`);
    throw error;
  }
}

/**
 * What is known of a gateway, with what the command line says besides (--token-file, --ca), kept where that is new. Its files
 * have been looked at. `isDefault`: all model calls go through it from now on.
 */
export function knownGateway(
  directory: string,
  context: Context,
  url: string,
  isDefault: boolean,
): KnownGateway {
  const { values, cwd, env } = context;
  const settings = readSettings(directory, env);
  const { gateways = [] } = settings;
  const before = gateways.find((each) => each.url === url);
  const [tokenFile, caFile] = [values.text('token-file'), values.text('ca')].map((given) =>
    given === undefined || isAbsolute(given) ? given : resolve(cwd, given),
  );
  if (tokenFile === undefined && before === undefined)
    throw new UsageError(`${url} isn't set up here yet. Give its token with --token-file FILE.`);
  const known: KnownGateway = {
    url,
    tokenFile: tokenFile ?? before?.tokenFile ?? '',
    ...(caFile === undefined ? (before?.caFile === undefined ? {} : { caFile: before.caFile }) : { caFile }),
  };
  // One run must not change how others get there.
  if (!isDefault && before !== undefined && JSON.stringify(before) !== JSON.stringify(known))
    throw new UsageError(
      `${url} is already set up with other files. Run \`foil gateway use\` to change them.`,
    );
  openAccess(known);
  const isSame = JSON.stringify(before) === JSON.stringify(known);
  if (!isSame || (isDefault && settings.through !== url))
    writeSettings(
      directory,
      {
        ...settings,
        gateways: [...gateways.filter((each) => each.url !== url), known],
        ...(isDefault ? { through: url } : {}),
      },
      env,
    );
  return known;
}

/** Model calls go to their providers again, but for sessions that ask otherwise. */
export function useNoGateway(directory: string, { env }: Context): void {
  const { through: _, ...settings } = readSettings(directory, env);
  writeSettings(directory, settings, env);
}
