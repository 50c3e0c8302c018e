// Makes scripts that foil.ts loads of what esbuild cut into pieces, each with one piece or several. A piece runs when
// something of it is first used, and so does what Node brings: loading is most of what a short command takes. That
// changes nothing else, because no file of src/ does anything by being loaded. All scripts of a process share their pieces.
import { transform } from 'esbuild';

/** Pieces that as many of the commands import are read together, unless they are large. */
const MANY = 0.2;
const LARGE = 100_000;
/** Pieces of hooks that most commands import, and what is too small to load another script for. */
const MOST = 0.4;
const SMALL = 3000;

/**
 * `homes` says which scripts each piece is in; where it is in several, the first is loaded for it if none is. Gives the code of
 * each script by its name.
 */
export async function makeScripts(outputFiles, homes, target) {
  const scripts = new Map();
  for (const { path, text } of outputFiles) {
    const name = nameOf(path);
    const piece = `${key(name)}:${await makePiece(text, target, homes)}`;
    for (const script of homes.get(name))
      scripts.set(script, [...(scripts.get(script) ?? []), [name, piece]]);
  }
  return new Map([...scripts].map(([script, pieces]) => [script, makeTable(script, pieces)]));
}

/** What others than pieces ask for is called as its script. */
function makeTable(script, pieces) {
  const [, own] = /([^/]+)$/.exec(script);
  const offered = pieces.some(([name]) => name === own) ? `get ${key(own)}(){return use(${key(own)})}` : '';
  return `${TOOLS}${TABLE}Object.assign(known,{${pieces.map(([, piece]) => piece).join(',')}});module.exports={${offered}};`;
}

/** A script in one piece, of one ES module. */
export async function makeScript(text, target) {
  return `${TOOLS}(${await makePiece(text, target, new Map())})(module);`;
}

const TOOLS = `var later=f=>{var made;return()=>made??=f()},
offer=(to,all)=>{for(var name in all)Object.defineProperty(to,name,{get:all[name],enumerable:true})},
whole=of=>{var to=Object.create(Object.getPrototypeOf(of)),all={default:()=>of};for(let name of Object.getOwnPropertyNames(of))name in all||(all[name]=()=>of[name]);offer(to,all);return to};`;
const TABLE = `var known=load.known??={},made=load.made??={},
use=(name,home)=>{var module=made[name];if(!module){known[name]||load(home);module=made[name]={exports:{}};known[name](module)}return module.exports};`;
/** What esbuild puts before each piece. */
const HELPERS =
  /^var __(?:create|defProp|getOwnPropDesc|getOwnPropNames|getProtoOf|hasOwnProp|export|copyProps|toESM|toCommonJS) = .*\n(?:(?: {2}.*|[)}]+;)\n)*/gm;

const key = (name) => JSON.stringify(name);
const nameOf = (path) => path.replace(/^.*\//, '').replace(/\.script$/, '');

/** What hooks load when they need it, in the order in which a piece that several need finds its script. */
export const ASIDE = ['gate', 'hooks-seen', 'commands', 'defence', 'authority', 'project'];
/** Those that read lines of commands. */
const LINES = ['commands', 'defence', 'authority'];

/**
 * `cli/main` with all that it imports, a script for each thing that hooks do now and then, `core` with what some of these and most
 * commands do, `rules` with what the gate and others of these do, `lines` with what reads command lines, `cli/base` with what many commands do, else each piece in a script of its own. `outputs` is of esbuild's metafile.
 */
export function homesOfPieces(outputs) {
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
  const aside = new Map(ASIDE.map((name) => [name, imported(name)]));
  const homesOf = (name) => {
    const among = ASIDE.filter((each) => aside.get(each).has(name));
    // It is loaded alone.
    if (main.has(name)) return among.length > 0 ? ['core', 'cli/main'] : ['cli/main'];
    const { bytes } = pieces.get(name);
    const share = reached.filter((found) => found.has(name)).length / commands.length;
    if (among.length > 0) {
      // For a small one no other script is loaded; and the others don't load the gate.
      if (share >= (bytes < SMALL ? MANY : MOST) && bytes < LARGE) return ['core'];
      const [first, ...others] = among;
      if (first === 'gate') return [others.some((each) => each !== 'commands') ? 'rules' : 'gate'];
      if (among.filter((each) => LINES.includes(each)).length > 1) return ['lines'];
      return [share >= MANY && bytes >= LARGE ? `cli/${name}` : first];
    }
    return [share >= MANY && bytes < LARGE ? 'cli/base' : `cli/${name}`];
  };
  return new Map([...pieces.keys()].map((name) => [name, homesOf(name)]));
}

/** The piece as a function of its module. */
async function makePiece(text, target, homes) {
  const options = { format: 'cjs', platform: 'neutral', target, logLevel: 'error' };
  const supported = { 'dynamic-import': false };
  const { code } = await transform(text, { ...options, supported });
  const { code: small } = await transform(postpone(code, homes), { ...options, minify: true });
  return `function(module){${small.trimEnd()}}`;
}

/** What is required is required when it is used. esbuild gives each import a name that nothing else has. */
function postpone(code, homes) {
  const names = new Set();
  return code
    .replace(HELPERS, '')
    .replace(/^var (import_\w+) = (require\("[^"]+"\));$/gm, (_, name, call) => {
      names.add(name);
      return `var ${name} = later(() => ${call});`;
    })
    .replace(/\bimport_\w+\b(?! = )/g, (name) => (names.has(name) ? `(${name}())` : name))
    .replace(/^require\("\.\/[^"]+"\);$/gm, '')
    .replace(/__toESM\((require\("\.\/[^"]+"\))\)/g, '$1')
    .replace(
      /\brequire\("\.\/([^"]+)\.script"\)/g,
      (_, name) => `use(${key(name)},${key(homes.get(name)[0])})`,
    )
    .replace(/\b__toESM\(/g, 'whole(')
    .replace(/^__export\(/m, 'offer(')
    .replace(/^module\.exports = __toCommonJS\((\w+)\);$/m, 'module.exports = $1;');
}
