// The room's door: what a host or a program does becomes entries.
export type { FileTouched, HostCall, HostEvent, Outcome, Problem } from './host-event.ts';
export type { Adapter, Answer, Ruling } from './ruling.ts';
