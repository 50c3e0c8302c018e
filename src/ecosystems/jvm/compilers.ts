// Compilers and linters of Java, Kotlin and Scala, and Ant.
import { each, found, type Table, type Tool } from '../tool.ts';

const javac: Tool = {
  kind: 'build',
  runner: 'javac',
  values: '-d -cp -classpath --class-path -source -target --release -processor -sourcepath',
  dry: '-version',
};

export const programs = (): Table => ({
  ant: (args) => {
    const goal = args.find((arg) => !arg.startsWith('-'));
    return goal === undefined || /^(?:compile|build|jar|dist)/.test(goal)
      ? found('build', `ant ${goal ?? ''}`.trim())
      : /test/.test(goal)
        ? found('test', `ant ${goal}`)
        : null;
  },
  ...each('javac kotlinc scalac', (runner) => ({ ...javac, runner })),
  kotlin: { kind: 'run', runner: 'kotlin', values: '-cp -classpath' },
  ktlint: { kind: 'lint', runner: 'ktlint', rewrites: '-F --format', values: '--reporter --editorconfig' },
  detekt: { kind: 'lint', runner: 'detekt', values: '-c --config -i --input' },
});
