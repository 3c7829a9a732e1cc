// placeholder until the real one is written
import { Router } from 'express';
export function commonDataRouter(..._: unknown[]): Router { return Router(); }
