import { automationRoutes } from './automations.ts';
import { compatRoutes } from './compat.ts';
import { doctorRoutes } from './doctor.ts';
import { runRoutes } from './runs.ts';
import { queueRoutes, systemRoutes } from './system.ts';
import { taskItemRoutes } from './task-items.ts';

/** THE table of routes. A handler missing for one of them is a compile error (src-main/api/app.ts). */
export const routes = {
  ...automationRoutes,
  ...runRoutes,
  ...queueRoutes,
  ...systemRoutes,
  ...doctorRoutes,
  ...taskItemRoutes,
  ...compatRoutes,
} as const;
export type Routes = typeof routes;
export type RouteName = keyof Routes;
