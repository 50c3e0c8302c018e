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

/** Of a longer prompt both ends are read: what it asks for may stand before or after what it pastes. */
const LONGEST_END = 32_768;
const FENCES = /^ {0,3}(?:`{3,}|~{3,}).{0,64}/gm;
const MAX_BLOCKS = 64;

export function readMarkup(prompt: string): Markup {
  const fenced: FencedBlock[] = [];
  const prose: string[] = [];
  let fence: { mark: string; language: string; lines: string[] } | null = null;
  for (const line of bothEnds(prompt).split('\n')) {
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

/** Fences between the two ends stay: one of them may close what the first end opens. */
function bothEnds(prompt: string): string {
  if (prompt.length <= 2 * LONGEST_END) return prompt;
  const between = prompt.slice(LONGEST_END, -LONGEST_END).match(FENCES) ?? [];
  return [prompt.slice(0, LONGEST_END), ...between, prompt.slice(-LONGEST_END)].join('\n');
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
