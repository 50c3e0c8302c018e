// For esbuild: whoever in the gate reads a command line, or a configuration that may hold one, compares tests, looks for a
// command that would settle a claim, or says what is open gets a function that loads `commands.script` when it is first called. What reads command lines holds the grammar of a shell and is a third of
// the gate; an end of a turn whose claims are backed needs none of it. Files of src/ do nothing by being loaded, so
// nothing but the time of loading depends on it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOORS =
  /[\\/](?:read-command|complete-checks|suggestion|gate-message|test-config|defeated-tests|excuses|loaded-code|tried-ways|changed-expectations|final-form|final-references|find-weakening|test-marks|turned-away|overrides|told-acts|named-acts|act-evidence|absent-names|tests-to-leave-out|unmade-deeds|hindrances|joint-checks|untold-stubs|state-evidence|result-evidence|told-results|on-record)\.ts$/;
const INSIDE =
  /[\\/]src[\\/](?:shell[\\/].*|rules[\\/](?:suggestion|gate-message|told-acts|named-acts|act-evidence|state-evidence|result-evidence|on-record|told-results|told-states|shown-by-run|excuses|integrity[\\/](?:test-config|command-facts|pipeline-facts|defeated-tests))|cli[\\/]commands)\.ts$/;

/** `isInGate` says of a path whether the gate has that file. */
export const readsCommandsLater = (isInGate = () => true) => ({
  name: 'reads-commands-later',
  setup(build) {
    const { absWorkingDir } = build.initialOptions;
    build.onResolve({ filter: DOORS }, ({ importer }) =>
      INSIDE.test(importer) || !isInGate(importer)
        ? undefined
        : { path: 'commands', namespace: 'later', sideEffects: false },
    );
    // A name that the script does not offer is an error of the build.
    build.onLoad({ filter: /.*/, namespace: 'later' }, () => {
      const script = readFileSync(join(absWorkingDir, 'src/cli/commands.ts'), 'utf8');
      const [, names] = /^export \{([^}]*)\};$/m.exec(script);
      const contents = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name) => `export const ${name} = (...given) => later().${name}(...given);`);
      return { contents: ["const later = () => load('commands').commands;", ...contents].join('\n') };
    });
  },
});
