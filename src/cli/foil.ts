// The command's first lines. A hook starts with every step of an agent, so this loads as little as it can: nothing at
// all where recording is off, else start.script beside it.
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';

/** Lets the hook go, and leaves a note that the next recorder, or the service, finds: see record/missed.ts. */
function passUnrecorded(words: readonly string[]): void {
  const at = words.findIndex((word) => /^--ledger(=|$)/.test(word));
  const ledger = at < 0 ? process.env.FOIL_LEDGER : words[at]?.slice(9) || words[at + 1];
  if (!ledger?.startsWith('/')) return;
  const { XDG_RUNTIME_DIR: own, TMPDIR: temporary } = process.env;
  const base = own?.startsWith('/')
    ? `${own}/counterfoil`
    : `${temporary?.startsWith('/') ? temporary : '/tmp'}/counterfoil-${process.getuid?.() ?? 0}`;
  const directory = `${base}/${encodeURIComponent(ledger).slice(-200)}`;
  const input = Buffer.alloc(65_536);
  const text = input.toString('latin1', 0, readSync(0, input));
  const session = /"(?:session_?id|conversation_id)"\s*:\s*"([\w-]{1,64})"/i.exec(text)?.[1];
  if (session === undefined) return;
  const path = `${directory}/off-${session}`;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    appendFileSync(path, String(Date.now()), { flag: 'ax', mode: 0o600 });
  } catch {
    utimesSync(path, new Date(), new Date()); // since when is in the file, until when is its time
  }
  // In guard a host refuses what no service answers, also where the answer would be that it is off.
  if (words.includes('guard') && /"hook_event_name"\s*:\s*"(?:SessionStart|UserPromptSubmit)"/.test(text))
    void (require('./cli.cjs') as typeof import('./main.ts')).reviveService(ledger);
}

/**
 * Runs start.script or gate.script, each one function, from its compiled form where there is one for this Node. With
 * FOIL_COMPILE the run leaves a compiled form of the one it names, of every function that it used: see compile-start.ts.
 */
function load(name: string): unknown {
  const file = `${__dirname}/${name}.script`;
  const cache = `${__dirname}/${name}-${process.version}-${process.arch}.cache`;
  const compiles = process.env.FOIL_COMPILE === name;
  let cachedData: Buffer | undefined;
  try {
    if (!compiles) cachedData = readFileSync(cache);
  } catch {
    // Another version of Node: the source does the same, a little later.
  }
  const { Script } = require('node:vm') as typeof import('node:vm');
  const source = readFileSync(file, 'latin1');
  const script = new Script(
    source,
    cachedData === undefined ? { filename: file } : { filename: file, cachedData },
  );
  if (compiles)
    process.on('exit', () => {
      try {
        // On the disk before it has its name: Node runs what is torn without a look at it.
        writeFileSync(`${cache}.${process.pid}`, script.createCachedData(), { flush: true });
        renameSync(`${cache}.${process.pid}`, cache);
      } catch {
        // An error here would change the exit code, and with it a refusal into a pass.
      }
    });
  const module = { exports: {} };
  script.runInThisContext()(require, __filename, __dirname, module, load);
  return module.exports;
}

const [, , name, ...words] = process.argv;
if (
  /^(?:off|0|no|false)$/i.test(process.env.FOIL ?? '') &&
  name === 'hook' &&
  !words.some((word) => /^(--mode=)?locked$/.test(word))
) {
  try {
    passUnrecorded(words);
  } catch {
    // Off is off.
  }
} else load('start');
