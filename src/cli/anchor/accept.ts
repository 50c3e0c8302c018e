// foil anchor accept: a person says that the sources in the project's counterfoil.yaml may be asked. This holds for
// this ledger and for exactly these sources. Their hash is in the ledger's settings, and an entry records it.

import { withLedger } from '../../app/index.ts';
import { anchorHash, isPublicAnchor, parseYaml, readConfig } from '../../config/index.ts';
import { StoreError } from '../../core/index.ts';
import { readSettings, workspaceRoot, writeSettings } from '../../ledger/index.ts';
import { harmless } from '../../report/index.ts';
import type { AnchorConfig, BlockSourceConfig } from '../../session/index.ts';
import type { Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export async function acceptAnchor(context: Context): Promise<Outcome> {
  const { cwd, env } = context;
  const located = place(context);
  const { directory } = located;
  const config = readConfig(workspaceRoot(cwd), parseYaml).anchor;
  const sources = [...config.blocks.map(nameOf), ...config.stamps].map(harmless);
  return withLedger(located, async (ledger) => {
    const settings = readSettings(directory, env);
    if (settings.mode === 'locked')
      throw new StoreError(
        'DENIED',
        `in locked mode, foil ignores sources in the project's file. Write them into ${directory}/counterfoil.yaml.`,
      );
    const hash = anchorHash(config);
    const changed = !isPublicAnchor(config) && settings.anchor !== hash;
    if (changed) {
      const payload = { what: 'anchor', from: settings.anchor ?? null, to: hash };
      await ledger.append({ kind: 'config.change', source: 'cli', payload });
      writeSettings(directory, { ...settings, anchor: hash }, env);
    }
    return {
      json: { hash, sources, changed },
      text: changed ? accepted(sources, config) : nothing(sources),
    };
  });
}

function accepted(sources: readonly string[], { network }: AnchorConfig): string {
  const list = sources.map((each) => `  ${each}\n`).join('');
  return `foil may ask these from now on${network === 'main' ? '' : `, for ${network}`}:\n${list}`;
}

function nothing(sources: readonly string[]): string {
  return sources.length === 0
    ? "Nothing to accept: counterfoil.yaml doesn't name any block sources or calendars.\n"
    : 'Nothing to accept: foil may already ask everything that counterfoil.yaml names.\n';
}

/** Without the password that an address may hold. */
function nameOf(source: BlockSourceConfig): string {
  if ('file' in source) return source.file;
  if ('esplora' in source) return source.esplora;
  const url = new URL(source.rpc);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
