// How often each rule took something, kept by whoever asks for a redaction.

export type RedactionCounts = Record<string, number>;

export function count(counts: RedactionCounts, id: string): void {
  counts[id] = (counts[id] ?? 0) + 1;
}
