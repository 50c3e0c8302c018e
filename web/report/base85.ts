// Four bytes in five digits, which is a sixteenth less than base64. The digits are the characters from `(` to `}` without
// `<`, which could end the element that they stand in. scripts/build-web.mjs writes it, and fills the last four bytes up
// with zeros.
const [FIRST, LEFT_OUT] = [0x28, 0x3c];

export function parseBase85(text: string): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let at = 0; at < text.length; at += 5) {
    let word = 0;
    for (let i = at; i < at + 5; i++) {
      const code = text.charCodeAt(i);
      word = word * 85 + code - FIRST - Number(code > LEFT_OUT);
    }
    view.setUint32((at / 5) * 4, word);
  }
  return new Uint8Array(view.buffer);
}
