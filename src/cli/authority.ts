// authority.script: what judges calls where grants are in force.
import { makeAuthority } from '../app/index.ts';

export { makeAuthority };
