// Sentences of the server, in which commands stand between backticks. A page has better means to set them apart.
import { visible } from './words.ts';

export function Prose({ text }: { readonly text: string }) {
  const pieces = text.split('`');
  // An odd backtick is one that somebody wrote.
  if (pieces.length % 2 === 0) return <>{visible(text)}</>;
  return (
    <>
      {pieces.map((piece, index) =>
        index % 2 === 1 ? <code key={index}>{visible(piece)}</code> : visible(piece),
      )}
    </>
  );
}
