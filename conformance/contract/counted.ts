/** A number with the words for what is counted, such as `1 check` and `2 checks`. `many`: the words for another number than one. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
