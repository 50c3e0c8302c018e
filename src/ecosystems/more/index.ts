// Ecosystems of one file each.
import * as data from './data.ts';
import * as functional from './functional.ts';
import * as infrastructure from './infrastructure.ts';
import * as lua from './lua.ts';
import * as numbers from './numbers.ts';
import * as perl from './perl.ts';
import * as shell from './shell.ts';
import * as zig from './zig.ts';

// biome-ignore format: a list
export const programs = [
  perl.programs, lua.programs, shell.programs, numbers.programs, functional.programs, zig.programs,
  data.programs, infrastructure.programs,
];
// biome-ignore format: a list
export const outputs = [
  perl.outputs, lua.outputs, shell.outputs, numbers.outputs, functional.outputs, zig.outputs,
  data.outputs, infrastructure.outputs,
];
// biome-ignore format: a list
export const traits = [
  perl.traits, lua.traits, shell.traits, numbers.traits, functional.traits, zig.traits, data.traits,
  infrastructure.traits,
];
