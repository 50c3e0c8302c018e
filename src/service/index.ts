// The room's door: the local service, the way to it, and what keeps it running. Whatever needs HTTP is loaded only
// when a service starts, so that the hook command may come through this door too.
export {
  type AttesterKeys,
  attesterFiles,
  makeAttesterDirectory,
  makeKeys,
  publicEncryptionKey,
  readAttesterToken,
  readDid,
  readKeys,
} from './attester/attester-files.ts';
export type { JobView } from './attester/job-queue.ts';
export {
  type AttesterIdentity,
  type AttesterOptions,
  MOST_BYTES,
  type RunningAttester,
  startAttester,
} from './attester/run.ts';
export { encodeSubmission, type Submission } from './attester/submission.ts';
export { type Age, ageOf, type Build, type BuildMark, parseBuildMark } from './build.ts';
export { CALLER_VARIABLES, type Caller, encodeCaller, parseCaller } from './caller.ts';
export { ANSWER_TYPE, type ClientCode, ClientError, type PostHook, postHook } from './client.ts';
export { askClosing } from './close-run.ts';
export { type PostValidate, postValidate, type ValidateAnswer, type ValidateRequest } from './execution.ts';
export { type GatewayAccess, GatewayUnusable, parseGatewayAddress } from './gateway/address.ts';
export { Tokens } from './gateway/independent.ts';
export type { GatewayRecording, RecordedCall } from './gateway/recording.ts';
export type { Through } from './gateway/through.ts';
export { parseFixedUpstreams, parseUpstreams, type Upstreams } from './gateway/upstreams.ts';
export { jsonReply, NO_STORE, type Reply, targetOf } from './http-reply.ts';
export type { IndependentPlace } from './independent-listener.ts';
export { assertPrivate, assertSocketDirectory, groupId, userId } from './locked.ts';
export { type OwnGateway, openOwnGateway } from './own-gateway.ts';
export { type Difference, type PlayableCall, PlayList, type Taken } from './play-list.ts';
export { openPlayer, type Player } from './player.ts';
export type { Executions, Host, OpenRecording, Recording } from './recording.ts';
export {
  type Ensured,
  type EnsureOptions,
  ensureService,
  isServedByOlder,
  replaceOlder,
  startApart,
} from './revive.ts';
export { startService } from './run.ts';
export {
  AT_WORK,
  beat,
  makeServiceDirectory,
  makeToken,
  readState,
  readToken,
  type ServiceState,
  serviceFiles,
  sinceBeat,
  socketPath,
  writeState,
} from './service-files.ts';
export { nameOf } from './service-log.ts';
export {
  DEFAULT_IDLE,
  type Reason,
  type Service,
  type ServiceOptions,
  ServiceRunning,
} from './service-options.ts';
export type { WireRecording } from './wire.ts';
export { WireClient, type WireClientOptions } from './wire-client.ts';
export type { WireAbout } from './wire-message.ts';
