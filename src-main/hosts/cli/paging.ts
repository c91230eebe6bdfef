import type { Page } from './cli.ts';

const largestPage = 100;

/**
 * Reads pages until `limit` items that `keep` accepts are there, or there are no more. `next_cursor` is null
 * only when everything was read.
 */
export async function collect<T>(
  read: (query: { limit: string; cursor?: string }) => Promise<Page<T>>,
  limit: number,
  keep: (item: T) => boolean = () => true,
): Promise<Page<T>> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({
      limit: String(Math.min(largestPage, Math.max(1, limit - items.length))),
      ...(cursor === null ? {} : { cursor }),
    });
    items.push(...page.items.filter(keep));
    cursor = page.next_cursor;
  } while (cursor !== null && items.length < limit);
  return { items: items.slice(0, limit), next_cursor: cursor };
}

/** Reads page after page; a consumer that has seen enough just stops. */
export async function* everyItem<T>(
  read: (query: { limit: string; cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({ limit: String(largestPage), ...(cursor === null ? {} : { cursor }) });
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
