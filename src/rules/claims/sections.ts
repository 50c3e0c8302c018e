// Under what a block stands. Items below "Next steps" or "Known issues" are plans and problems, whatever their words say;
// below "Root cause" a passive tells how the bug came. A heading holds for its depth, a lead ("Remaining:") for its list.
import type { Block } from './blocks.ts';
import type { Token } from './tokens.ts';
import { CHECK_HEADS, DONE_HEADS, FINDING_HEADS, OPEN_HEADS } from './words.ts';

export type Section = 'plain' | 'open' | 'finding' | 'checks';

/** What a heading, a lead or a label announces. */
function announced(tokens: readonly Token[]): Section {
  let finding = false;
  let done = false;
  for (const { text, kind } of tokens) {
    if (kind !== 'word') continue;
    if (OPEN_HEADS.has(text)) return 'open';
    finding ||= FINDING_HEADS.has(text);
    done ||= DONE_HEADS.has(text);
  }
  if (tokens.some(({ text }, i) => text === 'to' && /^(?:do|be)$/.test(tokens[i + 1]?.text ?? '')))
    return 'open';
  if (tokens.some(({ text }, i) => text === 'how' && tokens[i + 1]?.text === 'to')) return 'open';
  if (finding && !done) return 'finding';
  // "Verification", "Manual checks"; "Signup form validation" is a piece of work.
  const said = tokens.filter(({ kind }) => kind === 'word');
  const checks = said.some(
    ({ text }, i) => CHECK_HEADS.has(text) && (i === 0 || (said.length < 5 && text !== 'validation')),
  );
  return checks ? 'checks' : 'plain';
}

export interface Sections {
  /** The section a block stands in. */
  of(block: Block): Section;
  /** Tells of a heading or a lead. */
  announce(block: Block, tokens: readonly Token[]): void;
}

export function trackSections(): Sections {
  const headings: { level: number; section: Section }[] = [];
  /** The lead of the list at hand; `level` is the indentation of the item that is the lead, -1 for a paragraph. */
  let lead: { level: number; section: Section } | null = null;
  let listed = false;
  return {
    of(block) {
      if (block.kind !== 'item' && block.kind !== 'cell') lead = null;
      // Below a bold line there is a list; the paragraph behind that is the message's own again.
      if (block.kind === 'item') listed = true;
      else if (block.kind === 'text' && listed && headings.at(-1)?.level === 7) headings.pop();
      if (block.kind !== 'item') listed = false;
      if (lead !== null && block.kind === 'item' && block.level <= lead.level) lead = null;
      return lead !== null && lead.section !== 'plain' ? lead.section : (headings.at(-1)?.section ?? 'plain');
    },
    announce(block, tokens) {
      const section = announced(tokens);
      if (block.kind === 'heading') {
        while ((headings.at(-1)?.level ?? 0) >= block.level) headings.pop();
        const outer = headings.at(-1)?.section ?? 'plain';
        headings.push({ level: block.level, section: section === 'plain' ? outer : section });
        return;
      }
      if (tokens.at(-1)?.text !== ':') return;
      lead = { level: block.kind === 'item' ? block.level : -1, section };
    },
  };
}
