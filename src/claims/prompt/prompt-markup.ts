// A prompt taken apart: prose, inline code, fenced blocks, as CommonMark sees them, as far as it matters here.
// Linear whatever the text: each character is looked at a fixed number of times.

export interface CodeSpan {
  /** Where it stands in the prose. */
  readonly at: number;
  readonly text: string;
}

export interface FencedBlock {
  /** `sh`, `python` …; empty where it says none. */
  readonly language: string;
  readonly text: string;
}

export interface Markup {
  /** Without code; what was taken out left blanks, so that places stay what they were. */
  readonly prose: string;
  readonly spans: readonly CodeSpan[];
  readonly fenced: readonly FencedBlock[];
}

/** A longer prompt is read so far: what it asks for stands at its start, what it pastes after it. */
const MAX_PROMPT = 65_536;
const MAX_BLOCKS = 64;

export function readMarkup(prompt: string): Markup {
  const fenced: FencedBlock[] = [];
  const prose: string[] = [];
  let fence: { mark: string; language: string; lines: string[] } | null = null;
  for (const line of prompt.slice(0, MAX_PROMPT).split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence.mark) && line.trim() === mark) {
        if (fenced.length < MAX_BLOCKS)
          fenced.push({ language: fence.language, text: fence.lines.join('\n') });
        fence = null;
      } else fence.lines.push(line);
      prose.push(' '.repeat(line.length));
    } else if (mark !== undefined && !line.trim().slice(mark.length).includes('`')) {
      fence = {
        mark,
        language: /^[\w+-]*/.exec(line.trim().slice(mark.length).trim())?.[0] ?? '',
        lines: [],
      };
      prose.push(' '.repeat(line.length));
    } else prose.push(line);
  }
  if (fence !== null) fenced.push({ language: fence.language, text: fence.lines.join('\n') });
  return { ...readSpans(prose.join('\n')), fenced };
}

/** A run of backticks is closed by the next run of the same length in its paragraph. */
function readSpans(text: string): { prose: string; spans: CodeSpan[] } {
  const runs = [...text.matchAll(/`+|\n[ \t]*\n/g)].map(({ 0: mark, index }) => ({ mark, index }));
  const closing = new Array<number>(runs.length).fill(-1);
  let next = new Map<string, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const mark = runs[i]?.mark ?? '';
    if (mark.startsWith('\n')) next = new Map();
    else {
      closing[i] = next.get(mark) ?? -1;
      next.set(mark, i);
    }
  }
  const spans: CodeSpan[] = [];
  let prose = '';
  let from = 0;
  for (let i = 0; i < runs.length; i++) {
    const open = runs[i];
    const end = runs[closing[i] ?? -1];
    if (open === undefined || end === undefined) continue;
    const inner = text
      .slice(open.index + open.mark.length, end.index)
      .replace(/\s+/g, ' ')
      .trim();
    if (inner !== '') spans.push({ at: open.index, text: inner });
    const after = end.index + end.mark.length;
    prose += `${text.slice(from, open.index)}${text.slice(open.index, after).replace(/[^\n]/g, ' ')}`;
    from = after;
    i = closing[i] ?? i;
  }
  return { prose: prose + text.slice(from), spans };
}
