// As `foil anchor accept` does: the sources in a project's counterfoil.yaml may be asked.

import { anchorHash, parseYaml, readConfig } from '../src/config/index.ts';
import { readSettings, writeSettings } from '../src/ledger/index.ts';

export function acceptAnchor(ledger: string, project: string): void {
  const anchor = anchorHash(readConfig(project, parseYaml).anchor);
  writeSettings(ledger, { ...readSettings(ledger), anchor });
}
