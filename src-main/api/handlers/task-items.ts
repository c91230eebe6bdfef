import type { taskItemRoutes } from '../../../src-shared/contract/task-items.ts';
import { backupRequest } from '../../engine/backup.ts';
import { taskItemOf } from '../../storage/codec.ts';
import { taskStatus } from '../../storage/task-items.ts';
import { type ApiDeps, commit, type Handlers, requireEngine } from '../handler.ts';

/** Handlers of the background work besides runs. */
export function taskItemHandlers(deps: ApiDeps): Handlers<keyof typeof taskItemRoutes> {
  return {
    async startBackup(request) {
      const { tasks } = requireEngine(deps);
      const answer = await commit(deps, request, 202, () => {
        const { added, existing } = tasks.enqueueInside([backupRequest]);
        const [row] = [...added, ...existing];
        if (row === undefined) throw new Error('the backup was neither added nor there');
        return { body: { item: taskItemOf(row), existing: added.length === 0 } };
      });
      // Only now: memory knows of nothing that is not committed.
      tasks.feed([answer.body.item.id]);
      return answer;
    },
    listTaskItems({ query }) {
      const { cursor, limit, status, ...filter } = query;
      const code = status === undefined ? undefined : taskStatus[status];
      const page = deps.ctx.store.taskItems.list({ ...filter, status: code }, limit, cursor);
      return { status: 200, body: { items: page.items.map(taskItemOf), next_cursor: page.next_cursor } };
    },
  };
}
