// The ledger's entries as traces in OTLP JSON, one request per line. Holds only what is open, within a bound: beyond
// that, the oldest session is ended where it is. docs/formats.md says what becomes what.
import type { Entry } from '../format/index.ts';
import { encodeOtlpRequest, text } from './otlp.ts';
import { OtlpTrace } from './otlp-trace.ts';

export interface OtlpExport {
  /** A line that is full, or nothing yet. */
  add(entry: Entry): string;
  /** The rest, with what is open ended where its session's last entry is. Nothing may be added afterwards. */
  end(): { readonly text: string; readonly open: number };
}

export interface OtlpOptions {
  /** Of this program. */
  readonly version: string;
  /** The ledger's. */
  readonly origin?: string;
}

const MOST_SESSIONS = 10_000;
/** Characters of open spans. */
const MOST_HELD = 1 << 26;
/** Characters that make a line. Collectors take 20 MiB, but of a file lines of 1 MiB. */
const LINE = 1 << 18;

export function exportOtlp({ version, origin }: OtlpOptions): OtlpExport {
  const traces = new Map<string, OtlpTrace>();
  let spans = new Map<string, string[]>();
  let size = 0;
  let held = 0;
  let open = 0;

  const write = (service: string, span: string): void => {
    const list = spans.get(service);
    if (list === undefined) spans.set(service, [span]);
    else list.push(span);
    size += span.length;
  };
  const flush = (): string => {
    if (spans.size === 0) return '';
    const scope = { name: 'counterfoil', version };
    const line = encodeOtlpRequest(spans, scope, text('counterfoil.origin', origin));
    spans = new Map();
    size = 0;
    return line;
  };
  const close = (trace: OtlpTrace): void => {
    held -= trace.held;
    trace.close();
    open += trace.unended;
    traces.delete(trace.id);
  };

  return {
    add(entry) {
      const { session_id: id } = entry;
      if (id === null) return '';
      const trace = traces.get(id) ?? new OtlpTrace(id, write);
      traces.set(id, trace);
      const before = trace.held;
      trace.add(entry);
      held += trace.held - before;
      for (const oldest of traces.values()) {
        if (held <= MOST_HELD && traces.size <= MOST_SESSIONS) break;
        close(oldest);
      }
      return size >= LINE ? flush() : '';
    },
    end() {
      for (const trace of traces.values()) close(trace);
      return { text: flush(), open };
    },
  };
}
