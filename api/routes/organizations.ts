// placeholder until the real one is written
import { Router } from 'express';
export function organizationsRouter(..._: unknown[]): Router { return Router(); }
