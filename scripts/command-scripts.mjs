// Makes scripts that foil.ts loads of what esbuild cut into pieces, each with one piece or several. A piece runs when
// something of it is first used, and so does what Node brings: loading is most of what a short command takes. That
// changes nothing else, because no file of src/ does anything by being loaded.
import { transform } from 'esbuild';

/** Pieces that as many of the commands import are read together, unless they are large. */
const MANY = 0.2;
const LARGE = 100_000;

/** `home` says which script each piece is in. Gives the code of each script by its name. */
export async function makeScripts(outputFiles, home, target) {
  const scripts = new Map();
  for (const { path, text } of outputFiles) {
    const name = nameOf(path);
    const getter = `get ${key(name)}(){return piece(${key(name)},${await makePiece(text, target, home)})}`;
    scripts.set(home.get(name), [...(scripts.get(home.get(name)) ?? []), getter]);
  }
  return new Map(
    [...scripts].map(([script, getters]) => [script, `${TOOLS}module.exports={${getters.join(',')}};`]),
  );
}

/** A script in one piece, of one ES module. */
export async function makeScript(text, target) {
  return `${LATER};(${await makePiece(text, target, new Map())})(module);`;
}

const LATER = 'var later=f=>{var made;return()=>made??=f()}';
const TOOLS = `${LATER},pieces={},
piece=(name,run)=>{var module=pieces[name];module||(module=pieces[name]={exports:{}},run(module));return module.exports};`;

const key = (name) => JSON.stringify(name);
const nameOf = (path) => path.replace(/^.*\//, '').replace(/\.script$/, '');

/**
 * Of the commands: `main` with all it imports, `base` with what many commands do, else each piece in a script of its own.
 * `outputs` is of esbuild's metafile.
 */
export function homesOfCommands(outputs) {
  const pieces = new Map(Object.entries(outputs).map(([path, output]) => [nameOf(path), output]));
  const imported = (name, found = new Set()) => {
    if (found.has(name)) return found;
    found.add(name);
    for (const { path, kind, external } of pieces.get(name).imports)
      if (kind === 'import-statement' && !external) imported(nameOf(path), found);
    return found;
  };
  const commands = [...pieces].filter(([, { entryPoint }]) => entryPoint?.startsWith('src/cli/commands/'));
  const reached = commands.map(([name]) => imported(name));
  const main = imported('main');
  const homeOf = (name) => {
    if (main.has(name)) return 'main';
    const isShared = reached.filter((found) => found.has(name)).length >= MANY * commands.length;
    return isShared && pieces.get(name).bytes < LARGE ? 'base' : name;
  };
  return new Map([...pieces.keys()].map((name) => [name, `cli/${homeOf(name)}`]));
}

/** Of the gate: entry points each in a script of their own, and what they share in that of the first. */
export function homesOfGate(outputs, [first, ...others]) {
  const names = Object.keys(outputs).map(nameOf);
  return new Map(names.map((name) => [name, others.includes(name) ? name : first]));
}

/** The piece as a function of its module. */
async function makePiece(text, target, home) {
  const options = { format: 'cjs', platform: 'neutral', target, logLevel: 'error' };
  const supported = { 'dynamic-import': false };
  const { code } = await transform(text, { ...options, supported });
  const { code: small } = await transform(postpone(code, home), { ...options, minify: true });
  return `function(module){${small.trimEnd()}}`;
}

/** What is required is required when it is used. esbuild gives each import a name that nothing else has. */
function postpone(code, home) {
  const names = new Set();
  return code
    .replace(/^var (import_\w+) = (require\("[^"]+"\));$/gm, (_, name, call) => {
      names.add(name);
      return `var ${name} = later(() => ${call});`;
    })
    .replace(/\bimport_\w+\b(?! = )/g, (name) => (names.has(name) ? `(${name}())` : name))
    .replace(/^require\("\.\/[^"]+"\);$/gm, '')
    .replace(/__toESM\((require\("\.\/[^"]+"\))\)/g, '$1')
    .replace(/\brequire\("\.\/([^"]+)\.script"\)/g, (_, name) => `load(${key(home.get(name))})[${key(name)}]`)
    .replace(/^module\.exports = __toCommonJS\((\w+)\);$/m, 'module.exports = $1;');
}
