// The folder's door: OpenTimestamps calendars, and the stamps that they make and complete.
export {
  type AskOptions,
  type CalendarFailure,
  type CalendarProblem,
  type CalendarReply,
  calendarAddress,
  fetchTimestamp,
  submitDigest,
} from './calendar.ts';
export type { StampFiles, StampLedger, StampPorts } from './ports.ts';
export { listStamps, type StampInfo, type StampState } from './stamp-state.ts';
export { type StampOutcome, stampWanted, wantStamp } from './stamping.ts';
export { type UpgradeOptions, type UpgradeOutcome, upgradeStamps } from './upgrading.ts';
