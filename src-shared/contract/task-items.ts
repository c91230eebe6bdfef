import { taskItemSchema, taskItemStatusSchema } from '../model/task-item.ts';
import { answer, createRoute, errorAnswers, page, pageQuery, z } from './route.ts';

const item = taskItemSchema.openapi('TaskItem');
const tags = ['background'];
const name = z.string().min(1).max(200).optional();

export const taskItemRoutes = {
  startBackup: createRoute({
    method: 'post',
    path: '/api/backup',
    tags,
    summary: 'Copy the database into backups/; a backup that waits or runs is given back as existing',
    responses: { 202: answer(z.object({ item, existing: z.boolean() })), ...errorAnswers },
  }),
  listTaskItems: createRoute({
    method: 'get',
    path: '/api/task-items',
    tags,
    summary: 'Background work besides runs, newest first',
    request: {
      query: pageQuery.extend({
        id: name,
        status: taskItemStatusSchema.optional(),
        task_type: name,
        entity_id: name,
      }),
    },
    responses: { 200: answer(page(item)), ...errorAnswers },
  }),
} as const;
