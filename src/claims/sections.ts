// Under what a block stands. Items below "Next steps" or "Known issues" are plans and problems, whatever their words say;
// below "Root cause" a passive tells how the bug came. A heading holds for its depth, a lead ("Remaining:") for its list.
import type { Block } from './blocks.ts';
import type { Token } from './tokens.ts';
import { CHECK_HEADS, DEEDS, DONE_HEADS, FINDING_HEADS, FIRST, OPEN_HEADS, PASTS } from './words.ts';

export type Section = 'plain' | 'open' | 'finding' | 'checks';

/** What a heading, a lead or a label announces. */
function announced(tokens: readonly Token[]): Section {
  const said = tokens.filter(({ kind }) => kind === 'word');
  const has = (list: ReadonlySet<string>) => said.some(({ text }) => list.has(text));
  const done = has(DONE_HEADS);
  if (!tellsDeed(said)) {
    const two = done && said.some(({ text }) => text === 'and');
    if ((has(OPEN_HEADS) || TO_DO.test(said.map(({ text }) => text).join(' '))) && !two) return 'open';
    if (has(FINDING_HEADS) && !done) return 'finding';
  }
  // "Verification", "Manual checks"; "Signup form validation" is a piece of work.
  const checks = said.some(
    ({ text }, i) => CHECK_HEADS.has(text) && (i === 0 || (said.length < 5 && text !== 'validation')),
  );
  return checks ? 'checks' : 'plain';
}

const TO_DO = /\b(?:to (?:do|be)|how to)\b/;

/** "Updated the remaining callers:", "Went on with the next two:" tell of work, and of none that is open. */
function tellsDeed(said: readonly Token[]): boolean {
  const first = said.findIndex(({ text }) => !FIRST.has(text) && text !== 'have');
  const [verb = '', next = ''] = said.slice(first).map(({ text }) => text);
  if (OPEN_HEADS.has(verb)) return false;
  return (
    DEEDS.some((list) => list.has(verb)) ||
    ((PASTS.has(verb) || verb.endsWith('ed')) && /^(?:the|an?|all|both|with|on|through)$/.test(next))
  );
}

/** What a block stands under. */
export interface Under {
  readonly section: Section;
  /** The words of the heading above, and of the line or item that leads in. */
  readonly heading: readonly Token[];
  readonly lead: readonly Token[];
}

/** How a block leads in what follows: by a colon, by standing right above a list, or not. */
export type Leads = 'colon' | 'bare' | null;

export interface Sections {
  of(block: Block): Under;
  /** Tells of a block's last sentence. */
  announce(block: Block, tokens: readonly Token[], leads: Leads): void;
}

/** A line without a colon that is longer is a sentence, and announces nothing. */
const BARE_WORDS = 4;

interface Above {
  /** A heading's depth; the indentation of an item, -1 of a paragraph. */
  readonly level: number;
  readonly section: Section;
  readonly tokens: readonly Token[];
}

export function trackSections(): Sections {
  const headings: Above[] = [];
  const leads: Above[] = [];
  let listed = false;
  const under = (): Section => (leads.at(-1) ?? headings.at(-1))?.section ?? 'plain';
  const leave = (list: Above[], level: number) => {
    while ((list.at(-1)?.level ?? Number.NEGATIVE_INFINITY) >= level) list.pop();
  };
  return {
    of(block) {
      if (block.kind === 'item') leave(leads, block.level);
      else if (block.kind !== 'cell') leads.length = 0;
      // Below a bold line there is a list; the paragraph behind that is the message's own again.
      if (block.kind === 'text' && listed && headings.at(-1)?.level === 7) headings.pop();
      listed = block.kind === 'item';
      return {
        section: under(),
        heading: headings.at(-1)?.tokens ?? [],
        lead: leads.at(-1)?.tokens ?? [],
      };
    },
    announce(block, tokens, how) {
      if (block.kind === 'heading') leave(headings, block.level);
      else if (how === null) return;
      const heard = how === 'bare' && tokens.length > BARE_WORDS ? 'plain' : announced(tokens);
      const section = heard === 'plain' ? under() : heard;
      if (block.kind === 'heading') headings.push({ level: block.level, section, tokens });
      else leads.push({ level: block.kind === 'item' ? block.level : -1, section, tokens });
    },
  };
}
