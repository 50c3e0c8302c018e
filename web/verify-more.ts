// What verify-later.ts loads.
export { judgeTool } from '../src/policy/index.ts';
export { RunAuditor } from '../src/verify/index.ts';
