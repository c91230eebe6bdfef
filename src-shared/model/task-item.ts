import { z } from 'zod';

export const taskItemStatusSchema = z.enum(['queued', 'running', 'done', 'failed']);
export type TaskItemStatus = z.infer<typeof taskItemStatusSchema>;

/** An item of the background queue as every door shows it. Instants in milliseconds since 1970 UTC. */
export const taskItemSchema = z.object({
  id: z.string(),
  task_type: z.string(),
  entity_id: z.string(),
  entity_title: z.string().nullable(),
  status: taskItemStatusSchema,
  error_message: z.string().nullable(),
  /** What the type needs, and what it gave: a backup has `file` and `bytes`. */
  metadata: z.record(z.string(), z.unknown()),
  started_at: z.number().int().nullable(),
  completed_at: z.number().int().nullable(),
  created_at: z.number().int(),
  updated_at: z.number().int(),
});
export type TaskItem = z.infer<typeof taskItemSchema>;
