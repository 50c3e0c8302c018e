// What a call is good for as evidence: its checks, attempts and acts, and how the work tree was.
import type { Check } from '../../format/index.ts';
import { isShownWhole } from '../../rules/index.ts';
import { looksLikeCheck, namesTarget, readsFiles, triesSomething } from '../../shell/index.ts';
import { type Facts, outputText, shellLine } from '../facts/facts.ts';
import { Traces } from '../intake.ts';
import { CHANGED_MEANWHILE, feedsHooks, inBackground } from './event-parts.ts';
import type { HostCall, HostEvent } from './host-event.ts';
import type { CommandSeen } from './judge.ts';
import { NO_EXIT, type PrepareOptions, type Seen } from './prepared.ts';
import type { Job } from './session-state.ts';

/** What a call is good for as evidence. Commands that can't be a check are not looked at any closer. */
export async function seenOf(
  { judge, workspaceRoot, intake, remembered }: PrepareOptions,
  event: HostEvent,
  call: HostCall,
  session: string,
  facts: Facts | null,
  job: Job | null = null,
  /** Where the command began: a host may tell where it ended. */
  began = event.cwd,
): Promise<Seen | null> {
  if (judge === undefined || (event.type !== 'tool.call' && event.type !== 'tool.result')) return null;
  // Of what is redacted: a secret must not get past the redactor because a fact is only a piece of it.
  const command = job?.command ?? shellLine({ ...call, args: intake.clean(call.args, new Traces()) });
  const failed = event.type === 'tool.result' && event.outcome !== 'ok';
  const feeds = command !== null && feedsHooks(command);
  const check = command !== null && looksLikeCheck(command);
  const readsNamed = async (line: string): Promise<boolean> => {
    const asked = readsFiles(line) ? (await remembered(event))?.contract : null;
    return asked != null && namesTarget(line, asked.contract);
  };
  const isOver = event.type === 'tool.result';
  const tries = command !== null && isOver && (triesSomething(command) || (await readsNamed(command)));
  if (!check && !tries && !(failed && command !== null))
    return {
      checks: null,
      attempts: [],
      tree: null,
      feeds,
      background: call.background === true,
      pasted: false,
      unseen:
        command === null &&
        (call.files ?? []).length === 0 &&
        call.sought === undefined &&
        !isShownWhole(call.tool),
      crash: null,
    };
  const root = workspaceRoot(event.cwd);
  try {
    // First: it also tells what changed in the session until now.
    const tree = check ? await judge().tree(session, root) : null;
    const seen: CommandSeen | null =
      event.type === 'tool.result'
        ? judge().command(
            command,
            {
              cwd: began,
              root,
              session,
              edited: (await remembered(event))?.changes.map(({ path }) => path) ?? [],
            },
            {
              output: outputText(event.output),
              exit: facts === null ? NO_EXIT : { code: facts.exit_code, origin: facts.exit_origin },
              tests: facts?.tests ?? null,
            },
          )
        : null;
    return {
      // A search or a look that ended well is an attempt, and no check.
      checks: seen === null || !(check || failed) ? null : checksOf(seen, call, tree, job),
      attempts: seen?.attempts ?? [],
      tree,
      feeds,
      // Only what the host itself left running: of what a shell left nobody will ever tell the end.
      background: call.background === true,
      pasted: seen?.pasted === true,
      acts: seen?.acts ?? [],
      crash: null,
    };
  } catch (error) {
    const crash = intake.word(String(error), new Traces());
    return { checks: null, attempts: [], tree: null, feeds, background: false, pasted: false, crash };
  }
}

/** A check that went on beside others counts where the code was the same when it began and when its end was read. */
function checksOf(
  { checks }: CommandSeen,
  { background = false }: HostCall,
  tree: string | null,
  job: Job | null,
): readonly Check[] {
  const moved = job !== null && job.tree !== tree;
  return inBackground(checks, background || moved, moved ? CHANGED_MEANWHILE : undefined);
}
