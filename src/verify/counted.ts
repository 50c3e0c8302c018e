// A number with the word for what it counts.
export function counted(count: number, what: string, plural = `${what}s`): string {
  return `${count} ${count === 1 ? what : plural}`;
}
