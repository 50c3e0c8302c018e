// Types of disputes.mjs, for the tests.
export interface Dispute {
  readonly id: string;
  readonly seg: number;
  readonly why: string;
  readonly add: readonly string[];
  readonly optional: boolean;
}
interface Segment {
  readonly seg: number;
  readonly text: string;
}
export interface Label {
  readonly id: string;
  readonly claims: readonly (Segment & { readonly types: readonly string[]; readonly evidence: string })[];
  readonly optional: readonly Segment[];
}
export function parseDisputes(text: string): Dispute[];
export function grant(label: Label, disputes: readonly Dispute[]): Label;
