// The bytes that JSON is made of (RFC 8259), for those who read it byte by byte.
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Levels that every reader can follow. */
export const DEEPEST_JSON = 1000;
