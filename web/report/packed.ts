// What stands compressed in the file beside the run: the page itself, and the verifier. See spec/report.md.
import { parseBase85 } from './base85.ts';

/** Rejects where it is damaged. */
export function unpack(id: string): Promise<Blob> {
  const packed = document.getElementById(id);
  const bytes = parseBase85(packed?.textContent ?? '').subarray(0, Number(packed?.dataset.bytes));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}
