// Which network addresses are asked for blocks and stamps. Outside of `locked` the project's counterfoil.yaml says so, as
// far as it names public sources or a person accepted them (record/anchor-accepted.ts). In `locked` that file is the
// agent's to write, and the service would ask addresses of its choice from where the service stands; so there only a
// counterfoil.yaml in the ledger's own directory counts, and of that only `anchor`.

import { acceptedAnchor, parseYaml, readConfig } from '../../config/index.ts';
import { readSettings } from '../../ledger/index.ts';
import type { AnchorConfig } from '../../session/index.ts';

/** Settings that can't be read say nothing about how strict they were. */
export function isLocked(directory: string): boolean {
  try {
    return readSettings(directory).mode === 'locked';
  } catch {
    return true;
  }
}

/** Throws ParseError where the file that counts can't be understood. */
export function anchorInForce(directory: string, project: () => AnchorConfig): AnchorConfig {
  return isLocked(directory) ? ownAnchor(directory) : acceptedAnchor(project(), directory);
}

/** The service's own configuration: nothing is asked of the network unless it stands there. */
export function ownAnchor(directory: string): AnchorConfig {
  return readConfig(directory, parseYaml, { links: false }).anchor;
}
