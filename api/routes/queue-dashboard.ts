// placeholder until the real one is written
import { Router } from 'express';
export function queueDashboardRouter(..._: unknown[]): Router {
  return Router();
}
