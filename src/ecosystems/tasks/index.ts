// What runs the scripts and targets of any project.
import * as bazel from './bazel.ts';
import * as builders from './builders.ts';
import * as monorepos from './monorepos.ts';
import * as targets from './targets.ts';

export const programs = [targets.programs, monorepos.programs, bazel.programs, builders.programs];
export const outputs = [bazel.outputs];
export const traits = [bazel.traits, monorepos.traits];
export const configs = [targets.config];
