// project.script: what a hook needs of a project that has a counterfoil.yaml, and no other hook does: the parser, and
// where blocks come from. Apart from the rest of the command, which is ten times as much to load.

import { ledgerBlocks } from '../app/index.ts';
import { acceptedAnchor, parseYaml } from '../config/index.ts';

export { acceptedAnchor, ledgerBlocks, parseYaml };
