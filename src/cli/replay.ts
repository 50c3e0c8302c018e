// foil verify --replay: runs the verification of a run's pack once more over what the run made, in a sandbox on this machine.
// Nothing is run anywhere else, and nothing is signed: it is for whoever asked.
import {
  artifactRoot,
  type BundlePayload,
  type HarnessPack,
  PackError,
  parseArtifacts,
  type TreeFile,
} from '../format/index.ts';
import { AttestError, attestingSandbox, runVerification } from '../harness/index.ts';
import { configDirectory, stateDirectory } from '../ledger/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import type { Context } from './command.ts';

/** `passed` is null where it could not be run. */
export interface Replay {
  readonly passed: boolean | null;
  readonly reason: string;
}

export async function replay(
  { env, onInterrupt, progress }: Context,
  bundle: BundlePayload,
  pack: HarnessPack | undefined,
  archive: Uint8Array | undefined,
): Promise<Replay> {
  const unable = (reason: string): Replay => ({ passed: null, reason });
  if (pack === undefined) return unable("the pack isn't here. Name it with --pack FILE.");
  if (archive === undefined)
    return unable("the outputs of the run aren't here. Name them with --artifacts PATH.");
  const stop = new AbortController();
  onInterrupt(() => stop.abort());
  progress('running the verification of the pack');
  try {
    const artifacts = parseArtifacts(archive, pack.manifest.outputs);
    assertSame(bundle, pack, artifacts);
    const sandbox = await attestingSandbox([
      makeBubblewrap({ hidden: [stateDirectory(env), configDirectory(env)] }),
    ]);
    const outcome = await runVerification({ pack, artifacts, sandbox, isSecret: false, signal: stop.signal });
    return { passed: outcome.passed, reason: outcome.reason };
  } catch (error) {
    if (error instanceof AttestError || error instanceof PackError) return unable(error.message);
    throw error;
  } finally {
    progress('');
  }
}

function assertSame(
  { harness, outputs }: BundlePayload,
  pack: HarnessPack,
  artifacts: readonly TreeFile[],
): void {
  if (pack.hashes.root !== harness.packRoot)
    throw new AttestError('OTHER_PACK', "this isn't the pack of the run.");
  if (artifactRoot(artifacts) !== outputs.artifactHash)
    throw new AttestError(
      'OTHER_ARTIFACTS',
      "these aren't the files that the run recorded as its artifacts.",
    );
}
