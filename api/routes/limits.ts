// placeholder until the real one is written
import { Router } from 'express';
export function limitsRouter(..._: unknown[]): Router { return Router(); }
