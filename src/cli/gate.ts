// gate.script: what hooks need when there is something to judge. start.script loads it then and not before.
import { judgeMaker } from '../app/index.ts';

export { judgeMaker };
