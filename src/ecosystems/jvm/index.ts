// Java, Kotlin, Scala and Clojure, by runner.
import * as clojure from './clojure.ts';
import * as compilers from './compilers.ts';
import * as gradle from './gradle.ts';
import * as junit from './junit.ts';
import * as maven from './maven.ts';
import * as sbt from './sbt.ts';

// biome-ignore format: a list
export const programs = [
  maven.programs, gradle.programs, junit.programs, sbt.programs, clojure.programs, compilers.programs,
];
export const outputs = [gradle.outputs, junit.outputs, sbt.outputs, clojure.outputs];
export const configs = [maven.config, gradle.config, junit.config, sbt.config];

export const traits = [
  maven.traits,
  gradle.traits,
  junit.traits,
  sbt.traits,
  clojure.traits,
  compilers.traits,
];
