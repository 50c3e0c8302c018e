// What a message says twice it says once: a claim that is repeated often enough reads as something else to a reader that
// weighs each sentence beside its neighbours. Lines that open or close code stay, because all that follows hangs on them.
const FENCE = /```|~~~/;
/** Where a sentence ends. The dots of a path end none. */
const END = /(?<=\.)(?=\s)|(?<=[!?])(?=[\s\p{L}])/u;
/** "Yes.", "Done." and the like are said for many reasons. */
const SHORTEST = 12;

export function withoutRepeats(message: string): string {
  const said = new Set<string>();
  return message
    .split('\n')
    .map((line) =>
      FENCE.test(line)
        ? line
        : line
            .split(END)
            .map((sentence) => (isRepeat(sentence, said) ? ' ' : sentence))
            .join(''),
    )
    .join('\n');
}

function isRepeat(sentence: string, said: Set<string>): boolean {
  const words = sentence.replace(/\s+/g, ' ').trim().toLowerCase();
  if (words.length < SHORTEST) return false;
  if (said.has(words)) return true;
  said.add(words);
  return false;
}
