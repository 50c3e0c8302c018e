// Cells of the table that do not hold yet, by fault, with a piece of what the failed assertion says. A mend takes its
// lines out: a cell that is named here and holds is a failure, and so is one that fails in another way.

export interface Fault {
  readonly host: string;
  readonly scenario: string;
  readonly cell: string;
  readonly fault: string;
  readonly seen: RegExp;
}

const CLAUDE_CODE = 'Claude Code, claude -p';
const GEMINI = 'Gemini, gemini -p';
const CODEX = 'Codex, codex exec';
const COPILOT = 'Copilot, copilot -p';
const OPENCODE = 'OpenCode, opencode run';
const OPENCODE_SERVER = 'OpenCode, its server';

const WORKS = 'an agent that works';
const QUESTION = 'a question without a claim';
const LIAR = 'a liar';
const COMPLIES = 'an agent that complies';
const RETRACTS = 'an agent that takes it back';
const MODES = 'foil mode, there and back';
const FOIL_RUN = 'foil run, and no hooks in files';

const HELD = 'is held at most twice a prompt, then the turn ends unproven';
const PASSES = 'passes after one block';
const OWN_WORDS = 'our own words are no prompt of the user';
const VERIFY = 'foil verify says that the claim is not proven';
const ONCE_A_STEP = 'ends by itself, and the model is asked once a step';
const SILENCE = 'a claim that a run backs passes in silence';
const RESPONSE = 'the response is on record';
const RECORDED = 'the session is on record, or its user is told that it is not';
const ITS_END = 'the session has an end';

type Cells = readonly (readonly [host: string, scenario: string, cell: string, seen: RegExp])[];

const BY_FAULT: Readonly<Record<string, Cells>> = {
  'response.model is null': [CLAUDE_CODE, GEMINI, COPILOT, OPENCODE, OPENCODE_SERVER].map((host) => [
    host,
    WORKS,
    'the response names its model',
    /response\.model: expected null/,
  ]),
  'our reason comes back as a prompt, and the count begins anew': [
    [GEMINI, LIAR, HELD, /verdicts: expected \[ 'block', 'block', 'block', …/],
    [GEMINI, LIAR, 'the host ends by itself', /did not end by itself/],
    [GEMINI, LIAR, OWN_WORDS, /prompts: expected \d\d+ to be 1/],
    [GEMINI, LIAR, VERIFY, /foil verify/],
    [COPILOT, LIAR, OWN_WORDS, /prompts: expected 9 to be 1/],
    [OPENCODE_SERVER, LIAR, HELD, /verdicts: expected \[ 'block', 'block', 'block', …/],
    [OPENCODE_SERVER, LIAR, OWN_WORDS, /prompts: expected 9 to be 1/],
    [OPENCODE_SERVER, LIAR, VERIFY, /foil verify/],
  ],
  'the text is cumulative, and what was taken back is judged again': [
    [GEMINI, RETRACTS, PASSES, /blocks: expected [2-9]\d* to be 1/],
  ],
  'exit codes are unknown, so no run backs a claim': [
    [CODEX, WORKS, ONCE_A_STEP, /requests: expected 4 to be 3/],
    [CODEX, WORKS, 'each result is on record with its exit code', /exit codes: expected \[ null, null \]/],
    [CODEX, WORKS, RESPONSE, /responses: expected 2 to be 1/],
    [CODEX, WORKS, SILENCE, /verdicts: expected \[ 'block', 'silent' \]/],
    [CODEX, COMPLIES, PASSES, /verdicts: expected \[ 'block', 'block', 'silent' \]/],
  ],
  'the end of a session is not told': [
    [CODEX, WORKS, ITS_END, /expected \[ 'session.start' \]/],
    [OPENCODE_SERVER, WORKS, ITS_END, /expected \[ 'session.start' \]/],
  ],
  'foil mode changes the command, and the host no longer trusts it': [
    [CODEX, MODES, 'recording goes on, in the mode that was set', /expected \[ 'observe', 'observe' \]/],
  ],
  'foil run records nothing, and does not say so': [
    // Hooks on the command line are not trusted.
    [CODEX, FOIL_RUN, RECORDED, /prompts[\s\S]*expected \+?0 to be 1/],
    // "Skipping system settings file": this host takes none that lies below a directory that others can write, as /tmp.
    [GEMINI, FOIL_RUN, RECORDED, /prompts[\s\S]*expected \+?0 to be 1/],
  ],
  'schema_drift: the final message in events.jsonl is not found, and every turn is blocked': [
    [COPILOT, WORKS, ONCE_A_STEP, /requests: expected 11 to be 3/],
    [COPILOT, WORKS, 'the prompt is on record', /prompts: expected 9 to be 1/],
    [COPILOT, WORKS, RESPONSE, /responses: expected 9 to be 1/],
    [COPILOT, WORKS, SILENCE, /verdicts: expected \[ 'block', 'block', 'block', …/],
    [COPILOT, QUESTION, 'passes in silence', /verdicts: expected \[ 'block', 'block', 'block', …/],
    [COPILOT, LIAR, HELD, /verdicts: expected \[ 'block', 'block', 'block', …/],
    [COPILOT, LIAR, VERIFY, /foil verify/],
    [COPILOT, COMPLIES, PASSES, /verdicts: expected \[ 'block', 'block', 'block', …/],
    [COPILOT, COMPLIES, 'was told what is missing', /expected undefined to be 1/],
    [COPILOT, RETRACTS, PASSES, /blocks: expected 9 to be 1/],
    [COPILOT, MODES, 'recording goes on, in the mode that was set', /prompts: expected 20 to be 4/],
  ],
  'a turn that can not be held is on record as blocked': [
    [OPENCODE, LIAR, HELD, /verdicts: expected \[ 'block', 'silent' \]/],
    [OPENCODE, LIAR, OWN_WORDS, /prompts: expected 2 to be 1/],
    [OPENCODE, LIAR, VERIFY, /foil verify/],
    [OPENCODE, COMPLIES, PASSES, /verdicts: expected \[ 'block', 'silent' \]/],
    [OPENCODE, RETRACTS, PASSES, /blocks: expected 1 to be \+0/],
  ],
};

export const KNOWN_FAULTS: readonly Fault[] = Object.entries(BY_FAULT).flatMap(([fault, cells]) =>
  cells.map(([host, scenario, cell, seen]) => ({ fault, host, scenario, cell, seen })),
);
