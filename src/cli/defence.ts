// defence.script: what guards foil's own files, for the calls that may be about them.
import { makeDefence } from '../app/index.ts';

export { makeDefence };
