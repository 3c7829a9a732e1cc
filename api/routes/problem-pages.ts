// placeholder until the real one is written
import { Router } from 'express';
export function problemPagesRouter(..._: unknown[]): Router {
  return Router();
}
