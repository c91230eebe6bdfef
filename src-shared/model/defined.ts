/** The properties of `value` that are given: an optional one that is undefined is left out. */
export function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
