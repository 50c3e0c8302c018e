// Compilers and linters of Java, Kotlin and Scala, and Ant.
import type { Traits } from '../runner.ts';
import { goals } from '../tasks/scripts.ts';
import { each, lint, readOptions, type Table, type Tool } from '../tool.ts';

const javac: Tool = {
  kind: 'build',
  runner: 'javac',
  values: '-d -cp -classpath --class-path -source -target --release -processor -sourcepath',
  dry: '-version',
};

export const programs = (): Table => ({
  ant: (args) => goals('ant', readOptions({ kind: 'build', runner: 'ant' }, args), 'build', /test/),
  ...each('javac kotlinc scalac', (runner) => ({ ...javac, runner })),
  kotlin: { kind: 'run', runner: 'kotlin', values: '-cp -classpath' },
  ktlint: lint('ktlint', '--reporter --editorconfig', { rewrites: '-F --format' }),
  detekt: lint('detekt', '-c --config -i --input'),
});

export const traits: readonly Traits[] = [
  { name: 'javac', silent: /: error: |^error: |: command not found/m },
  { name: 'ant', good: /^BUILD SUCCESSFUL$/m, bad: /^BUILD FAILED$/m, failing: ['BUILD FAILED'] },
  { name: 'ktlint', silent: /^\S+\.kts?:\d+:\d+: |\bERROR\b|: command not found/m },
  { name: 'detekt', bad: /\bAnalysis failed with \d/m },
];
