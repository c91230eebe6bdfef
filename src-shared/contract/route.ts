import { createRoute, z } from '@hono/zod-openapi';
import { errorSchema } from './errors.ts';

const errorAnswer = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorSchema } },
});

/** The answers every route may give besides its own. */
export const errorAnswers = {
  400: errorAnswer('A field is wrong; `field` names it'),
  401: errorAnswer('No token or a wrong one'),
  403: errorAnswer('Wrong origin, site or scope'),
  404: errorAnswer('There is no such thing'),
  409: errorAnswer('The state or the revision does not allow it'),
  422: errorAnswer('Well-formed, but cannot be carried out'),
  503: errorAnswer('No engine, or the database is busy'),
} as const;

/** One JSON answer of `schema`. */
export function answer<S extends z.ZodType>(schema: S, description = 'Done') {
  return { description, content: { 'application/json': { schema } } };
}

/** A JSON request body of `schema`. */
export function body<S extends z.ZodType>(schema: S, required = true) {
  return { required, content: { 'application/json': { schema } } };
}

export const idParams = z.object({ id: z.string().min(1).max(200) });
export const pageQuery = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

/** A page: its items, and the cursor of the next one or null at the end. */
export function page<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

export { createRoute, z };
