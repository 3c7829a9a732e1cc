import { serveTasks } from '../shared/threads/serve-tasks.ts';
import { fileTasks } from './file-tasks.ts';

serveTasks(fileTasks);
