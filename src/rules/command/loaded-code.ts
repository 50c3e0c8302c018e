// Code that is given on the line, `python -c "import calc; …"`: unlike a program of the project it is the agent's own,
// so it shows something of the work only through what it loads or names.
import type { Check } from '../../format/index.ts';

const LOADS =
  /(?:\b(?:import\w*|from|us(?:e|ing)|require\w*|include\w*|source|library|load\w*)\b[\s("'`]*|\s-[Mr]\s?)([\w@./:-]+(?:, ?[\w.]+)*)|([\w@~.-]*\/[\w@./-]+|[\w-]+\.\w+)/g;
const ASKS_HERE = /\b(?:localhost|127\.0\.0\.1)\b/;
/** An entry holds no more of a command: what is judged again must be what was judged. */
const LONGEST = 255;

/** As a run of what the code loads, imports or names by its path; of everything where it asks a server on this machine. */
export function asRunOfLoaded(check: Check): Check {
  const command = check.command.slice(0, LONGEST);
  if (ASKS_HERE.test(command)) return { ...check, targets: ['.'] };
  const found = [...command.matchAll(LOADS)].flatMap(([, modules, path]) =>
    path !== undefined ? [path] : (modules ?? '').split(/, ?/).flatMap((name) => [name, asPath(name)]),
  );
  return { ...check, targets: found.filter((name) => /^\.{1,2}\/?$|[a-z]/i.test(name)) };
}

/** `app.routes`, `App::Routes` */
function asPath(name: string): string {
  return name.includes('/') ? name : name.replace(/(?<=\w)(?:\.|::)(?=\w)/g, '/');
}
